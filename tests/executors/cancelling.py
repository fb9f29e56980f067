from __future__ import annotations

import asyncio
import os
import select
from pathlib import Path

import pytest

from pydantic_ai_skills.members import SkillScript


def cancel_when_started(script: SkillScript, folder: Path) -> None:
    """Run a script that writes process ids into the FIFO it is given, cancel it then, and see that all of them end."""
    fifo = folder / 'pids'
    os.mkfifo(fifo)

    async def cancelled() -> list[int]:
        task = asyncio.create_task(script.run(None, [str(fifo)]))
        pids = [int(pid) for pid in (await asyncio.to_thread(fifo.read_text)).split()]
        watched = [os.pidfd_open(pid) for pid in pids]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return watched

    watched = asyncio.run(cancelled())
    assert watched
    for descriptor in watched:
        assert select.select([descriptor], [], [], 10)[0], 'a process of the script lives on'
        os.close(descriptor)
