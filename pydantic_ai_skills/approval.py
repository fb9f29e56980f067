"""A person's approval of a script, of exactly what was shown: which script of which package with which arguments."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import anyio.to_thread
from pydantic_ai import DeferredToolRequests, RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability
from pydantic_ai.exceptions import ApprovalRequired

from .entry import SkillEntry
from .executors.arguments import argument_vector
from .members import ScriptArguments, SkillScript

ApprovalPolicy: TypeAlias = (
    "Literal['never', 'scripts'] | Callable[[RunContext[Any], SkillScript, Any], bool | Awaitable[bool]]"
)
"""`'never'`, `'scripts'` for every script, or a function that says `True` for a call that a person must approve."""

_REMEMBERED = 10_000


class CannotAskError(Exception):
    """The call needs an approval and the agent has no way to ask for one; the message is for the model."""


@dataclass(frozen=True)
class Approved:
    """What a person has approved."""

    digest: str | None
    """The digest of the package that must run; `None` for a Python function."""


class ShownRequests:
    """What was shown for approval, by tool call: the memory of a process, for hosts that do not hand metadata back."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._shown: OrderedDict[str, Mapping[str, Any]] = OrderedDict()

    def remember(self, ctx: RunContext[Any], shown: Mapping[str, Any]) -> None:
        """Keep what is shown for the call in `ctx`."""
        if ctx.tool_call_id is not None:
            self._shown[ctx.tool_call_id] = shown
            if len(self._shown) > _REMEMBERED:
                self._shown.popitem(last=False)

    def recall(self, ctx: RunContext[Any]) -> Mapping[str, Any] | None:
        """What was shown for the call in `ctx`: as its metadata say, else as remembered; `None` if neither knows."""
        metadata: object = ctx.tool_call_metadata
        if isinstance(metadata, Mapping) and 'script' in metadata:
            return cast('Mapping[str, Any]', metadata)
        return self._shown.get(ctx.tool_call_id or '')


async def approve(
    policy: ApprovalPolicy,
    shown_requests: ShownRequests,
    ctx: RunContext[Any],
    entry: SkillEntry,
    script: SkillScript,
    args: ScriptArguments,
    stdin: str | None,
) -> Approved | None:
    """Make sure that a call may run: what was approved, or `None` where no approval is needed.

    A predicate that raises ends the run: nothing is let through by a fault. Arguments that were changed in the
    approval are checked anew, by their schema and by the predicate; what they then are is the approver's own word.

    Raises:
        ApprovalRequired: a person must be asked, for the first time or because the package has changed since.
        CannotAskError: a person must be asked, and the agent cannot.
        ModelRetry: the arguments are not right.
    """
    if policy == 'never':
        return None
    if callable(policy):
        verdict = policy(ctx, script, args)
        if not (await verdict if inspect.isawaitable(verdict) else verdict):
            return None
    request = await _request(ctx, entry, script, args, stdin)
    if ctx.tool_call_approved:
        shown = shown_requests.recall(ctx)
        if shown is not None and all(shown.get(key) == request[key] for key in ('skill', 'script', 'digest')):
            return Approved(request['digest'])
    if not can_ask(ctx):
        raise CannotAskError(
            f'{script.name} needs the approval of a person, and this agent has no way to ask for one. Go on without it.'
        )
    shown_requests.remember(ctx, request)
    raise ApprovalRequired(metadata=request)


async def _request(
    ctx: RunContext[Any], entry: SkillEntry, script: SkillScript, args: ScriptArguments, stdin: str | None
) -> dict[str, Any]:
    argv: Any
    if script.call is not None:
        argv = await script.call.check(ctx, cast('Mapping[str, Any] | None', args))
    else:
        argv = argument_vector(args)
    request: dict[str, Any] = {
        'skill': entry.name,
        'script': script.name,
        'argv': argv,
        'source': str(entry.info.directory or entry.info.source),
        'digest': await anyio.to_thread.run_sync(lambda: entry.info.digest),
    }
    return request if stdin is None else {**request, 'stdin': stdin}


def can_ask(ctx: RunContext[Any]) -> bool:
    """Whether a request for approval can reach anybody: the agent returns such requests, or has a handler for them."""
    if ctx.agent is not None and _names_requests(ctx.agent.output_type):
        return True
    return any(_handles_requests(capability) for capability in ctx.capabilities.values())


def _names_requests(output_type: Any) -> bool:
    if isinstance(output_type, (list, tuple)):
        return any(_names_requests(item) for item in cast('list[Any]', output_type))
    return output_type is DeferredToolRequests or any(_names_requests(item) for item in get_args(output_type))


def _handles_requests(capability: AbstractCapability[Any]) -> bool:
    while isinstance(capability, WrapperCapability):
        capability = capability.wrapped
    return type(capability).handle_deferred_tool_calls is not AbstractCapability.handle_deferred_tool_calls


def checked_policy(policy: Any) -> ApprovalPolicy:
    """`policy` if it can be one.

    Raises:
        ValueError: it is neither `'never'`, nor `'scripts'`, nor a function.
    """
    if policy in ('never', 'scripts') or callable(policy):
        return cast('ApprovalPolicy', policy)
    raise ValueError(f"approval must be 'never', 'scripts' or a function, not {policy!r}.")
