"""Which skill and which file a tool call means, and whether it may be used now; the model's mistakes get a way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, ToolCallPart, ToolReturnPart

from .bundled import is_listable
from .encoding import quoted
from .entry import SkillEntry
from .members import SkillAsset, SkillResource, SkillScript
from .names import normalize_name
from .packages import SkillPackage
from .resolve import AmbiguousNameError, resolve_name

MemberT = TypeVar('MemberT', SkillResource | SkillScript | SkillAsset, SkillScript)

FileUse: TypeAlias = Literal['read', 'run']
"""What is to be done with a file of a skill."""

LOAD_TOOL = 'load_capability'
"""The framework's tool that loads a skill."""

_LISTED_NAMES = 20


class UnavailableError(Exception):
    """What was asked for is gone or elsewhere, by no mistake of the model's, so it costs no retry: the message is the answer."""


class SkillAccess:
    """The skills of one tool call."""

    def __init__(
        self, ctx: RunContext[Any], lookup: Callable[[str], SkillEntry | None], names: Callable[[], Iterable[str]]
    ) -> None:
        """Look skills up by `lookup`; `names` lists them for a message."""
        self._ctx = ctx
        self._lookup = lookup
        self._names = names

    def skill(self, name: str, use: FileUse) -> SkillEntry:
        """The skill of this id, whose files are to be read or run.

        Raises:
            ModelRetry: there is none, or its files are shut because it is not loaded, or its capability does not
                offer that, though another one of the run has the tool.
            UnavailableError: the model has loaded it in an earlier run, and it is not there any more.
        """
        name = normalize_name(name.strip())
        entry = self._lookup(name)
        if entry is None:
            if name not in self._ctx.active_capability_ids and _was_loaded(self._ctx, name):
                raise UnavailableError(
                    f'The skill {name!r} is not available any more, and neither are its files. Go on without it.'
                )
            raise ModelRetry(f'There is no skill {quoted(name)}. The skills are: {listed_names(self._names())}.')
        if entry.options.require_loaded and not is_loaded(self._ctx, name):
            raise ModelRetry(
                f'The skill {name!r} is not loaded, so its files are shut. '
                f'Call `load_capability` with id {name!r}, then repeat this call.'
            )
        if not (entry.options.resources if use == 'read' else entry.options.scripts):
            raise ModelRetry(f'No file of the skill {name!r} can be {use} here. Go on without.')
        return entry


def unwrap_entry(capability: AbstractCapability[Any]) -> SkillEntry | None:
    """The skill that a capability of a run stands for, under whatever wraps it; `None` where it is no skill."""
    # A leaf is told by what it carries: asking each of a run's thousand for an abstract class takes a millisecond.
    entry = getattr(capability, 'entry', None)
    while not isinstance(entry, SkillEntry) and isinstance(capability, WrapperCapability):
        capability = capability.wrapped
        entry = getattr(capability, 'entry', None)
    return entry if isinstance(entry, SkillEntry) else None


def is_loaded(ctx: RunContext[Any], name: str) -> bool:
    """Whether the model has loaded the skill: in an earlier step or run, or in the response that is being carried out."""
    if name in ctx.active_capability_ids:
        return True
    response = next((message for message in reversed(_messages(ctx)) if isinstance(message, ModelResponse)), None)
    return response is not None and any(_loads(part, name) for part in response.parts)


def _was_loaded(ctx: RunContext[Any], name: str) -> bool:
    """Whether the conversation has a load of the skill that succeeded."""
    parts = [part for message in _messages(ctx) for part in message.parts]
    loaded = {
        part.tool_call_id
        for part in parts
        if isinstance(part, ToolReturnPart) and part.tool_name == LOAD_TOOL and part.outcome == 'success'
    }
    return any(isinstance(part, ToolCallPart) and part.tool_call_id in loaded and _loads(part, name) for part in parts)


def _messages(ctx: RunContext[Any]) -> Sequence[ModelMessage]:
    try:
        return ctx.messages
    except UserError:  # a context that crossed a process boundary has none
        return ()


def _loads(part: ModelResponsePart, name: str) -> bool:
    if not isinstance(part, ToolCallPart) or part.tool_name != LOAD_TOOL:
        return False
    try:
        wanted = part.args_as_dict().get('id')
    except (ValueError, AssertionError, AttributeError):
        return False
    return isinstance(wanted, str) and normalize_name(wanted) == name


def readable_members(package: SkillPackage) -> dict[str, SkillResource | SkillScript | SkillAsset]:
    """All that reading can mean, by name: resources, assets, and the scripts' sources."""
    return {member.name: member for member in (*package.scripts, *package.assets, *package.resources)}


def find_resource(package: SkillPackage, name: str) -> SkillResource | SkillScript | SkillAsset:
    """What reading `name` reads: a resource, an asset, or a script's source.

    Raises:
        ModelRetry: no file fits, or several do.
    """
    members = readable_members(package)
    listed = [member.name for member in (*package.resources, *package.assets)]
    return _find(package, name, members, 'file', listed or list(members))


def find_script(package: SkillPackage, name: str) -> SkillScript:
    """The script that running `name` runs, listed or not.

    Raises:
        ModelRetry: no script fits, or several do.
    """
    members = {script.name: script for script in (*package.unlisted_scripts, *package.scripts)}
    try:
        return _find(package, name, members, 'script', [script.name for script in package.scripts])
    except ModelRetry:
        if name in package.resources_by_name:
            raise ModelRetry(f'{name!r} is not a script; read it with `read_skill_resource`.') from None
        raise


def _find(package: SkillPackage, name: str, members: Mapping[str, MemberT], kind: str, listed: list[str]) -> MemberT:
    try:
        found = resolve_name(name, members, package.directory, package.name)
    except AmbiguousNameError as error:
        raise ModelRetry(
            f'{name!r} could be several {kind}s of the skill {package.name!r}: {listed_names(error.names)}. Give the whole path.'
        ) from error
    if found is None:
        has = f'It has: {listed_names(listed)}.' if listed else f'It has no {kind}s.'
        raise ModelRetry(f'The skill {package.name!r} has no {kind} {quoted(name)}. {has}')
    return found


def listed_names(names: Iterable[str]) -> str:
    """Names for a message, sorted and cut; those that could forge a line of it are left out."""
    names = sorted(filter(is_listable, names))
    more = f' and {len(names) - _LISTED_NAMES:,} more' if len(names) > _LISTED_NAMES else ''
    return ', '.join(names[:_LISTED_NAMES]) + more if names else '(none)'
