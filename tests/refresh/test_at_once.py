"""Several refreshes, runs and event loops at once, and refreshes by age."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from pydantic_ai_skills import (
    LocalSkillScriptExecutor,
    SkillsCapability,
)

from ..support import Seen, arun, load, read, run
from .helpers import ARRANGEMENTS, Counted, add, refreshed


def test_callers_at_once_share_a_refresh(registry: Counted) -> None:
    """Those who ask while one runs share the next: the one that runs may have passed what they have changed."""
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    assert registry.syncs == 1

    async def main() -> list[bool]:
        registry.go_on.clear()
        registry.begun.clear()
        first = asyncio.ensure_future(capability.refresh())
        await asyncio.to_thread(registry.begun.wait, 30)
        add(registry.path, 'new')
        others = [asyncio.ensure_future(capability.refresh()) for _ in range(200)]
        await asyncio.sleep(0)
        registry.go_on.set()
        return [await first, *await asyncio.gather(*others)]

    first, *others = asyncio.run(main())
    assert registry.syncs == 3
    assert set(others) == ({False} if first else {True})
    assert capability.skill_names == ['demo', 'new', 'two']


def test_a_caller_that_is_cancelled_stops_nobody_else(registry: Counted) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    add(registry.path, 'new')

    async def main() -> bool:
        registry.go_on.clear()
        registry.begun.clear()
        first, second = asyncio.ensure_future(capability.refresh()), asyncio.ensure_future(capability.refresh())
        await asyncio.to_thread(registry.begun.wait, 30)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        registry.go_on.set()
        return await second

    asyncio.run(main())
    assert capability.skill_names == ['demo', 'new', 'two']


def test_agents_go_on_with_the_old_snapshot_meanwhile(registry: Counted) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    add(registry.path, 'new')

    async def main() -> tuple[Seen, Seen]:
        registry.go_on.clear()
        registry.begun.clear()
        refresh = asyncio.ensure_future(capability.refresh())
        await asyncio.to_thread(registry.begun.wait, 30)
        during = await arun(capability, [load(), read('a.md')])
        registry.go_on.set()
        assert await refresh
        return during, await arun(capability)

    during, after = asyncio.run(main())
    assert (during.skills(), during.last) == (['demo', 'two'], 'ALPHA')
    assert after.skills() == ['demo', 'new', 'two']


def test_from_several_event_loops_at_once(registry: Counted) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    add(registry.path, 'new')
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(refreshed(capability))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == 8 and True in results
    assert capability.skill_names == ['demo', 'new', 'two']


def test_refresh_every(registry: Counted, clock: Callable[[float], None]) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor(), refresh_every=60)
    add(registry.path, 'new')
    clock(59)
    assert (run(capability).skills(), registry.syncs) == (['demo', 'two'], 1)
    clock(1)
    assert (run(capability).skills(), registry.syncs) == (['demo', 'new', 'two'], 2)
    clock(59)
    assert (run(capability).skills(), registry.syncs) == (['demo', 'new', 'two'], 2)
    clock(1)
    refreshed(capability)
    assert (run(capability).skills(), registry.syncs) == (['demo', 'new', 'two'], 3)


def test_runs_that_start_at_once_wait_for_one_refresh(registry: Counted, clock: Callable[[float], None]) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor(), refresh_every=60)
    add(registry.path, 'new')
    clock(61)

    async def main() -> list[Seen]:
        registry.go_on.clear()
        registry.begun.clear()
        runs = [asyncio.ensure_future(arun(capability)) for _ in range(20)]
        await asyncio.to_thread(registry.begun.wait, 30)
        registry.go_on.set()
        return await asyncio.gather(*runs)

    assert [seen.skills() for seen in asyncio.run(main())] == [['demo', 'new', 'two']] * 20
    assert registry.syncs == 2


def test_a_refresh_that_fails_is_not_tried_again_at_once(registry: Counted, clock: Callable[[float], None]) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor(), refresh_every=60)
    registry.error = RuntimeError('down')
    clock(61)
    first = run(capability)
    assert first.skills() == ['demo', 'two']
    assert [text for text in first.warnings if 'could not be refreshed' in text]
    assert (run(capability).warnings, registry.syncs) == ([], 2)


def test_a_run_that_is_cancelled_while_it_waits(registry: Counted, clock: Callable[[float], None]) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor(), refresh_every=60)
    add(registry.path, 'new')
    clock(61)

    async def main() -> Seen:
        registry.go_on.clear()
        registry.begun.clear()
        waiting = asyncio.ensure_future(arun(capability))
        await asyncio.to_thread(registry.begun.wait, 30)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        other = asyncio.ensure_future(arun(capability))
        registry.go_on.set()
        return await other

    assert asyncio.run(main()).skills() == ['demo', 'new', 'two']
    assert registry.syncs == 2


@pytest.mark.parametrize('where', ARRANGEMENTS)
def test_refresh_every_in_every_arrangement(registry: Counted, clock: Callable[[float], None], where: str) -> None:
    given = ARRANGEMENTS[where](
        SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor(), refresh_every=60)
    )
    assert run(given).skills() == ['demo', 'two']
    add(registry.path, 'new')
    clock(61)
    assert run(given).skills() == ['demo', 'new', 'two']
