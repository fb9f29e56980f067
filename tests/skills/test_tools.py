"""Tools that a skill brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import FunctionToolset, RunContext, Tool

from pydantic_ai_skills import Skill, SkillsCapability

from ..support import load, make_library, read, run, skill_text
from .helpers import Deps, convert


class TestTools:
    def exchange(self) -> Skill:
        more = FunctionToolset[Any]([Tool(lambda: 'rates', name='rates', description='Rates.')], id='rates')
        return Skill('demo', 'D.', tools=[convert, Tool(convert, name='convert_again')], toolsets=[more])

    def test_they_exist_only_while_the_skill_is_loaded(self) -> None:
        seen = run(
            SkillsCapability(skills=[self.exchange(), Skill('other', 'O.')]),
            [load('other'), load(), [('convert', {'amount': 2})], [('rates', {})], [('convert_again', {'amount': 3})]],
        )
        mine = ['convert', 'convert_again', 'rates']
        assert seen.tools[:2] == [['load_capability']] * 2
        assert seen.tools[2:] == [sorted(['load_capability', *mine])] * 4
        assert seen.answers[2:] == ['2 converted', 'rates', '3 converted']

    def test_calling_one_before_loading_is_refused(self) -> None:
        seen = run(
            SkillsCapability(skills=[self.exchange()]),
            [[('convert', {'amount': 2})], load(), [('convert', {'amount': 2})]],
        )
        assert '2 converted' not in str(seen.answers[0])
        assert seen.last == '2 converted'

    def test_the_tools_are_those_of_the_skill_that_is_used(self) -> None:
        mine = Skill('demo', 'Mine.', tools=[convert])
        theirs = Skill('demo', 'Theirs.', tools=[Tool(lambda: 'theirs', name='theirs', description='T.')])
        with pytest.warns(UserWarning):
            one_capability = SkillsCapability(skills=[mine, theirs])
        for given in (one_capability, [SkillsCapability(skills=[mine]), SkillsCapability(skills=[theirs])]):
            assert run(given, [load()]).tools[-1] == ['load_capability', 'theirs']
        seen = run(SkillsCapability(skills=[mine]), [load()], capabilities=[SkillsCapability(skills=[theirs], id='b')])
        assert seen.tools[-1] == ['load_capability', 'theirs']

    def test_an_excluded_skill_brings_none(self) -> None:
        made = SkillsCapability(skills=[self.exchange(), Skill('other', 'O.')], exclude=['demo'])
        assert run(made, [load('other')]).tools[-1] == ['load_capability']

    def test_beside_files_from_disk(self, tmp_path: Path) -> None:
        library = make_library(tmp_path, {'disk/SKILL.md': skill_text('disk'), 'disk/a.md': 'A'})
        seen = run(SkillsCapability(library, skills=[self.exchange()]), [load(), load('disk'), read('a.md', 'disk')])
        assert (seen.last, 'convert' in seen.tools[-1]) == ('A', True)

    def test_a_tool_that_takes_the_context(self) -> None:
        def mine(ctx: RunContext[Deps]) -> str:
            """Say whose."""
            return ctx.deps.user

        made = SkillsCapability(skills=[Skill('demo', 'D.', tools=[mine])])
        assert run(made, [load(), [('mine', {})]], agent={'deps_type': Deps}, deps=Deps('ann')).last == 'ann'
