"""Whether an agent can ask a person, and what happens to a request that nobody answers."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin

from pydantic_ai import DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability
from pydantic_ai.exceptions import UserError
from typing_extensions import TypeAliasType

from .shown import is_request

_UNANSWERED = (
    'The script was not run: it needs the approval of a person, and nobody answered the request. Go on without it.'
)


class AnswersLeftRequests:
    """A mixin for a capability that comes last: it answers requests of ours that every handler has left alone.

    Otherwise the framework would end the run of an agent that cannot return them: `Hooks` without a hook for them
    looks like a handler, and a handler may decline.
    """

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Deny our own requests, where the agent cannot return them."""
        if can_return_requests(ctx):
            return None
        ours = [call for call in requests.approvals if is_request(requests.metadata.get(call.tool_call_id))]
        return DeferredToolResults(approvals={call.tool_call_id: ToolDenied(_UNANSWERED) for call in ours})


def can_ask(ctx: RunContext[Any]) -> bool:
    """Whether a request for approval can reach anybody: the agent returns such requests, or may have a handler."""
    return can_return_requests(ctx) or any(map(_handles_requests, _capabilities(ctx)))


def can_return_requests(ctx: RunContext[Any]) -> bool:
    """Whether `DeferredToolRequests` is among the agent's outputs.

    Those given for one run are not seen: nothing public tells a tool of them.
    """
    return ctx.agent is not None and _names_requests(ctx.agent.output_type)


def _names_requests(output_type: Any) -> bool:
    if isinstance(output_type, (list, tuple)):
        return any(map(_names_requests, cast('list[Any]', output_type)))
    if isinstance(output_type, TypeAliasType):
        output_type = output_type.__value__
    if get_origin(output_type) in (Union, UnionType):
        return any(map(_names_requests, get_args(output_type)))
    return output_type is DeferredToolRequests


def _capabilities(ctx: RunContext[Any]) -> Iterable[AbstractCapability[Any]]:
    try:
        return ctx.capabilities.values()
    except UserError:  # a context that crossed a process boundary: the agent's own are what it has
        found: list[AbstractCapability[Any]] = []
        if ctx.agent is not None:
            ctx.agent.root_capability.apply(found.append)
        return found


_NO_HANDLERS = (
    AbstractCapability.handle_deferred_tool_calls,
    WrapperCapability.handle_deferred_tool_calls,
    AnswersLeftRequests.handle_deferred_tool_calls,
)


def _handles_requests(capability: AbstractCapability[Any]) -> bool:
    while type(capability).handle_deferred_tool_calls in _NO_HANDLERS:
        if not isinstance(capability, WrapperCapability):
            return False
        capability = capability.wrapped
    return True
