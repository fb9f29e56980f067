"""Many registries at once, and what Ctrl-C and cancellation leave behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from pydantic_ai_skills import GitSkillsRegistry, S3SkillsRegistry, SkillsCapability
from pydantic_ai_skills.registries import LocalSkillsRegistry, SkillRegistry, sync_all, sync_all_async
from pydantic_ai_skills.registries.work import Cancellation, SyncCancelled, check_cancelled, run_all

from .helpers import write_skill
from .servers import GitShim
from .test_git_faults import alive


@pytest.fixture
def silent() -> Iterator[int]:
    server = socket.create_server(('127.0.0.1', 0), backlog=16)
    yield server.getsockname()[1]
    server.close()


def silent_registries(port: int) -> list[SkillRegistry]:
    client = boto3.session.Session().client(
        's3',
        endpoint_url=f'http://127.0.0.1:{port}',
        region_name='us-east-1',
        aws_access_key_id='a',
        aws_secret_access_key='b',
        config=Config(connect_timeout=300, read_timeout=300),
    )
    git = GitSkillsRegistry(f'http://127.0.0.1:{port}/repo', timeout=300)
    return [git, S3SkillsRegistry('bucket', boto3_client=client), git.prefixed('x-')]


def wait_for(condition: Any) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_they_run_at_the_same_time(tmp_path: Path):
    barrier = threading.Barrier(4, timeout=30)

    class Meets(SkillRegistry):
        def sync(self) -> Path:
            barrier.wait()  # none gets past this unless all four are here
            return tmp_path

    registries = [Meets() for _ in range(4)]
    assert sync_all([*registries, registries[0]]) == [tmp_path] * 5


def test_progress_says_whose_it_is(tmp_path: Path):
    write_skill(tmp_path / 'one')
    view = LocalSkillsRegistry(tmp_path).prefixed('x-')
    events: list[tuple[str, int, int | None]] = []
    sync_all([view, LocalSkillsRegistry(tmp_path)], progress=lambda *event: events.append(event))
    assert events[-1] == (f'{view!r}: stage', 1, 1)


def test_ctrl_c_ends_it_at_once_and_leaves_no_process(silent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    registries = silent_registries(silent)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            sync_all(registries)
        except KeyboardInterrupt:
            os._exit(42)
        os._exit(1)
    wait_for(lambda: shim.pids)
    started = time.monotonic()
    os.kill(child, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert time.monotonic() - started < 20  # not the 300 s of either
    wait_for(lambda: not any(alive(pid) for pid in shim.pids))


def test_ctrl_c_in_a_single_sync(silent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    registry = silent_registries(silent)[0]
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            registry.sync()
        except KeyboardInterrupt:
            os._exit(42)
        os._exit(1)
    wait_for(lambda: shim.pids)
    os.kill(child, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    wait_for(lambda: not any(alive(pid) for pid in shim.pids))


def cancel_while_git_runs(work: Coroutine[Any, Any, object], shim: GitShim) -> None:
    """A caller that is cancelled while git runs goes on at once, and git ends."""

    async def main() -> None:
        task = asyncio.create_task(work)
        while not shim.pids:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    wait_for(lambda: not any(alive(pid) for pid in shim.pids))


def test_a_cancelled_task_goes_on_and_the_syncs_end(silent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cancel_while_git_runs(sync_all_async(silent_registries(silent)), GitShim(tmp_path / 'bin', monkeypatch))


def test_a_cancelled_construction_ends_its_syncs(silent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    creation = SkillsCapability.create(registries=silent_registries(silent))
    cancel_while_git_runs(creation, GitShim(tmp_path / 'bin', monkeypatch))


def test_sync_all_async(tmp_path: Path):
    write_skill(tmp_path / 'one')
    found = asyncio.run(sync_all_async([LocalSkillsRegistry(tmp_path), LocalSkillsRegistry(tmp_path / 'nope')]))
    assert found[0] == tmp_path and isinstance(found[1], ValueError)


def test_jobs_keep_their_order_and_fail_alone_or_together():
    def fails() -> int:
        raise KeyError('x')

    jobs = [lambda: 1, fails, lambda: 3]
    first, second, third = run_all(jobs, 2, fail_fast=False)
    assert (first, third) == (1, 3) and isinstance(second, KeyError)
    with pytest.raises(KeyError):
        run_all(jobs, 1, fail_fast=True)
    assert run_all([], 4, fail_fast=True) == []

    def ends() -> int:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run_all([ends, lambda: 1], 1, fail_fast=False)


def test_a_cancelled_batch_ends_those_inside_it():
    given_up, inside = Cancellation(), threading.Event()

    def waits() -> int:
        inside.set()
        while True:
            check_cancelled()
            time.sleep(0.01)

    def outer() -> int:
        return len(run_all([waits], 1, fail_fast=True))

    threading.Thread(target=lambda: (inside.wait(), given_up.set()), daemon=True).start()
    with pytest.raises(SyncCancelled), given_up.governing():
        run_all([outer], 1, fail_fast=False)
    check_cancelled()  # out here nothing is given up
