"""A person's approval of a script, of exactly what was shown: which script of which package with which arguments."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import anyio.to_thread
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ApprovalRequired, UserError
from pydantic_ai.messages import ModelResponse, ToolCallPart

from .asking import can_ask, can_return_requests
from .digest import file_digest
from .entry import SkillEntry
from .executors.arguments import argument_vector
from .functions import object_arguments
from .members import ScriptArguments, SkillScript
from .shown import ShownRequests

ApprovalPolicy: TypeAlias = (
    "Literal['never', 'scripts'] | Callable[[RunContext[Any], SkillScript, Any], bool | Awaitable[bool]]"
)
"""`'never'`, `'scripts'` for every script, or a function that says `True` for a call that a person must approve."""


class CannotAskError(Exception):
    """The call needs an approval that cannot be asked for, or could not be checked; the message is for the model."""


@dataclass(frozen=True)
class Approved:
    """What a person has approved."""

    digest: str | None
    """The digest of what must run: the package, or the one file of a skill in Python; `None` for a function."""


async def approve(
    policy: ApprovalPolicy,
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
        ApprovalRequired: a person must be asked, for the first time or because something has changed since.
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
        shown = ShownRequests.recall(ctx)
        if shown is not None and await _is_what_was_shown(ctx, script, request, shown):
            return Approved(request['digest'])
        if not can_return_requests(ctx):  # a handler approved it, and it is asked once a call
            raise CannotAskError(
                f'{script.name} was not run: it is not, or no longer, what was approved. '
                'Call it again to have it approved anew.'
            )
    elif not can_ask(ctx):
        raise CannotAskError(
            f'{script.name} was not run: it needs the approval of a person, and this agent has no way to ask for one. '
            'Go on without it.'
        )
    raise ApprovalRequired(metadata=request)


async def _request(
    ctx: RunContext[Any], entry: SkillEntry, script: SkillScript, args: ScriptArguments, stdin: str | None
) -> dict[str, Any]:
    registry = entry.info.source if script.from_registry else None
    argv = await _argv(ctx, script, args)
    try:
        digest = await anyio.to_thread.run_sync(script_digest, entry, script)
    except OSError as error:
        reason = error.strerror or 'a file of its skill is no longer a regular file in it'
        raise CannotAskError(f'{script.name} was not run: its files cannot be read ({reason}).') from error
    request: dict[str, Any] = {
        'skill': entry.name,
        'script': script.name,
        'argv': argv,
        'source': str(registry or entry.info.directory or entry.info.source),
        'digest': digest,
    }
    return request if stdin is None else {**request, 'stdin': stdin}


async def _argv(ctx: RunContext[Any], script: SkillScript, args: ScriptArguments) -> list[str] | dict[str, Any]:
    """The command line's words, or the parameters of a function."""
    if script.call is None:
        return argument_vector(args)
    return await script.call.check(ctx, object_arguments(script.name, args))


def script_digest(entry: SkillEntry, script: SkillScript) -> str | None:
    """The digest of what runs: the package's, or of the one file that a skill in Python names; `None` for a function.

    Raises:
        OSError: a file cannot be read.
    """
    if entry.info.directory is not None or script.uri is None:
        return entry.info.digest
    path = os.path.realpath(script.uri)
    return file_digest(os.path.dirname(path), path)


async def _is_what_was_shown(
    ctx: RunContext[Any], script: SkillScript, request: Mapping[str, Any], shown: Mapping[str, Any]
) -> bool:
    if any(shown.get(key) != request[key] for key in ('skill', 'script', 'digest')):
        return False
    if (shown.get('argv'), shown.get('stdin')) == (request['argv'], request.get('stdin')):
        return True
    # Other arguments are those that the approver gave instead, unless the conversation itself says them: then they
    # were put there after the person had looked.
    original = _original_arguments(ctx)
    if original is None:
        return True
    try:
        said = await _argv(ctx, script, original.get('args'))
    except ModelRetry:
        return True
    return (said, original.get('stdin')) != (request['argv'], request.get('stdin'))


def _original_arguments(ctx: RunContext[Any]) -> dict[str, Any] | None:
    """The arguments of the call as the model made it; `None` where the context does not have them."""
    try:
        responses = [message for message in reversed(ctx.messages) if isinstance(message, ModelResponse)]
    except UserError:  # a context that crossed a process boundary has no messages
        return None
    for part in (part for response in responses for part in response.parts):
        if isinstance(part, ToolCallPart) and part.tool_call_id == ctx.tool_call_id:
            return part.args_as_dict()
    return None


def checked_policy(policy: Any) -> ApprovalPolicy:
    """`policy` if it can be one.

    Raises:
        ValueError: it is neither `'never'`, nor `'scripts'`, nor a function.
    """
    if policy in ('never', 'scripts') or callable(policy):
        return cast('ApprovalPolicy', policy)
    raise ValueError(f"approval must be 'never', 'scripts' or a function, not {policy!r}.")
