"""The snapshot: shared by every copy of a capability, renewed in one step, and what is said when skills replace another."""

from __future__ import annotations

import asyncio
import threading
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from pydantic_ai_skills import Skill, SkillRegistry, SkillsCapability
from pydantic_ai_skills import state as state_module

from .support import Seen, arun, collect, load, make_library, read, run, scripted, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(),
    'demo/a.md': 'ALPHA',
    'two/SKILL.md': skill_text('two'),
    'two/b.md': 'BETA',
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', FILES)


def refresh(made: SkillsCapability[Any]) -> bool:
    return asyncio.run(made.refresh())


class TestRefresh:
    def test_nothing_changed(self, library: Path) -> None:
        made = SkillsCapability(library)
        run(made, [load(), read('a.md')])
        snapshot, package = made._state.snapshot, made.packages['demo']
        assert refresh(made) is False
        assert made._state.snapshot is snapshot and made.packages['demo'] is package

    @pytest.mark.parametrize('change', ['body', 'description', 'new', 'gone', 'more files', 'broken'])
    def test_what_counts_as_a_change(self, library: Path, change: str) -> None:
        made = SkillsCapability(library)
        run(made, [load(), read('a.md')])
        files: dict[str, dict[str, str | bytes]] = {
            'body': {'demo/SKILL.md': skill_text(body='Now.')},
            'description': {'demo/SKILL.md': skill_text(description='Now.')},
            'new': {'new/SKILL.md': skill_text('new')},
            'more files': {'demo/late.md': 'LATE'},
            'broken': {'broken/SKILL.md': 'x'},
        }
        if change == 'gone':
            (library / 'two/SKILL.md').unlink()
        make_library(library, files.get(change, {}))
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            assert refresh(made) is True
        seen = run(made, [load()])
        assert {'new': 'new' in seen.skills(), 'gone': seen.skills() == ['demo']}.get(
            change, seen.skills() == ['demo', 'two']
        )
        assert {'body': 'Now.', 'description': 'Now.', 'more files': '- late.md'}.get(change, '') in seen.everything

    def test_files_of_a_skill_that_was_never_looked_at_are_no_change(self, library: Path) -> None:
        made = SkillsCapability(library)
        make_library(library, {'demo/late.md': 'LATE'})
        assert refresh(made) is False
        assert '- late.md' in run(made, [load()]).everything

    def test_every_agent_that_has_it_sees_it(self, library: Path) -> None:
        made = SkillsCapability(library)
        seen = Seen()
        agent = Agent(scripted([], seen), capabilities=[made])
        agent.run_sync('go')
        make_library(library, {'new/SKILL.md': skill_text('new')})
        refresh(made)
        agent.run_sync('go')
        assert (seen.skills(0), seen.skills(1)) == (['demo', 'two'], ['demo', 'new', 'two'])

    def test_a_run_keeps_the_snapshot_it_began_with(self, library: Path) -> None:
        made = SkillsCapability(library, skills=[pause := Skill('pause', 'Waits.')], require_loaded=False)

        @pause.script
        async def change() -> bool:
            make_library(library, {'demo/SKILL.md': skill_text(body='Now.'), 'new/SKILL.md': skill_text('new')})
            return await made.refresh()

        steps = [[('run_skill_script', {'skill_name': 'pause', 'script_name': 'change'})], load(), load('new')]
        seen = run(made, steps)
        assert seen.answers[0] is True
        assert all(seen.skills(request) == ['demo', 'pause', 'two'] for request in range(4))
        assert 'Now.' not in seen.everything and 'new' in run(made).skills()

    @pytest.mark.parametrize('fault', ['gone', 'registry'])
    def test_a_failure_keeps_what_was(self, library: Path, fault: str) -> None:
        class Flaky(SkillRegistry):
            fails = False

            def sync(self) -> Path:
                if self.fails:
                    raise RuntimeError('the network is down')
                return library

        registry = Flaky()
        made = SkillsCapability(library) if fault == 'gone' else SkillsCapability(registries=[registry], scripts=False)
        if fault == 'gone':
            library.rename(library.parent / 'away')
        registry.fails = True
        with pytest.warns(
            UserWarning, match='could not be refreshed, those of before stay: .*(network is down|not exist)'
        ) as told:
            assert refresh(made) is False
        assert len(told) == 1 and made.skill_names == ['demo', 'two']

    def test_new_findings_are_said_once(self, library: Path) -> None:
        made = SkillsCapability(library)
        make_library(library, {'broken/SKILL.md': 'x'})
        with pytest.warns(UserWarning, match='broken') as told:
            assert refresh(made) is True
        # Others may speak here too: what an earlier test left open is found by the garbage collector at any time.
        assert len([item for item in told if 'broken' in str(item.message)]) == 1 and len(made.diagnostics) == 1
        with warnings.catch_warnings():
            warnings.simplefilter('error', UserWarning)
            assert refresh(made) is False

    def test_it_leaves_the_event_loop_alone(self, library: Path) -> None:
        threads: list[threading.Thread] = []

        class Watching(SkillRegistry):
            def sync(self) -> Path:
                threads.append(threading.current_thread())
                return library

        made = SkillsCapability(registries=[Watching()], scripts=False)
        refresh(made)
        assert len(threads) == 2 and threads[1] is not threading.main_thread()

    def test_a_visited_copy_follows_it(self, library: Path) -> None:
        made = SkillsCapability(library)
        changed = made.visit_and_replace(lambda item: None if item.id == 'demo' else item)
        assert isinstance(changed, SkillsCapability)
        make_library(library, {'new/SKILL.md': skill_text('new')})
        assert refresh(made) is True
        assert (changed.skill_names, made.skill_names) == (['new', 'two'], ['demo', 'new', 'two'])


