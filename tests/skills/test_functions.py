"""The functions of a skill: their arguments, and what becomes of a failure."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from pydantic_ai import ModelRetry

from pydantic_ai_skills import Skill, SkillsCapability

from ..support import arun, load, read, run, script
from .helpers import loaded


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
