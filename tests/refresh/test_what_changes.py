"""What a refresh brings, and what it does when it fails."""

from __future__ import annotations

import asyncio
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext

from pydantic_ai_skills import (
    LocalSkillScriptExecutor,
    LocalSkillsRegistry,
    Skill,
    SkillsCapability,
    skill,
)

from ..support import Seen, collect, load, make_library, read, run, script, scripted, skill_text
from .helpers import PAIR, Counted, add, refreshed


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
