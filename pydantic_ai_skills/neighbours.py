"""Links that lead out of a skill, to another one: 11.5 % of published skills have them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Any

from pydantic_ai import RunContext

from .access import LOAD_TOOL, FileUse
from .encoding import quoted
from .entry import SkillEntry
from .finding import run_entries
from .index import is_skill_file
from .linked import linking_file
from .links import link_paths
from .names import normalize_name


def pointer_elsewhere(
    ctx: RunContext[Any], entry: SkillEntry, name: str, args: Any = None, use: FileUse = 'read'
) -> str | None:
    """What to tell a model that takes instructions, or a file of another skill of the run, for a file of this skill.

    `None` where the name is nothing of the kind. Only skills of the run are named.

    Args:
        ctx: The run context.
        entry: The skill whose file was asked for, and which has none of that name.
        name: What was asked for.
        args: The arguments of a call to read, which may say in which file the link stands.
        use: What the model wants to do with it.
    """
    entries = run_entries(ctx)
    if not entries:  # a toolset by itself: nothing loads skills
        return None
    folders = dict.fromkeys((posixpath.dirname(linking_file(args)), ''))
    texts = reversed(list(link_paths(name)))  # the barest first: what follows `#` is no part of the name to give
    for path in (posixpath.normpath(posixpath.join(folder, text)) for text in texts for folder in folders):
        outside, instructions = path.startswith('../'), is_skill_file(posixpath.basename(path))
        if not (outside or instructions):
            continue
        parts = [part for part in path.split('/') if part != '..']
        own = parts[:-1] in ([_folder(entry)], [entry.name]) if outside else len(parts) == 1
        if instructions and own:
            return (
                f'SKILL.md holds the instructions of the skill {entry.name!r}, which `{LOAD_TOOL}` gives. '
                'It is not among the files to read.'
            )
        for index in range(len(parts) - 2, -1, -1):
            if (other := _named(entries, parts[index])) is not None and other.name != entry.name:
                return _pointer(name, other.name, '/'.join(parts[index + 1 :]), use)
    return None


def _pointer(name: str, skill: str, rest: str, use: FileUse) -> str:
    follow = '' if is_skill_file(rest) else f', then {use} {rest!r} of it'
    return f'{quoted(name)} belongs to another skill, {skill!r}. Call `{LOAD_TOOL}` with id {skill!r}{follow}.'


def _named(entries: Iterable[SkillEntry], folder: str) -> SkillEntry | None:
    """The skill that lies in a folder of this name, or goes by it."""
    name = normalize_name(folder)
    found = [entry for entry in entries if name in (entry.name, _folder(entry))]
    return found[0] if len(found) == 1 else next((entry for entry in found if entry.name == name), None)


def _folder(entry: SkillEntry) -> str | None:
    return None if entry.info.directory is None else normalize_name(entry.info.directory.name)
