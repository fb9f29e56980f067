"""What a script came to, as data that a durable engine can keep."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter
from pydantic_ai import BinaryContent, ModelRetry, ToolReturn
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed

from pydantic_ai_skills.outcome import ScriptOutcome, outcome_of, value_of

STORED = TypeAdapter(ScriptOutcome)


class Model(BaseModel):
    a: int = 1


@dataclasses.dataclass
class Data:
    a: int = 1


class Colour(enum.Enum):
    RED = 'red'


async def giving(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value


@pytest.mark.parametrize(
    'value',
    [None, 'text', '', 1, 1.5, True, [1, 'a'], (1, 2), {'a': [1]}, {1: 2}, {1, 2}, b'x', datetime.date(2026, 1, 2),
     Decimal('1.5'), Model(), Data(), Colour.RED, [Model()], object, len, [BinaryContent(data=b'x', media_type='audio/wav')]],
)  # fmt: skip
def test_values_are_passed_on_where_nothing_records_them(value: Any) -> None:
    assert value_of(asyncio.run(outcome_of(giving(value), recorded=False))) is value


AUDIO = BinaryContent(data=b'x', media_type='audio/wav')


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        *[(value, value) for value in [None, 'text', 1, 1.5, True, [1, {'a': None}], {'a': 'b'}]],
        ((1, 2), [1, 2]),
        ({1: 2}, {'1': 2}),
        (b'x', 'eA=='),
        (datetime.date(2026, 1, 2), '2026-01-02'),
        (Decimal('1.5'), '1.5'),
        (Model(), {'a': 1}),
        (Data(), {'a': 1}),
        (Colour.RED, 'red'),
        ('caf\udce9', 'caf\ufffd'),
        ({'k\udce9': ['\udce9']}, {'k\ufffd': ['\ufffd']}),
        (len, repr(len)),
        ([AUDIO], [AUDIO]),
    ],
)
def test_values_are_plain_where_they_are_recorded(value: Any, expected: Any) -> None:
    outcome = asyncio.run(outcome_of(giving(value), recorded=True))
    stored = STORED.validate_json(STORED.dump_json(outcome))
    assert value_of(outcome) == value_of(stored) == expected


def test_what_contains_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert value_of(asyncio.run(outcome_of(giving(loop), recorded=True))) == '[[...]]'


def test_the_frameworks_own_return() -> None:
    returned = ToolReturn(return_value=Model(), content=['more', AUDIO], metadata={'n': (1, 2)})
    outcome = asyncio.run(outcome_of(giving(returned), recorded=True))
    back = value_of(STORED.validate_json(STORED.dump_json(outcome)))
    assert isinstance(back, ToolReturn)
    assert (back.return_value, back.content, back.metadata) == ({'a': 1}, ['more', AUDIO], {'n': [1, 2]})


@pytest.mark.parametrize(
    ('error', 'check'),
    [
        (ModelRetry('again'), lambda back: back.message == 'again'),
        (ToolFailed('no'), lambda back: back.message == 'no'),
        (ApprovalRequired(metadata={'a': 1}), lambda back: back.metadata == {'a': 1}),
        (CallDeferred(metadata={'b': [2]}), lambda back: back.metadata == {'b': [2]}),
        (CallDeferred(), lambda back: back.metadata is None),
    ],
)
@pytest.mark.parametrize('recorded', [True, False])
def test_what_steers_the_run_is_stored_and_raised_again(error: Exception, check: Any, recorded: bool) -> None:
    outcome = asyncio.run(outcome_of(giving(error), recorded=recorded))
    with pytest.raises(type(error)) as caught:
        value_of(STORED.validate_json(STORED.dump_json(outcome)))
    assert check(caught.value)


def test_other_exceptions_pass() -> None:
    with pytest.raises(KeyError):
        asyncio.run(outcome_of(giving(KeyError('x')), recorded=True))
