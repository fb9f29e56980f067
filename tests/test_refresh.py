"""`refresh()` and `refresh_every=`: a new snapshot for the runs that start after it (contract, section 2)."""

from __future__ import annotations

import asyncio
import shutil
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import PrefixTools, WrapperCapability

from pydantic_ai_skills import (
    LocalSkillScriptExecutor,
    LocalSkillsRegistry,
    Skill,
    SkillRegistry,
    SkillsCapability,
    skill,
)

from .support import Seen, arun, collect, load, make_library, read, run, script, scripted, skill_text

PAIR = ['read_skill_resource', 'run_skill_script']


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': 'print("x ran")'}
    return make_library(tmp_path / 'library', {**files, 'two/SKILL.md': skill_text('two')})


def add(library: Path, name: str, body: str = 'Do it.', **files: str) -> None:
    make_library(library / name, {'SKILL.md': skill_text(name, body=body), **files})


class Counted(SkillRegistry):
    """A library whose syncs are counted, and can be held up and made to fail."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.syncs = 0
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.error: BaseException | None = None

    def sync(self) -> Path:
        self.syncs += 1
        self.begun.set()
        assert self.go_on.wait(30)
        if self.error is not None:
            raise self.error
        return self.path


@pytest.fixture
def registry(library: Path) -> Counted:
    return Counted(library)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the time that refreshes go by."""
    now = [1_000.0]
    monkeypatch.setattr('pydantic_ai_skills.state.time.monotonic', lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


def refreshed(capability: SkillsCapability[Any]) -> bool:
    return asyncio.run(capability.refresh())


def test_nothing_has_changed(library: Path) -> None:
    capability = SkillsCapability(library)
    assert run(capability, [load(), read('a.md')]).last == 'ALPHA'
    before = dict(capability.packages)
    assert refreshed(capability) is False
    assert all(capability.packages[name] is package for name, package in before.items())


def test_new_changed_and_removed_skills_appear_in_the_next_run(library: Path) -> None:
    capability = SkillsCapability(library)
    assert run(capability).skills() == ['demo', 'two']
    add(library, 'new', 'NEW BODY', **{'n.md': 'NEW FILE'})
    (library / 'demo/SKILL.md').write_text(skill_text(description='Says other things.', body='OTHER BODY'))
    shutil.rmtree(library / 'two')
    assert run(capability).skills() == ['demo', 'two']
    assert refreshed(capability) is True
    assert capability.skill_names == ['demo', 'new']
    seen = run(capability, [load('new'), load(), read('n.md', 'new')])
    assert seen.skills() == ['demo', 'new']
    assert 'Says other things.' in seen.catalogs[0]
    assert 'NEW BODY' in seen.everything
    assert 'OTHER BODY' in seen.everything
    assert seen.last == 'NEW FILE'
    assert refreshed(capability) is False


def test_a_list_of_files_is_kept_until_a_refresh(library: Path) -> None:
    capability = SkillsCapability(library)
    assert run(capability, [load(), read('a.md')]).last == 'ALPHA'
    make_library(library, {'demo/b.md': 'BETA', 'demo/a.md': 'LIVE'})
    seen = run(capability, [load(), read('b.md'), read('a.md')])
    assert "no file 'b.md'" in seen.answers[1]
    assert seen.last == 'LIVE'
    assert refreshed(capability) is True
    seen = run(capability, [load(), read('b.md')])
    assert '- b.md' in seen.everything
    assert seen.last == 'BETA'


def test_the_first_file_of_all(tmp_path: Path) -> None:
    """The tools come with it, also for an agent that was made before."""
    library = make_library(tmp_path, {'bare/SKILL.md': skill_text('bare')})
    capability = SkillsCapability(library)
    seens = [Seen(), Seen()]
    agent: Agent[None, str] = Agent(capabilities=[capability])

    async def main() -> None:
        await agent.run('go', model=scripted([], seens[0]))
        make_library(library, {'bare/b.md': 'BETA', 'bare/go.sh': 'echo gone'})
        assert await capability.refresh()
        steps = [load('bare'), read('b.md', 'bare'), script('go.sh', skill='bare')]
        collect(seens[1], (await agent.run('go', model=scripted(steps, seens[1]))).all_messages())

    asyncio.run(main())
    assert seens[0].tools == [['load_capability']]
    assert seens[1].tools[0] == ['load_capability', *PAIR]
    assert seens[1].answers[1:] == ['BETA', 'gone']


def test_the_first_skill_of_all(tmp_path: Path) -> None:
    capability = SkillsCapability(tmp_path / 'later', missing_directories='skip')
    assert run(capability).tools == [[]]
    add(tmp_path / 'later', 'new', **{'n.md': 'NEW FILE'})
    assert refreshed(capability)
    seen = run(capability, [load('new'), read('n.md', 'new')])
    assert (seen.skills(), seen.tools[0], seen.last) == (
        ['new'],
        ['load_capability', 'read_skill_resource'],
        'NEW FILE',
    )


def test_a_run_in_progress_is_never_mixed(library: Path) -> None:
    capability = SkillsCapability(library)
    seens = [Seen(), Seen()]

    async def swap() -> str:
        """Between two steps of the run, everything changes."""
        (library / 'demo/SKILL.md').write_text(skill_text(description='Says other things.', body='OTHER BODY'))
        make_library(library, {'demo/b.md': 'BETA'})
        (library / 'demo/a.md').unlink()
        shutil.rmtree(library / 'two')
        add(library, 'new')
        assert await capability.refresh()
        return 'swapped'

    async def main() -> None:
        agent = Agent(capabilities=[capability], tools=[swap])
        steps = [load('two'), [('swap', {})], load(), read('b.md'), read('a.md'), load('new')]
        collect(seens[0], (await agent.run('go', model=scripted(steps, seens[0]))).all_messages())
        collect(seens[1], (await agent.run('go', model=scripted([load()], seens[1]))).all_messages())

    asyncio.run(main())
    old, new = seens
    assert [old.skills(number) for number in range(7)] == [['demo', 'two']] * 7
    assert 'Says other things.' not in ''.join(old.catalogs)
    assert ('Do it.' in old.everything, 'OTHER BODY' in old.everything) == (True, False)
    assert "No capability found with id 'new'" in str(old.answers[-1])
    assert new.skills() == ['demo', 'new']
    assert 'OTHER BODY' in new.everything


def test_a_loaded_skill_that_is_gone_gives_the_model_a_sentence(library: Path) -> None:
    make_library(library, {'two/t.md': 'TWO', 'two/t.sh': 'echo two'})
    capability = SkillsCapability(library)
    history = run(capability, [load()]).result.all_messages()
    shutil.rmtree(library / 'demo')
    assert refreshed(capability)
    steps = [*[read('a.md'), script('x.py')] * 3, load('two'), read('t.md', 'two')]
    seen = run(capability, steps, message_history=history, agent={'retries': 0})
    gone = "The skill 'demo' is not available any more, and neither are its files. Go on without it."
    assert seen.answers[-8:-2] == [gone] * 6  # no retry is counted, which would end the run
    assert seen.last == 'TWO'


def test_a_folder_that_is_gone_without_a_refresh(library: Path) -> None:
    capability = SkillsCapability(library)
    assert capability.get_toolset() is not None
    shutil.rmtree(library / 'demo')
    seen = run(capability, [load(), read('a.md'), script('x.py'), read('a.md')], agent={'retries': 0})
    gone = "The files of the skill 'demo' cannot be listed (no such file or directory). Go on without them."
    assert seen.answers[1:] == [gone] * 3


def test_a_failure_warns_and_keeps_the_old(registry: Counted) -> None:
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    registry.error = RuntimeError('the remote is down')
    with pytest.warns(UserWarning, match='could not be refreshed, those of before stay: the remote is down'):
        assert refreshed(capability) is False
    assert run(capability, [load(), read('a.md')]).last == 'ALPHA'
    registry.error = None
    add(registry.path, 'new')
    assert refreshed(capability) is True


def test_a_library_that_is_gone_is_a_failure(library: Path) -> None:
    capability = SkillsCapability(library)
    library.rename(library.with_name('away'))
    with pytest.warns(UserWarning, match='could not be refreshed'):
        assert refreshed(capability) is False
    assert run(capability).skills() == ['demo', 'two']


def test_an_included_skill_that_is_gone_is_removed(library: Path) -> None:
    """At construction its name would be a mistake; later it is what happens to skills."""
    capability = SkillsCapability(library, include=['demo', 'two'])
    shutil.rmtree(library / 'two')
    assert refreshed(capability) is True
    assert capability.skill_names == ['demo']
    add(library, 'two')
    add(library, 'other')
    assert refreshed(capability) is True
    assert capability.skill_names == ['demo', 'two']


def test_findings_are_told_once(library: Path) -> None:
    make_library(library, {'broken/SKILL.md': 'no frontmatter'})
    with pytest.warns(UserWarning, match='broken'):
        capability = SkillsCapability(library)
    add(library, 'new')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert refreshed(capability) is True
    make_library(library, {'worse/SKILL.md': 'no frontmatter either'})
    with pytest.warns(UserWarning, match='worse') as told:
        assert refreshed(capability) is True
    assert len(told) == 1
    assert len([found for found in capability.diagnostics if found.severity == 'error']) == 2


def test_where_warnings_are_errors_the_new_snapshot_is_in_place(library: Path) -> None:
    capability = SkillsCapability(library)
    add(library, 'new')
    make_library(library, {'broken/SKILL.md': 'no frontmatter'})
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(UserWarning, match='broken'):
            refreshed(capability)
    assert capability.skill_names == ['demo', 'new', 'two']


def test_skills_in_python_are_made_anew() -> None:
    texts = ['first', 'second']

    @skill
    def tips() -> str:
        """Gives tips."""
        return texts[0]

    bank = Skill('bank', 'Pays.')
    capability = SkillsCapability(skills=[tips, bank])
    assert refreshed(capability) is False
    texts.pop(0)

    @bank.script
    def pay() -> str:
        """Pay."""
        return 'paid'

    assert refreshed(capability) is True
    seen = run(capability, [load('tips'), load('bank'), script('pay', skill='bank')])
    assert 'second' in seen.everything
    assert seen.last == 'paid'


ARRANGEMENTS: dict[str, Callable[[SkillsCapability[Any]], list[Any]]] = {
    'direct': lambda capability: [capability],
    'prefixed': lambda capability: [PrefixTools(wrapped=capability, prefix='ns')],
    'wrapped': lambda capability: [WrapperCapability(wrapped=WrapperCapability(wrapped=capability))],
    'function': lambda capability: [lambda ctx: capability],
}


@pytest.mark.parametrize('where', [*ARRANGEMENTS, 'two', 'two with ids'])
def test_every_agent_that_has_the_capability_sees_it(library: Path, tmp_path: Path, where: str) -> None:
    ids = ('a', 'b') if where == 'two with ids' else (None, None)
    capability = SkillsCapability(library, id=ids[0])
    others = make_library(tmp_path / 'others', {'other/SKILL.md': skill_text('other'), 'other/o.md': 'OTHER'})
    other = SkillsCapability(others, id=ids[1])
    given = ARRANGEMENTS[where](capability) if where in ARRANGEMENTS else [capability, other]
    seens = [Seen() for _ in range(4)]
    agents: list[Agent[None, str]] = [Agent(capabilities=given), Agent(capabilities=given)]
    tool = 'ns_read_skill_resource' if where == 'prefixed' else 'read_skill_resource'

    async def main() -> None:
        for agent, seen in zip(agents, seens[:2], strict=True):
            await agent.run('go', model=scripted([], seen))
        add(library, 'new', **{'n.md': 'NEW FILE'})
        assert await capability.refresh()
        for agent, seen in zip(agents, seens[2:], strict=True):
            steps = [load('new'), read('n.md', 'new', tool=tool)]
            collect(seen, (await agent.run('go', model=scripted(steps, seen))).all_messages())

    asyncio.run(main())
    more = [] if where in ARRANGEMENTS else ['other']
    assert [seen.skills() for seen in seens] == [['demo', *more, 'two']] * 2 + [['demo', 'new', *more, 'two']] * 2
    assert [seen.last for seen in seens[2:]] == ['NEW FILE'] * 2
    assert all(len(seen.tools[0]) == 3 for seen in seens)


def test_a_capability_of_a_run_sees_it_too(library: Path) -> None:
    capability = SkillsCapability(library, id='b')
    assert run([], capabilities=[capability]).skills() == ['demo', 'two']
    add(library, 'new')
    assert refreshed(capability)
    assert run([], capabilities=[capability]).skills() == ['demo', 'new', 'two']


def test_a_name_that_the_later_capability_gains_and_loses(library: Path, tmp_path: Path) -> None:
    others = make_library(tmp_path / 'others', {'other/SKILL.md': skill_text('other')})
    earlier, later = SkillsCapability(library), SkillsCapability(others)
    agent: Agent[None, str] = Agent(capabilities=[earlier, later])
    answers: list[str] = []

    async def once() -> None:
        seen = Seen()
        collect(seen, (await agent.run('go', model=scripted([load(), read('a.md')], seen))).all_messages())
        answers.append(seen.last)

    async def main() -> None:
        await once()
        make_library(others, {'demo/SKILL.md': skill_text(), 'demo/a.md': 'RIVAL'})
        assert await later.refresh()
        with pytest.warns(UserWarning, match="'demo'"):
            await once()
        shutil.rmtree(others / 'demo')
        assert await later.refresh()
        await once()

    asyncio.run(main())
    assert answers == ['ALPHA', 'RIVAL', 'ALPHA']


def test_a_name_that_the_later_capability_had_when_the_agent_was_made(library: Path, tmp_path: Path) -> None:
    others = make_library(tmp_path / 'others', {'demo/SKILL.md': skill_text(), 'demo/a.md': 'RIVAL'})
    earlier, later = SkillsCapability(library, include=['demo']), SkillsCapability(others)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        agent: Agent[None, str] = Agent(capabilities=[earlier, later])
    shutil.rmtree(others / 'demo')
    assert refreshed(later)
    seen = Seen()
    result = agent.run_sync('go', model=scripted([load(), read('a.md')], seen))
    collect(seen, result.all_messages())
    assert (seen.skills(), seen.last) == (['demo'], 'ALPHA')


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


def test_select_sees_what_a_refresh_brought(library: Path) -> None:
    asked: list[str] = []

    def choose(ctx: RunContext[Any], info: Any) -> bool:
        asked.append(info.name)
        return info.name != 'demo'

    capability = SkillsCapability(library, select=choose)
    assert run(capability).skills() == ['two']
    add(library, 'new')
    assert refreshed(capability)
    asked.clear()
    assert run(capability).skills() == ['new', 'two']
    assert sorted(asked) == ['demo', 'new', 'two']


def test_a_registry_that_copies_a_tree(library: Path) -> None:
    capability = SkillsCapability(
        registries=[LocalSkillsRegistry(library, layout='tree')], script_executor=LocalSkillScriptExecutor()
    )
    make_library(library / 'deep/deeper', {'new/SKILL.md': skill_text('new'), 'new/n.md': 'NEW FILE'})
    assert refreshed(capability) is True
    assert run(capability, [load('new'), read('n.md', 'new')]).last == 'NEW FILE'
