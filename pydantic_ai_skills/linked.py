"""Reading a file by the link that another file has to it: 88.6 % of published links mean the linking file's own folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic_ai import ModelRetry

from .access import find_resource, listed_names, readable_members
from .encoding import quoted
from .functions import object_arguments
from .links import resolve_link
from .members import SkillAsset, SkillResource, SkillScript
from .packages import SkillPackage
from .resolve import AmbiguousNameError, resolve_name, spellings

FROM = 'from'
"""The argument by which the model says in which file it read a link."""

Member: TypeAlias = SkillResource | SkillScript | SkillAsset
"""What reading can mean."""


def find_linked(package: SkillPackage, name: str, args: Any) -> tuple[Member, dict[str, Any] | str | None]:
    """What reading `name` reads, and the arguments that remain for it.

    With `{"from": file}` among the arguments, `name` is a link as that file has it; without, a name by the usual
    rules, and failing those a link that only one file of the skill can be meant by.

    Raises:
        ModelRetry: no file fits, several do, or the arguments are not right.
    """
    own = package.resources_by_name.get(name)
    if own is not None and own.uri is None:
        return own, args  # written in Python: its arguments are its own
    members = readable_members(package)
    arguments = object_arguments(name, args, '"offset" and "limit", in lines, and "from", a file')
    if arguments and FROM in arguments:
        origin = arguments.pop(FROM)
        if origin is not None and not isinstance(origin, str):
            raise ModelRetry(f'`from` must be the name of the file that has the link, not {origin!r}.')
        arguments = arguments or None
        if origin and (found := _linked(package, name, _origin(package, origin, members), members)):
            return members[found[0]], arguments
        if origin:
            return find_resource(package, name), arguments
    try:
        return find_resource(package, name), arguments
    except ModelRetry:
        return _only_link(package, name, members), arguments


def linking_file(args: Any) -> str:
    """The file that a call says it has the link from; empty where it does not say."""
    try:
        origin = (object_arguments('', args) or {}).get(FROM)
    except ModelRetry:
        return ''
    return origin if isinstance(origin, str) else ''


def _origin(package: SkillPackage, origin: str, members: Mapping[str, Member]) -> str:
    """The skill-relative path of the file (or folder) that has a link, as the model calls it."""
    texts = [origin, *spellings(origin, package.directory, package.name)]
    if folder := next((text for text in texts if any(file.startswith(f'{text}/') for file in members)), None):
        return folder
    names = {name: name for name in (*members, 'SKILL.md')}
    try:
        found = resolve_name(origin, names, package.directory, package.name)
    except AmbiguousNameError as error:
        raise ModelRetry(
            f'`from` could be several files: {listed_names(error.names)}. Give the whole path of the one with the link.'
        ) from error
    return texts[-1] if found is None else found


def _linked(package: SkillPackage, name: str, from_file: str | None, members: Mapping[str, Member]) -> list[str]:
    """What a link can mean; one that begins with the skill's own folder, in any spelling, the same from every file."""
    found = resolve_link(name, from_file, members)
    if not found:
        rooted = (resolve_link(text, 'SKILL.md', members) for text in spellings(name, package.directory, package.name))
        found = next(filter(None, rooted), found)
    return found


def _only_link(package: SkillPackage, name: str, members: Mapping[str, Member]) -> Member:
    found = _linked(package, name, None, members)
    if len(found) == 1:
        return members[found[0]]
    if found:
        raise ModelRetry(
            f'{quoted(name)} could be {listed_names(found)}. Give the whole name, or args={{"from": file}} with the file '
            'that has the link.'
        )
    return find_resource(package, name)  # says what there is
