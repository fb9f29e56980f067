"""Skills written in Python: made, decorated, checked, and as an agent's model meets them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, FunctionToolset, ModelRetry, RunContext, Tool
from pydantic_ai.exceptions import UserError

from pydantic_ai_skills import Skill, SkillResource, SkillsCapability, SkillScript, SkillWrapper, skill
from pydantic_ai_skills.executors import LocalSkillScriptExecutor

from .support import Seen, arun, load, make_library, read, run, script, skill_text


@dataclass
class Deps:
    user: str


def loaded(made: Skill | SkillWrapper[Any], name: str = 'demo', **options: Any) -> str:
    """The instructions of a skill as the model gets them."""
    seen = run(SkillsCapability(skills=[made], **options), [load(name)])
    return seen.everything[seen.everything.index(f'# Skill: {name}') :].split('\n</context>')[0].rstrip()


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


def _first() -> str:
    return '1'


def _second() -> str:
    return '2'


class _Callable:
    def __call__(self) -> str:
        return ''


class Order(BaseModel):
    item: str
    count: int = 1


class TestArguments:
    @pytest.fixture
    def made(self) -> Skill:
        made = Skill('demo', 'D.')

        @made.script
        def strict(number: int, mode: Literal['a', 'b'] = 'a', orders: list[Order] | None = None) -> str:
            calls.append(number)
            return f'{number} {mode} {orders}'

        @made.resource
        def page(number: int) -> str:
            calls.append(number)
            return f'page {number}'

        calls: list[int] = []
        made.metadata = {'calls': calls}
        return made

    def calls(self, made: Skill) -> list[int]:
        assert made.metadata is not None
        return made.metadata['calls']

    @pytest.mark.parametrize(
        ('args', 'told'),
        [
            (None, 'number: Field required'),
            ({}, 'number: Field required'),
            ({'number': 'many'}, 'number: Input should be a valid integer'),
            ({'number': 1, 'mode': 'c'}, "mode: Input should be 'a' or 'b'"),
            ({'number': 1, 'other': 2}, 'other: Extra inputs are not permitted'),
            ({'number': 1, 'orders': [{'count': 1}]}, 'orders.0.item: Field required'),
            (['1'], 'must be an object (number: integer'),
            ('[1]', 'must be an object (number: integer'),
            ('number=1', "not the text 'number=1'"),
            ('[' * 100_000, 'must be an object'),
            ('7', 'must be an object'),
        ],
    )
    def test_mistakes_are_told_before_the_call(self, made: Skill, args: Any, told: str) -> None:
        seen = run(SkillsCapability(skills=[made]), [load(), script('strict', args), script('strict', {'number': 7})])
        assert told in seen.answers[1]
        assert (self.calls(made), seen.last) == ([7], '7 a None')

    @pytest.mark.parametrize(
        ('args', 'told'), [({}, 'Field required'), ({'number': 'x'}, 'integer'), ({'offset': 1}, 'offset')]
    )
    def test_of_resources_too(self, made: Skill, args: Any, told: str) -> None:
        seen = run(SkillsCapability(skills=[made]), [load(), read('page', args=args), read('page', args={'number': 3})])
        assert told in seen.answers[1] and 'It takes: number: integer.' in seen.answers[1]
        assert (self.calls(made), seen.last) == ([3], 'page 3')

    def test_what_fits_is_converted(self, made: Skill) -> None:
        args = {'number': '5', 'mode': 'b', 'orders': [{'item': 'tea', 'count': '2'}]}
        seen = run(SkillsCapability(skills=[made]), [load(), script('strict', args)])
        assert seen.last == "5 b [Order(item='tea', count=2)]"

    def test_the_schema_is_in_the_list(self, made: Skill) -> None:
        text = loaded(made)
        assert "- strict (args: number: integer, mode: string = 'a', orders: array of Order or null = None)" in text
        assert '- page (args: number: integer)' in text

    def test_stdin_is_not_for_functions(self, made: Skill) -> None:
        seen = run(SkillsCapability(skills=[made]), [load(), script('strict', {'number': 1}, stdin='x')])
        assert 'is a Python function and has no stdin' in seen.last and self.calls(made) == []

    def test_a_function_has_no_source(self, made: Skill) -> None:
        seen = run(SkillsCapability(skills=[made]), [load(), read('strict')])
        assert "'strict' is a Python function and has no source to read" in seen.last


class TestFailures:
    @pytest.mark.parametrize(
        ('error', 'answer'),
        [
            (RuntimeError('broken'), 'x failed: RuntimeError: broken'),
            (FileNotFoundError(2, 'No such file'), 'x failed: FileNotFoundError: [Errno 2] No such file'),
            (KeyError('k'), "x failed: KeyError: 'k'"),
            (ValueError(), 'x failed: ValueError: '),
        ],
    )
    @pytest.mark.parametrize('kind', ['resource', 'script'])
    def test_an_exception_is_the_answer(self, error: Exception, answer: str, kind: str) -> None:
        made = Skill('demo', 'D.')

        def fail() -> str:
            raise error

        getattr(made, kind)(name='x')(fail)
        seen = run(SkillsCapability(skills=[made]), [load(), read('x') if kind == 'resource' else script('x')])
        assert (seen.last, seen.result.output) == (answer, 'done')

    def test_a_timeout_of_its_own(self) -> None:
        made = Skill('demo', 'D.')

        @made.script
        def late() -> str:
            raise TimeoutError('took too long; printed: half')

        @made.script
        def silent() -> str:
            raise TimeoutError

        seen = run(SkillsCapability(skills=[made]), [load(), script('late'), script('silent')])
        assert seen.answers[1:] == ['took too long; printed: half', 'silent ran out of time.']

    def test_a_retry_it_asks_for(self) -> None:
        made = Skill('demo', 'D.')

        @made.script
        def picky(word: str) -> str:
            if word != 'please':
                raise ModelRetry('Say please.')
            return 'Thanks.'

        seen = run(
            SkillsCapability(skills=[made]),
            [load(), script('picky', {'word': 'now'}), script('picky', {'word': 'please'})],
        )
        assert seen.answers[1:] == ['Say please.', 'Thanks.']

    def test_text_that_no_request_can_hold(self) -> None:
        made = Skill('demo', 'D.')
        made.script(name='odd')(lambda: 'caf\udce9')
        made.resource(name='odd')(lambda: 'caf\udce9')
        seen = run(SkillsCapability(skills=[made]), [load(), script('odd'), read('odd')])
        assert seen.answers[1:] == ['caf\ufffd', 'caf\ufffd']

    def test_cancelling_a_run_passes_through(self) -> None:
        made = Skill('demo', 'D.')

        async def main() -> None:
            entered = asyncio.Event()

            @made.script
            async def forever() -> str:
                entered.set()
                await asyncio.Event().wait()
                return ''

            task = asyncio.create_task(arun(SkillsCapability(skills=[made]), [load(), script('forever')]))
            await entered.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())


def convert(amount: int) -> str:
    """Convert an amount."""
    return f'{amount} converted'


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
            skill(description='D.', content='ignored')(_first)  # type: ignore[call-overload]

    def test_something_else_than_text(self) -> None:
        wrapper = skill(name='odd', description='D.')(lambda: 3)  # type: ignore[arg-type,return-value]
        with pytest.raises(TypeError, match="The skill function 'odd' must return its instructions as text, not 3"):
            SkillsCapability(skills=[wrapper])


class TestMembers:
    def test_load_and_run_do_what_the_tools_do(self) -> None:
        made = Skill('demo', 'D.')

        @made.script
        def add(a: int, b: int = 1) -> int:
            return a + b

        @made.resource
        def hello(name: str) -> str:
            return f'Hello {name}!'

        package = SkillsCapability(skills=[made]).packages['demo']
        assert (package.directory, package.digest) == (None, None)
        add_script, hello_resource = package.scripts_by_name['add'], package.resources_by_name['hello']
        assert asyncio.run(add_script.run(None, {'a': 2})) == 3
        assert asyncio.run(add_script.run(None, '{"a": 2, "b": 2}')) == 4
        assert (
            asyncio.run(hello_resource.load(None, {'name': 'x'}))
            == asyncio.run(hello_resource.load(None, '{"name": "x"}'))
            == 'Hello x!'
        )
        for wrong in (['2'], '2', {'c': 1}, None):
            with pytest.raises(ModelRetry):
                asyncio.run(add_script.run(None, wrong))  # type: ignore[arg-type]

    def test_a_function_that_takes_the_context_needs_one(self) -> None:
        def who(ctx: RunContext[Any]) -> str:
            return ''

        with pytest.raises(TypeError, match="'who' takes the run context: pass `ctx`"):
            asyncio.run(SkillScript('who', function=who).run(None))

    def test_what_has_nothing_behind_it(self) -> None:
        with pytest.raises(ValueError, match='neither a file, nor content, nor a function'):
            asyncio.run(SkillResource('x').load(None))
        with pytest.raises(ValueError, match='neither a function nor an executor'):
            asyncio.run(SkillScript('x', uri='/x').run(None))

    def test_an_executor_of_ones_own(self) -> None:
        class Plain:
            async def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                return [script.name, args, ctx is not None]

        class WithStdin:
            async def run(
                self, script: SkillScript, args: Any = None, ctx: Any = None, *, stdin: str | None = None
            ) -> Any:
                return [args, stdin]

        made = Skill(
            'demo',
            'D.',
            scripts=[
                SkillScript('plain', uri='/x', executor=Plain()),
                SkillScript('in', uri='/x', executor=WithStdin()),
            ],
        )
        steps = [
            load(),
            script('plain', ['a', 1]),
            script('plain', {'k': True}),
            script('plain', stdin='x'),
            script('in', 'a b', stdin='x'),
            script('in'),
        ]
        seen = run(SkillsCapability(skills=[made]), steps)
        assert seen.answers[1:3] == [['plain', ['a', 1], True], ['plain', {'k': True}, True]]
        assert 'cannot be given stdin here' in seen.answers[3]
        assert seen.answers[4:] == [['a b', 'x'], [None, None]]

    def test_an_executor_that_fails(self) -> None:
        class Broken:
            async def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                raise RuntimeError('no room')

        class Sync:
            def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                return 'text'

        made = Skill(
            'demo',
            'D.',
            scripts=[SkillScript('a', uri='/x', executor=Broken()), SkillScript('b', uri='/x', executor=Sync())],
        )  # type: ignore[arg-type]
        seen = run(SkillsCapability(skills=[made]), [load(), script('a'), script('b')])
        assert seen.answers[1] == 'a failed: RuntimeError: no room'
        assert seen.answers[2].startswith('b failed: TypeError') and seen.result.output == 'done'

    def test_scripts_take_the_capabilitys_executor(self) -> None:
        executor = LocalSkillScriptExecutor()
        made = Skill('demo', 'D.', scripts=[SkillScript('x', uri='/x')])
        package = SkillsCapability(skills=[made], script_executor=executor).packages['demo']
        assert (package.scripts[0].executor, package.scripts[0].skill_name) == (executor, 'demo')


def test_a_python_skill_can_be_used_by_two_agents() -> None:
    made = Skill('demo', 'D.', tools=[convert])
    for _ in range(2):
        agent = [SkillsCapability(skills=[made])]
        assert run(agent, [load(), [('convert', {'amount': 1})]]).last == '1 converted'
    both: list[Seen] = [
        run([SkillsCapability(skills=[made]), SkillsCapability(skills=[made])], [load(), [('convert', {'amount': 1})]])
    ]
    assert both[0].last == '1 converted'
    assert isinstance(Agent('test', capabilities=[SkillsCapability(skills=[made])]), Agent)