class TestRefreshEvery:
    @pytest.mark.parametrize('value', [0, -1, float('nan'), float('inf'), timedelta(0)])
    def test_values(self, library: Path, value: Any) -> None:
        with pytest.raises(ValueError, match='refresh_every must be a positive duration'):
            SkillsCapability(library, refresh_every=value)

    @pytest.mark.parametrize('value', ['5', True, [1]])
    def test_types(self, library: Path, value: Any) -> None:
        with pytest.raises(TypeError, match='refresh_every must be a number of seconds'):
            SkillsCapability(library, refresh_every=value)

    def test_one_refresh_for_all_runs_that_wait(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        syncs: list[int] = []
        gate = threading.Event()

        class Watching(SkillRegistry):
            def sync(self) -> Path:
                syncs.append(1)
                assert len(syncs) == 1 or gate.wait(30)
                return library

        made = SkillsCapability(registries=[Watching()], scripts=False, refresh_every=timedelta(hours=1))
        assert run(made).skills() == ['demo', 'two'] and len(syncs) == 1
        make_library(library, {'new/SKILL.md': skill_text('new')})
        clock = state_module.time.monotonic() + 3601
        monkeypatch.setattr(state_module.time, 'monotonic', lambda: clock)

        async def main() -> list[Seen]:
            runs = [asyncio.create_task(arun(made)) for _ in range(3)]
            while len(syncs) < 2:
                await asyncio.sleep(0)
            gate.set()
            return await asyncio.gather(*runs)

        assert [seen.skills() for seen in asyncio.run(main())] == [['demo', 'new', 'two']] * 3
        assert len(syncs) == 2
        assert run(made).skills() == ['demo', 'new', 'two'] and len(syncs) == 2

    def test_a_failed_one_does_not_end_the_run(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made = SkillsCapability(library, refresh_every=60)
        library.rename(library.parent / 'away')
        clock = state_module.time.monotonic() + 61
        monkeypatch.setattr(state_module.time, 'monotonic', lambda: clock)
        seen = run(made)
        assert seen.skills() == ['demo', 'two'] and len([text for text in seen.warnings if 'refreshed' in text]) == 1
        assert run(made).warnings == [], 'and not again until it is too old again'

    def test_a_cancelled_run_does_not_stop_it_for_others(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        gate, entered = threading.Event(), threading.Event()

        class Slow(SkillRegistry):
            def sync(self) -> Path:
                if gate_on[0]:
                    entered.set()
                    assert gate.wait(30)
                return library

        gate_on = [False]
        made = SkillsCapability(registries=[Slow()], scripts=False, refresh_every=60)
        make_library(library, {'new/SKILL.md': skill_text('new')})
        gate_on[0] = True
        clock = state_module.time.monotonic() + 61
        monkeypatch.setattr(state_module.time, 'monotonic', lambda: clock)

        async def main() -> Seen:
            first = asyncio.create_task(arun(made))
            while not entered.is_set():
                await asyncio.sleep(0)
            second = asyncio.create_task(arun(made))
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            gate.set()
            return await second

        assert asyncio.run(main()).skills() == ['demo', 'new', 'two']


class TestSelect:
    def test_asked_for_each_skill_of_each_run(self, library: Path) -> None:
        asked: list[tuple[Any, str]] = []

        def choose(ctx: Any, info: Any) -> bool:
            asked.append((ctx.deps, info.name))
            return ctx.deps == 'all' or info.name == 'two'

        made = SkillsCapability(library, select=choose)
        agent = Agent(
            scripted([load(), load('two'), read('b.md', 'two'), read('a.md')], seen := Seen()),
            capabilities=[made],
            deps_type=str,
            retries=3,
        )
        collect(seen, agent.run_sync('go', deps='some').all_messages())
        assert asked == [('some', 'demo'), ('some', 'two')]
        assert seen.skills() == ['two'] and seen.answers[2] == 'BETA' and 'ALPHA' not in seen.everything
        assert seen.last == "There is no skill 'demo'. The skills are: two."
        agent = Agent(scripted([], again := Seen()), capabilities=[made], deps_type=str)
        agent.run_sync('go', deps='all')
        assert again.skills() == ['demo', 'two'] and len(asked) == 4

    def test_async(self, library: Path) -> None:
        async def choose(ctx: Any, info: Any) -> bool:
            await asyncio.sleep(0)
            return info.name == 'demo'

        assert run(SkillsCapability(library, select=choose)).skills() == ['demo']

    def test_nothing_selected(self, library: Path) -> None:
        seen = run(SkillsCapability(library, select=lambda ctx, info: False))
        assert (seen.skills(), seen.tools) == ([], [[]])

    def test_what_it_raises_ends_the_run(self, library: Path) -> None:
        def choose(ctx: Any, info: Any) -> bool:
            raise PermissionError('who are you')

        with pytest.raises(PermissionError, match='who are you'):
            run(SkillsCapability(library, select=choose))

    def test_a_mistake(self, library: Path) -> None:
        with pytest.raises(TypeError, match='select must be a function'):
            SkillsCapability(library, select='demo')  # type: ignore[arg-type]


class TestReplaced:
    @pytest.fixture
    def rival(self, tmp_path: Path) -> Path:
        return make_library(tmp_path / 'rival', {'demo/SKILL.md': skill_text(description='The rival.')})

    def test_said_once_for_an_agent(self, library: Path, rival: Path) -> None:
        agent = Agent(scripted([], Seen()), capabilities=[SkillsCapability(library)])
        added = SkillsCapability(rival, id='b')
        for expected in (1, 0, 0):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                agent.run_sync('go', capabilities=[added])
            assert len([item for item in caught if item.category is UserWarning]) == expected

    def test_equal_packages_are_compared_once(
        self, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from pydantic_ai_skills import info

        copy = make_library(tmp_path / 'copy', FILES)
        digests: list[Path] = []
        digest = info.package_digest
        monkeypatch.setattr(
            info, 'package_digest', lambda directory, boundary: digests.append(directory) or digest(directory, boundary)
        )
        agent = Agent(scripted([], Seen()), capabilities=[SkillsCapability(library), SkillsCapability(copy)])
        for _ in range(3):
            with warnings.catch_warnings():
                warnings.simplefilter('error', UserWarning)
                agent.run_sync('go')
        assert len(digests) == 4, 'two skills, two packages each'

    def test_python_skills_are_compared_by_themselves(self) -> None:
        one, other = Skill('x', 'One.'), Skill('x', 'Other.')
        assert run([SkillsCapability(skills=[one]), SkillsCapability(skills=[one])]).skills() == ['x']
        seen = run([SkillsCapability(skills=[one]), SkillsCapability(skills=[other])])
        assert 'Other.' in seen.catalogs[0] and len([text for text in seen.warnings if "'x'" in text]) == 1
