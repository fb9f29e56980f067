"""What carrying out a script came to, as plain data that a durable engine can record and play back."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal

from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolReturn, ToolReturnContent
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from .plain import plain

_TOOL_RETURN_FIELDS = ('return_value', 'content', 'metadata', 'tools')


class ScriptOutcome(TypedDict):
    """A value for the model, or how the call steers the run instead. A mapping, so that a recording needs no class of ours."""

    kind: Literal['value', 'tool_return', 'retry', 'failed', 'approval', 'deferred']
    value: ToolReturnContent
    """The value; the message of a retry or failure; the metadata of a request for approval or a deferral."""


async def outcome_of(call: Awaitable[Any], *, recorded: bool) -> ScriptOutcome:
    """Await `call` and put what it returns, or what steers the run, into an outcome.

    Args:
        call: The call; an exception that does not steer the run passes through.
        recorded: Whether the outcome has to be plain data; a value is passed on as it is where it need not.
    """
    try:
        value = await call
    except ModelRetry as retry:
        return ScriptOutcome(kind='retry', value=retry.message)
    except ToolFailed as failed:
        return ScriptOutcome(kind='failed', value=failed.message)
    except ApprovalRequired as approval:
        return ScriptOutcome(kind='approval', value=plain(approval.metadata) if recorded else approval.metadata)
    except CallDeferred as deferred:
        return ScriptOutcome(kind='deferred', value=plain(deferred.metadata) if recorded else deferred.metadata)
    if not recorded:
        return ScriptOutcome(kind='value', value=value)
    value = plain(value)
    if isinstance(value, ToolReturn):
        fields: dict[str, Any] = {name: vars(value)[name] for name in _TOOL_RETURN_FIELDS}
        return ScriptOutcome(kind='tool_return', value=fields)
    return ScriptOutcome(kind='value', value=value)


def value_of(outcome: ScriptOutcome) -> Any:
    """The outcome's value, or the exception that it stands for, raised outside the recorded operation.

    Raises:
        ModelRetry: the model made a mistake, or the function wanted another try.
        ToolFailed: the function reported a failure.
        ApprovalRequired: a person is asked first.
        CallDeferred: the function's result comes later.
    """
    value: Any = outcome['value']
    match outcome['kind']:
        case 'value':
            return value
        case 'tool_return':
            return ToolReturn[Any](**value)
        case 'retry':
            raise ModelRetry(str(value))
        case 'failed':
            raise ToolFailed(str(value))
        case 'approval':
            raise ApprovalRequired(value)
        case 'deferred':
            raise CallDeferred(value)
