"""A function that becomes a skill."""

from __future__ import annotations

import pytest
from pydantic_ai import RunContext

from pydantic_ai_skills import SkillResource, SkillsCapability, SkillScript, SkillWrapper, skill

from ..support import load, read, run, script
from .helpers import Deps, loaded


class TestWrapper:
    def test_bare(self) -> None:
        @skill
        def code_review() -> str:
            """Reviews a change for bugs."""
            return 'Read it all first.'

        assert isinstance(code_review, SkillWrapper) and repr(code_review) == "SkillWrapper('code-review')"
        assert (code_review.name, code_review.description) == ('code-review', 'Reviews a change for bugs.')
        assert code_review() == 'Read it all first.'
        assert loaded(code_review, 'code-review') == '# Skill: code-review\n\nRead it all first.'

    def test_with_options(self) -> None:
        @skill(
            name='mine', description='Mine.', license='MIT', compatibility='any', metadata={'a': 1},
            resources=[SkillResource('r', content='R')], scripts=[SkillScript('s', function=lambda: 'S')],
        )  # fmt: skip
        def other() -> str:
            return 'Body.'

        made = other.to_skill()
        assert (made.name, made.description, made.license, made.compatibility) == ('mine', 'Mine.', 'MIT', 'any')
        assert (made.metadata, made.content, made.uri) == ({'a': 1}, 'Body.', 'skill://mine')
        assert run(
            SkillsCapability(skills=[other]), [load('mine'), read('r', 'mine'), script('s', skill='mine')]
        ).answers[1:] == ['R', 'S']

    def test_its_decorators(self) -> None:
        @skill
        def helper() -> str:
            """Helps."""
            return 'Body.'

        @helper.resource
        def table() -> str:
            """A table."""
            return 'T'

        @helper.script(name='go')
        def run_it(ctx: RunContext[Deps]) -> str:
            return ctx.deps.user

        seen = run(
            SkillsCapability(skills=[helper]),
            [load('helper'), read('table', 'helper'), script('go', skill='helper')],
            deps=Deps('bob'),
        )
        assert seen.answers[1:] == ['T', 'bob']
        assert [item.name for item in helper.to_skill().resources] == ['table']
        assert '- table: A table.' in seen.everything

    def test_the_function_is_called_when_a_snapshot_is_made(self) -> None:
        calls: list[int] = []

        @skill(description='Counts.')
        def counter() -> str:
            calls.append(1)
            return f'Call {len(calls)}.'

        assert calls == []
        made = SkillsCapability(skills=[counter])
        for _ in range(2):
            assert 'Call 1.' in run(made, [load('counter')]).everything
        assert calls == [1]

    def test_what_cannot_be_a_skill(self) -> None:
        async def later() -> str:
            """D."""
            return ''

        def takes(x: int) -> str:
            """D."""
            return ''

        for wrong in (later, takes):
            with pytest.raises(TypeError, match=f'{wrong.__name__}: a skill function is not async, takes nothing'):
                skill(wrong)  # type: ignore[call-overload]
        with pytest.raises(ValueError, match="'no-words' needs a description"):

            @skill
            def no_words() -> str:
                return ''

        with pytest.raises(ValueError, match="'Bad' is no legal skill name"):
            skill(name='Bad', description='D.')(lambda: '')
        with pytest.raises(TypeError, match='nonsense'):
            skill(nonsense=1)(lambda: '')  # type: ignore[call-overload]
        with pytest.raises(TypeError, match='content'):
            skill(description='D.', content='ignored')(lambda: '')  # type: ignore[call-overload]

    def test_something_else_than_text(self) -> None:
        wrapper = skill(name='odd', description='D.')(lambda: 3)  # type: ignore[arg-type,return-value]
        with pytest.raises(TypeError, match="The skill function 'odd' must return its instructions as text, not 3"):
            SkillsCapability(skills=[wrapper])
