"""The function behind a resource or script: its schema in short, the check of its arguments, and the call."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import UserError

from pydantic_ai_skills.functions import SkillFunction, object_arguments


class Colour(Enum):
    RED = 'red'


class Order(BaseModel):
    item: str


def many(
    a: int,
    b: str | None,
    c: list[int],
    d: list[Order],
    e: Order,
    f: Literal['x', 'y'],
    g: dict[str, int],
    h: tuple[int, str],
    i: list[list[bool]],
    j: Any = None,
    k: Colour = Colour.RED,
    m: list[Any] = [],  # noqa: B006
) -> str:
    """Take much."""
    return ''


def test_the_signature_in_short() -> None:
    function = SkillFunction(many)
    assert function.signature() == (
        'a: integer, b: string or null, c: array of integer, d: array of Order, e: Order, f: string, g: object, h: array, '
        "i: array of array of boolean, j: any = None, k: Colour = 'red', m: array = []"
    )
    assert (function.name, function.description, function.takes_ctx) == ('many', 'Take much.', False)
    assert function.json_schema['required'] == ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    assert SkillFunction(lambda: '', name='nothing').signature() == ''


def test_names_and_descriptions_given() -> None:
    function = SkillFunction(many, name='other', description='Own words.')
    assert (function.name, function.description) == ('other', 'Own words.')
    assert SkillFunction(lambda: '', name='x').description is None


def test_the_context_is_found_out_or_told() -> None:
    def with_it(ctx: RunContext[Any], a: int) -> str:
        return str(a)

    def unmarked(ctx, a: int) -> str:  # type: ignore[no-untyped-def]
        return f'{type(ctx).__name__} {a}'

    assert SkillFunction(with_it).takes_ctx and SkillFunction(with_it).signature() == 'a: integer'
    assert SkillFunction(unmarked, takes_ctx=True).signature() == 'a: integer'
    with pytest.raises(UserError):
        SkillFunction(with_it, takes_ctx=False)


def test_calls_without_a_run() -> None:
    async def later(a: int) -> int:
        return a + 1

    def now(a: int) -> int:
        return a + 2

    assert asyncio.run(SkillFunction(later).call(None, {'a': '1'})) == 2
    assert asyncio.run(SkillFunction(now).call(None, {'a': 1})) == 3
    assert asyncio.run(SkillFunction(lambda: 'x', name='x').call(None, None)) == 'x'
    with pytest.raises(ModelRetry, match=r"The arguments of 'now' are not right: a: .*It takes: a: integer\."):
        asyncio.run(SkillFunction(now).call(None, {}))
    with pytest.raises(ModelRetry, match=r'It takes: nothing\.'):
        asyncio.run(SkillFunction(lambda: 'x', name='x').call(None, {'a': 1}))


def test_a_mistake_inside_the_function_is_its_own() -> None:
    """A pydantic error that the function raises is not a mistake in its arguments."""

    def inner(a: int) -> Order:
        return Order(item=a)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match='Input should be a valid string') as caught:
        asyncio.run(SkillFunction(inner).call(None, {'a': 1}))
    assert not isinstance(caught.value, ModelRetry)


@pytest.mark.parametrize(
    ('args', 'expected'),
    [
        (None, None), ('', None), (' \n', None), ('null', None), ([], None), ('[]', None),
        ({}, {}), ('{}', {}), ({'a': 1}, {'a': 1}), ('{"a": [1]}', {'a': [1]}), ({1: 2}, {'1': 2}),
    ],
)  # fmt: skip
def test_object_arguments(args: Any, expected: Any) -> None:
    assert object_arguments('x', args) == expected


@pytest.mark.parametrize('args', ['x', '[1]', '1', '"a"', 'true', [1], 3, ('a',), '[' * 200_000, '{"a": '])
def test_what_is_no_object(args: Any) -> None:
    with pytest.raises(ModelRetry, match=r"The args of 'x' must be an object \(a: integer\), not") as caught:
        object_arguments('x', args, 'a: integer')
    assert len(caught.value.message) < 500
