"""Every agent and run that has the capability."""

from __future__ import annotations

import asyncio
import shutil
import warnings
from pathlib import Path

import pytest
from pydantic_ai import Agent

from pydantic_ai_skills import (
    SkillsCapability,
)

from ..support import Seen, collect, load, make_library, read, run, scripted, skill_text
from .helpers import ARRANGEMENTS, add, refreshed


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
