"""What a script came to, as data that a durable engine can keep."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import BinaryContent, ModelRetry
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed

from pydantic_ai_skills.outcome import ScriptOutcome, outcome_of, value_of


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
def test_values_come_back_as_they_were(value: Any) -> None:
    back = value_of(asyncio.run(outcome_of(giving(value))))
    assert back == value and type(back) is type(value)


@pytest.mark.parametrize('value', [None, 'text', 1, [1, {'a': None}], {'a': 'b'}])
def test_plain_values_survive_being_stored(value: Any) -> None:
    outcome = asyncio.run(outcome_of(giving(value)))
    assert value_of(ScriptOutcome.model_validate_json(outcome.model_dump_json())) == value


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
def test_what_steers_the_run_is_stored_and_raised_again(error: Exception, check: Any) -> None:
    outcome = asyncio.run(outcome_of(giving(error)))
    with pytest.raises(type(error)) as caught:
        value_of(ScriptOutcome.model_validate_json(outcome.model_dump_json()))
    assert check(caught.value)


def test_other_exceptions_pass() -> None:
    with pytest.raises(KeyError):
        asyncio.run(outcome_of(giving(KeyError('x'))))
