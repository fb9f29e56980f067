"""Where skills are: every folder with a `SKILL.md` below one, and the folders that are there by convention."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from .discovery import skill_file_in
from .excludes import is_excluded_part
from .files import is_inside

CONVENTIONAL = ('.agents/skills', '.claude/skills')
"""Where projects and people keep their skills, in order of precedence."""


def find_skill_folders(top: Path, report: Callable[[Path, OSError], None] | None = None) -> Iterator[Path]:
    """Every folder at or below `top` that holds a `SKILL.md`, by path, those inside other skills too.

    What `DEFAULT_RESOURCE_EXCLUDES` shut out is not looked at. A link is followed only where it leads straight to a
    skill, as in a library, that is not below `top` anyway; each such skill once, so no loop. `report` is told of each
    folder that cannot be listed.

    Raises:
        OSError: `top` cannot be listed.
    """
    root = os.path.realpath(top)
    linked: set[str] = set()
    pending = [(str(top), False)]
    while pending:
        folder, is_link = pending.pop()
        if is_link:
            target = os.path.realpath(folder)
            if is_inside(target, root) or target in linked:
                continue
            linked.add(target)
        if skill_file_in(folder) is not None:
            yield Path(folder)
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            if folder == str(top):
                raise
            if report is not None:
                report(Path(folder), error)
            continue
        for entry in entries:
            if is_excluded_part(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, False))
            elif entry.is_symlink() and skill_file_in(entry.path) is not None:
                pending.append((entry.path, True))


def libraries_below(top: Path) -> list[Path]:
    """The libraries that a folder means: itself if it has skills as immediate children, else those below it.

    Raises:
        OSError: `top` cannot be listed.
    """
    if _has_skills(top):  # without a look at all that lies below a big library
        return [top]
    parents = dict.fromkeys(folder.parent for folder in find_skill_folders(top) if folder != top)
    if not parents or top in parents:
        return [top]
    return [parent for parent in parents if skill_file_in(parent) is None]


def libraries_near(top: Path, limit: int = 500) -> list[Path]:
    """The libraries at most three levels below `top`, the nearest first, as far as a look at `limit` entries shows.

    For a hint where a folder turns out to hold no skill: it may be the root of a big disk.
    """
    found: dict[Path, None] = {}
    pending = [(str(top), 0)]
    for folder, depth in pending:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(islice(scan, limit), key=lambda entry: entry.name)
        except OSError:
            continue
        limit -= len(entries)
        for entry in entries:
            if is_excluded_part(entry.name) or not entry.is_dir(follow_symlinks=False):
                continue
            if skill_file_in(entry.path) is not None:
                found[Path(folder)] = None
            elif depth < 3:
                pending.append((entry.path, depth + 1))
    return list(found)


def _has_skills(folder: Path) -> bool:
    with os.scandir(folder) as scan:
        return any(
            entry.is_dir(follow_symlinks=False)  # a link may only repeat what lies further below
            and not is_excluded_part(entry.name)
            and skill_file_in(entry.path) is not None
            for entry in scan
        )


def conventional_folders(start: Path, home: Path) -> list[Path]:
    """Those of the `CONVENTIONAL` folders that exist: from `start` up to the root of its repository, then in `home`.

    Outside a repository only `start` itself is looked at. The nearest come first.
    """
    start = Path(os.path.abspath(start))
    places = [start]
    if root := _repository_root(start):
        places = [start, *(parent for parent in start.parents if parent == root or root in parent.parents)]
    places.append(home)
    folders = [place / name for place in places for name in CONVENTIONAL]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _repository_root(start: Path) -> Path | None:
    return next((place for place in (start, *start.parents) if (place / '.git').exists()), None)
