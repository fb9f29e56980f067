"""A skill as an object, and its decorators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import BinaryContent, RunContext
from pydantic_ai.exceptions import UserError

from pydantic_ai_skills import Skill, SkillResource, SkillsCapability, SkillScript

from ..support import load, make_library, read, run, script
from .helpers import Deps, loaded


def _first() -> str:
    return '1'


def _second() -> str:
    return '2'


class _Callable:
    def __call__(self) -> str:
        return ''


class TestSkill:
    def test_the_least(self) -> None:
        made = Skill('demo', 'Demonstrates.')
        assert (made.content, made.license, made.compatibility, made.metadata) == ('', None, None, None)
        assert (made.resources, made.scripts, made.tools, made.toolsets) == ([], [], (), ())
        assert made.uri == 'skill://demo'
        assert loaded(made) == '# Skill: demo'

    def test_positional_order(self) -> None:
        made = Skill('demo', 'D.', 'Body.', 'MIT', 'Python 3.11')
        assert (made.content, made.license, made.compatibility) == ('Body.', 'MIT', 'Python 3.11')

    def test_instructions_are_heading_content_and_files_without_placeholders(self) -> None:
        made = Skill(
            'demo', 'D.', '  Use ${SKILL_DIR} and $ARGUMENTS.\n\n', resources=[SkillResource('a', content='A')]
        )
        assert loaded(made) == (
            '# Skill: demo\n\nUse ${SKILL_DIR} and $ARGUMENTS.\n\n'
            '## Bundled files\n\nResources, read with `read_skill_resource`:\n- a'
        )

    def test_its_catalog_entry(self) -> None:
        seen = run(SkillsCapability(skills=[Skill('demo', '  Two\nlines. ')]))
        assert '- demo: Two\n  lines.' in seen.catalogs[0]

    def test_a_uri_and_metadata_of_its_own(self) -> None:
        made = Skill('demo', 'D.', uri='app://demo', metadata={'team': 'x'})
        [info] = SkillsCapability(skills=[made]).skills
        assert (info.source, info.metadata, info.directory, info.digest) == ('app://demo', {'team': 'x'}, None, None)

    @pytest.mark.parametrize('name', ['', 'Demo', 'a_b', '-a', 'a' * 65, 'a b', '../x', 'agent_skills'])
    def test_names_are_checked_when_it_is_made(self, name: str) -> None:
        with pytest.raises(ValueError, match='is no legal skill name: use at most 64 lowercase letters'):
            Skill(name, 'D.')

    def test_names_are_normalised(self) -> None:
        assert Skill('ｄｅｍｏ', 'D.').name == 'demo'

    @pytest.mark.parametrize('description', ['', '  \n'])
    def test_a_description_is_needed(self, description: str) -> None:
        with pytest.raises(ValueError, match="'demo' needs a description"):
            Skill('demo', description)

    @pytest.mark.parametrize('options', [{'name': 1}, {'description': None}, {'content': b'x'}])
    def test_text_must_be_text(self, options: Any) -> None:
        with pytest.raises(TypeError, match=f'The {next(iter(options))} of a Skill must be a string'):
            Skill(**{'name': 'demo', 'description': 'D.', **options})

    @pytest.mark.parametrize('kind', ['resources', 'scripts'])
    def test_members_of_wrong_types(self, kind: str) -> None:
        wrong = SkillScript('x', function=len) if kind == 'resources' else SkillResource('x', content='')
        for value in ('x', None, wrong, len):
            with pytest.raises(TypeError, match='A skill needs Skill'):
                Skill('demo', 'D.', **{kind: [value]})

    def test_members_that_could_not_work_fail_here(self) -> None:
        with pytest.raises(ValueError, match="SkillResource 'x' has nothing behind it"):
            Skill('demo', 'D.', resources=[SkillResource('x')])
        with pytest.raises(ValueError, match="SkillScript 'x' has nothing behind it"):
            Skill('demo', 'D.', scripts=[SkillScript('x')])
        for name in ['', ' ', 'a\nb', 'a\u202eb', 5]:
            with pytest.raises(ValueError, match='is no name for a SkillResource'):
                Skill('demo', 'D.', resources=[SkillResource(name, content='')])  # type: ignore[arg-type]

        def odd(a: int, ctx: RunContext[Any]) -> str:
            return ''

        with pytest.raises(UserError, match='RunContext'):
            Skill('demo', 'D.', scripts=[SkillScript('x', function=odd)])

    def test_two_members_of_one_name(self) -> None:
        with pytest.raises(ValueError, match="already has SkillResource 'x'"):
            Skill('demo', 'D.', resources=[SkillResource('x', content='1'), SkillResource('x', content='2')])
        made = Skill(
            'demo', 'D.', resources=[SkillResource('x', content='R')], scripts=[SkillScript('x', function=lambda: 'S')]
        )
        seen = run(SkillsCapability(skills=[made]), [load(), read('x'), script('x')])
        assert seen.answers[1:] == ['R', 'S'], 'a resource and a script may share one'

    def test_files_as_members(self, tmp_path: Path) -> None:
        make_library(
            tmp_path, {'a.txt': 'FROM A FILE', 'x.py': 'import sys; print("file", *sys.argv[1:])', 'secret': 'S'}
        )
        made = Skill(
            'demo',
            'D.',
            resources=[SkillResource('notes', uri=str(tmp_path / 'a.txt'))],
            scripts=[SkillScript('go', uri=str(tmp_path / 'x.py'))],
        )
        seen = run(SkillsCapability(skills=[made]), [load(), read('notes'), script('go', ['a', 'b'])])
        assert seen.answers[1:] == ['FROM A FILE', 'file a b']

    def test_a_text_is_paged(self) -> None:
        made = Skill('demo', 'D.', resources=[SkillResource('t', 'Long.', content='1\n2\n3\n')])
        seen = run(SkillsCapability(skills=[made]), [load(), read('t', args={'offset': 2, 'limit': 1})])
        assert (seen.last, '- t: Long.' in loaded(made)) == ('2\n', True)


class TestDecorators:
    def test_bare_and_with_options(self) -> None:
        made = Skill('demo', 'D.')

        @made.resource
        def prices() -> dict[str, int]:
            """What things cost."""
            return {'tea': 2}

        @made.resource(name='greeting', description='Says hello.')
        def hello(name: str = 'you') -> str:
            """Not this."""
            return f'Hello {name}!'

        @made.script
        def add(amount: int, bonus: int = 1) -> int:
            """Adds.

            Args:
                amount: How much.
                bonus: What comes on top.
            """
            return amount + bonus

        @made.script(name='later', takes_ctx=True, docstring_format='sphinx')
        async def whose(ctx: RunContext[Deps], times: int) -> str:
            """Says whose.

            :param times: How often.
            """
            return ctx.deps.user * times

        assert (prices(), hello(), add(1)) == ({'tea': 2}, 'Hello you!', 2), 'the functions stay themselves'
        assert [(item.name, item.description) for item in made.resources] == [
            ('prices', 'What things cost.'),
            ('greeting', 'Says hello.'),
        ]
        assert [(item.name, item.takes_ctx) for item in made.scripts] == [('add', False), ('later', True)]
        assert loaded(made) == (
            '# Skill: demo\n\n## Bundled files\n\n'
            'Resources, read with `read_skill_resource`:\n'
            '- prices: What things cost.\n'
            "- greeting: Says hello. (args: name: string = 'you')\n\n"
            'Scripts, run with `run_skill_script`:\n'
            '- add: Adds. (args: amount: integer, bonus: integer = 1)\n'
            '- later: Says whose. (args: times: integer)'
        )
        steps = [
            load(), read('prices'), read('greeting'), read('greeting', args={'name': 'me'}), read('greeting', args='{"name": "us"}'),
            script('add', {'amount': 2}), script('add', '{"amount": "2", "bonus": 3}'), script('later', {'times': 2}),
        ]  # fmt: skip
        seen = run(SkillsCapability(skills=[made]), steps, agent={'deps_type': Deps}, deps=Deps('ab'))
        assert seen.answers[1:] == [{'tea': 2}, 'Hello you!', 'Hello me!', 'Hello us!', 3, 5, 'abab']

    def test_one_name_once(self) -> None:
        made = Skill('demo', 'D.')
        made.resource(name='x')(lambda: '')
        with pytest.raises(ValueError, match="already has SkillResource 'x'"):
            made.resource(name='x')(lambda: '')

    def test_a_decorator_can_be_used_again(self) -> None:
        made = Skill('demo', 'D.')
        as_text = made.script(description='Same.')
        as_text(_first)
        as_text(_second)
        assert [(item.name, item.description) for item in made.scripts] == [('_first', 'Same.'), ('_second', 'Same.')]

    def test_what_is_no_function_of_a_tool(self) -> None:
        made = Skill('demo', 'D.')
        with pytest.raises(UserError):

            @made.script
            def odd(a: int, ctx: RunContext[Any]) -> str:
                return ''

        with pytest.raises(TypeError, match='nonsense'):
            made.script(nonsense=1)(_first)  # type: ignore[call-overload]
        with pytest.raises(ValueError, match="'' is no name"):
            made.script(_Callable())
        assert made.scripts == []

    def test_methods_and_results(self) -> None:
        made = Skill('demo', 'D.')

        class Counter:
            count = 0

            def up(self, by: int = 1) -> int:
                self.count += by
                return self.count

        counter = Counter()
        made.script(counter.up)
        picture = BinaryContent(data=b'x', media_type='image/png')
        made.resource(name='picture')(lambda: picture)
        made.script(name='nothing')(lambda: None)
        seen = run(SkillsCapability(skills=[made]), [load(), script('up'), script('up', {'by': 5}), script('nothing')])
        assert seen.answers[1:] == [1, 6, None]
        assert run(SkillsCapability(skills=[made]), [load(), read('picture')]).result.output == 'done'
