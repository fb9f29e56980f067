"""Carrying out a call of a file tool: whatever goes wrong with a file or a script is its answer, never the run's end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed

from .access import find_script
from .digest import package_digest
from .encoding import encodable
from .entry import SkillEntry
from .functions import object_arguments
from .linked import find_linked
from .members import ScriptArguments, SkillAsset, SkillResource, SkillScript
from .packages import SkillPackage
from .resources import describe_asset, read_text
from .tracing import note_member

CONTROL_FLOW = (ModelRetry, ApprovalRequired, CallDeferred, ToolFailed)
"""What a Python function of a skill may raise to steer the run: passed on, as from any tool."""


async def package_of(entry: SkillEntry) -> SkillPackage:
    """The skill's files, indexed off the event loop the first time.

    Raises:
        ModelRetry: its folder is gone.
    """
    try:
        return await anyio.to_thread.run_sync(lambda: entry.package)
    except OSError as error:
        raise ModelRetry(
            f'The files of the skill {entry.name!r} cannot be listed ({error}). Go on without them.'
        ) from error


async def read_member(entry: SkillEntry, name: str, ctx: RunContext[Any], args: Any) -> Any:
    """What `read_skill_resource` answers.

    Raises:
        ModelRetry: there is no such file, several fit, or the arguments are not right.
    """
    package = await package_of(entry)
    member, args = find_linked(package, name, args)
    note_member(ctx, entry, member)
    try:
        if isinstance(member, SkillAsset):
            return describe_asset(member.name, member.uri, member.size, member.media_type)
        if isinstance(member, SkillScript):
            return await _source(member, object_arguments(member.name, args))
        return _sendable(await member.load(ctx, args))
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


async def find_runnable(entry: SkillEntry, name: str) -> SkillScript:
    """The script a call means; errors as `find_script`."""
    return find_script(await package_of(entry), name)


async def run_script(script: SkillScript, ctx: RunContext[Any], args: ScriptArguments, stdin: str | None) -> Any:
    """What `run_skill_script` answers.

    Raises:
        ModelRetry: the arguments are not right, or the function of a Python skill wants another try.
    """
    try:
        return _sendable(await script.run(ctx, args, stdin=stdin))
    except CONTROL_FLOW:
        raise
    except TimeoutError as error:
        return encodable(str(error)) or f'{script.name} ran out of time.'
    except Exception as error:  # an executor or a function failed: that is the answer
        return _failed(script.name, error)


def _reason(error: OSError) -> str:
    return error.strerror.lower() if error.strerror else 'it is no longer a file of the skill'


def _failed(name: str, error: Exception) -> str:
    return encodable(f'{name} failed: {type(error).__name__}: {error}')


def _sendable(value: Any) -> Any:
    return encodable(value) if isinstance(value, str) else value


async def run_approved(
    script: SkillScript, ctx: RunContext[Any], args: ScriptArguments, stdin: str | None, digest: str
) -> Any:
    """As `run_script`, if the package still has this digest: exactly what was approved.

    A registry's package runs from a fresh copy with that digest. One of a local library runs in place, where its
    owner expects what it writes, and is checked right before (decision 0040).
    """
    if script.from_registry:
        return await run_script(replace(script, approved_digest=digest), ctx, args, stdin)
    assert script.skill_directory is not None
    boundary = None if script.root == script.skill_directory else script.root
    try:
        found = await anyio.to_thread.run_sync(package_digest, script.skill_directory, boundary)
    except OSError as error:
        return f'{script.name} was not run: {_reason(error)}.'
    if found != digest:
        return f'{script.name} was not run: the files of its skill have changed since it was approved.'
    return await run_script(script, ctx, args, stdin)
