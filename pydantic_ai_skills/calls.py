"""Carrying out a call of a file tool: whatever goes wrong with a file or a script is its answer, never the run's end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import anyio.to_thread
from pydantic_ai import BinaryContent, ModelRetry, RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed

from .access import UnavailableError, find_script
from .approval import CannotAskError, approve
from .assets import read_asset
from .encoding import encodable
from .entry import SkillEntry
from .functions import object_arguments
from .linked import find_linked
from .members import ScriptArguments, SkillAsset, SkillResource, SkillScript
from .neighbours import pointer_elsewhere
from .packages import SkillPackage
from .plain import sendable
from .resources import read_text
from .tracing import note_member

CONTROL_FLOW = (ModelRetry, ApprovalRequired, CallDeferred, ToolFailed)
"""What a Python function of a skill may raise to steer the run: passed on, as from any tool."""


async def package_of(entry: SkillEntry) -> SkillPackage:
    """The skill's files, indexed off the event loop the first time.

    Raises:
        UnavailableError: its folder is gone.
    """
    try:
        return await anyio.to_thread.run_sync(lambda: entry.package)
    except OSError as error:
        raise UnavailableError(
            f'The files of the skill {entry.name!r} cannot be listed ({_reason(error)}). Go on without them.'
        ) from error


async def read_member(entry: SkillEntry, name: str, ctx: RunContext[Any], args: Any) -> Any:
    """What `read_skill_resource` answers.

    Raises:
        ModelRetry: there is no such file, several fit, or the arguments are not right.
        UnavailableError: its folder is gone, or the file belongs to another skill.
    """
    package = await package_of(entry)
    try:
        member, args = find_linked(package, name, args)
    except ModelRetry:
        # What the skill's own text links to is no mistake of the model's.
        if (elsewhere := pointer_elsewhere(ctx, entry, name, args)) is None:
            raise
        raise UnavailableError(elsewhere) from None
    await note_member(entry, member)
    try:
        if isinstance(member, SkillAsset):
            return await anyio.to_thread.run_sync(read_asset, member, entry.options.attach_binaries)
        if isinstance(member, SkillScript):
            return await _source(member, object_arguments(member.name, args))
        return sendable(await member.load(ctx, args))
    except CONTROL_FLOW:
        raise
    except Exception as error:
        if isinstance(error, OSError) and not (isinstance(member, SkillResource) and member.function is not None):
            return f'{member.name} cannot be read any more: {_reason(error)}.'
        return _failed(member.name, error)  # a Python function of the skill


async def _source(script: SkillScript, arguments: Mapping[str, Any] | None) -> str:
    if script.uri is None or script.root is None:
        raise ModelRetry(
            f'{script.name!r} is a Python function and has no source to read; run it with `run_skill_script`.'
        )
    return await anyio.to_thread.run_sync(read_text, script.root, Path(script.uri), arguments)


async def run_member(
    entry: SkillEntry, name: str, ctx: RunContext[Any], args: ScriptArguments, stdin: str | None
) -> Any:
    """What `run_skill_script` answers.

    Raises:
        ModelRetry: there is no such script, several fit, the arguments are not right, or the function of a skill in
            Python wants another try.
        ApprovalRequired: a person must be asked first.
        UnavailableError: its folder is gone, or the script belongs to another skill.
    """
    package = await package_of(entry)
    try:
        script = find_script(package, name)
    except ModelRetry:
        if (elsewhere := pointer_elsewhere(ctx, entry, name, use='run')) is None:
            raise
        raise UnavailableError(elsewhere) from None
    await note_member(entry, script)
    if script.call is not None:
        args = object_arguments(script.name, args, script.call.signature())
    try:
        approved = await approve(entry.options.approval, ctx, entry, script, args, stdin)
    except CannotAskError as error:
        return str(error)
    if approved is not None and script.from_registry:
        # It runs from a fresh copy with that digest. A local library's script runs in place, where its owner expects
        # what it writes; its digest has just been compared (decision 0040).
        script = replace(script, approved_digest=approved.digest)
    answer = await _run(script, ctx, args, stdin)
    return answer if script.call is not None or entry.options.attach_binaries else _text_of(answer)


async def _run(script: SkillScript, ctx: RunContext[Any], args: ScriptArguments, stdin: str | None) -> Any:
    try:
        return sendable(await script.run(ctx, args, stdin=stdin))
    except CONTROL_FLOW:
        raise
    except TimeoutError as error:
        return encodable(str(error)) or f'{script.name} ran out of time.'
    except Exception as error:  # an executor or a function failed: that is the answer
        return _failed(script.name, error)


def _text_of(answer: Any) -> Any:
    """An executor's answer without the files that it attached."""
    if not isinstance(answer, list):
        return answer
    parts = cast('list[Any]', answer)
    return (
        '\n'.join(part for part in parts if isinstance(part, str))
        if any(isinstance(part, BinaryContent) for part in parts)
        else parts
    )


def _reason(error: OSError) -> str:
    return error.strerror.lower() if error.strerror else 'it is no longer a file of the skill'


def _failed(name: str, error: Exception) -> str:
    return encodable(f'{name} failed: {type(error).__name__}: {error}')
