"""What carrying out a script came to, as plain data that a durable engine can record and play back."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal

from pydantic import BaseModel
from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturnContent


class ScriptOutcome(BaseModel):
    """A value for the model, or how a Python function of a skill steers the run instead."""

    kind: Literal['value', 'retry', 'failed', 'approval', 'deferred'] = 'value'
    value: ToolReturnContent = None
    """The value; the message of a retry or failure; the metadata of a request for approval or a deferral."""


async def outcome_of(call: Awaitable[Any]) -> ScriptOutcome:
    """Await `call` and put what it returns, or what steers the run, into an outcome."""
    try:
        return ScriptOutcome(value=await call)
    except ModelRetry as retry:
        return ScriptOutcome(kind='retry', value=retry.message)
    except ToolFailed as failed:
        return ScriptOutcome(kind='failed', value=failed.message)
    except ApprovalRequired as approval:
        return ScriptOutcome(kind='approval', value=approval.metadata)
    except CallDeferred as deferred:
        return ScriptOutcome(kind='deferred', value=deferred.metadata)


def value_of(outcome: ScriptOutcome) -> Any:
    """The outcome's value, or the exception that it stands for, raised outside the recorded operation.

    Raises:
        ModelRetry: the function wanted another try.
        ToolFailed: the function reported a failure.
        ApprovalRequired: the function asks a person first.
        CallDeferred: the function's result comes later.
    """
    value: Any = outcome.value
    match outcome.kind:
        case 'value':
            return value
        case 'retry':
            raise ModelRetry(str(value))
        case 'failed':
            raise ToolFailed(str(value))
        case 'approval':
            raise ApprovalRequired(value)
        case 'deferred':
            raise CallDeferred(value)
