"""What runs leave behind in this process and on disk, in short; `scripts/bench executors` does it 10,000 times."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend

from pydantic_ai_skills.executors import BubblewrapScriptExecutor, LocalSkillScriptExecutor, WorkspaceScriptExecutor

from .test_bubblewrap import can_sandbox

MAKERS: dict[str, Callable[[Path], Any]] = {
    'local': lambda folder: LocalSkillScriptExecutor(timeout=5),
    'workspace': lambda folder: WorkspaceScriptExecutor(LocalWorkspaceBackend(folder), timeout=5),
    'sandbox': lambda folder: BubblewrapScriptExecutor(timeout=5),
}


@pytest.mark.parametrize('kind', MAKERS)
def test_no_descriptor_process_or_file(
    package: Any, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == 'sandbox' and not can_sandbox():
        pytest.skip('needs bubblewrap (apt install bubblewrap) and user namespaces')
    scratch, workspace = tmp_path / 'scratch', tmp_path / 'workspace'
    scratch.mkdir()
    workspace.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(scratch))
    executor = MAKERS[kind](workspace)
    good = package.script('x.sh', 'cat', executor=executor)
    bad = package.script('y.sh', 'exit 3', executor=executor)
    missing = package.script('z', '#!/nonexistent/x', 0o755, executor=executor)

    async def some() -> None:
        assert await good.run(None, stdin='in') == 'in'
        assert await bad.run(None) == 'Script exited with code 3'
        assert 'needs /nonexistent/x' in await missing.run(None)

    async def counted() -> tuple[int, int]:
        await some()
        before = len(os.listdir('/proc/self/fd'))
        for _ in range(5):
            await some()
        return before, len(os.listdir('/proc/self/fd'))

    before, after = asyncio.run(counted())
    assert after <= before
    assert list(scratch.iterdir()) == []
    assert [path.name for path in workspace.glob('.skills/.run*')] == []
    children = Path(f'/proc/self/task/{os.getpid()}/children')
    assert not children.exists() or children.read_text().split() == []
