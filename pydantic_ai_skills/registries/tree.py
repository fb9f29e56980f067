"""`layout='tree'`: every `SKILL.md` at any depth becomes a package of one flat library."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from ..codes import LIBRARY_EMPTY, SHADOWED
from ..diagnostics import SkillDiagnostic
from ..discovery import FoundPackage, Library, skill_file_in
from ..excludes import is_excluded_part
from ..files import is_inside
from .reading import PackageText, read_package, same_package
from .staging import copy_package
from .work import Progress, check_cancelled

Layout: TypeAlias = Literal['library', 'tree']
"""`'library'`: the immediate children are the packages. `'tree'`: every `SKILL.md` at any depth, one at the top too."""


def checked_layout(layout: Layout) -> Layout:
    """`layout` if it is one.

    Raises:
        ValueError: it is not.
    """
    if layout not in ('library', 'tree'):
        raise ValueError(f"layout must be 'library' or 'tree', not {layout!r}.")
    return layout


@dataclass
class Tree:
    """The skills of a tree, one for each id, in the order in which they win an id: the less deep, then by path."""

    packages: list[PackageText] = field(default_factory=list[PackageText])
    """What is to be in the flat library."""

    diagnostics: list[SkillDiagnostic] = field(default_factory=list[SkillDiagnostic])
    """What was left out."""

    folders: set[str] = field(default_factory=set[str])
    """The resolved folder of every `SKILL.md`, of those left out too."""


def read_tree(library: Library, name: str) -> Tree:
    """Find and read every skill of a tree.

    Args:
        library: The top of it; its boundary says where links may lead.
        name: What a skill at the very top is named after: the repository or the folder.

    Raises:
        OSError: the top cannot be listed.
    """
    tree = Tree()
    taken: dict[str, PackageText] = {}
    for found in sorted(_find(library, name), key=lambda found: (found.path.count('/'), found.path)):
        tree.folders.add(str(found.directory))
        package = read_package(found)
        if isinstance(package, SkillDiagnostic):
            tree.diagnostics.append(package)
        elif (first := taken.setdefault(package.name, package)) is package:
            tree.packages.append(package)
        elif not same_package(first, package):
            tree.diagnostics.append(_duplicate(first, package, library.path))
    return tree


def stage_tree(tree: Tree, target: Path, progress: Progress) -> list[SkillDiagnostic]:
    """Copy the packages of a tree into the folder `target`, each named by its id.

    Returns:
        What was left out, now and when the tree was read.
    """
    diagnostics = list(tree.diagnostics)
    for done, package in enumerate(tree.packages):
        check_cancelled()
        progress('stage', done, len(tree.packages))
        own = str(package.found.directory)
        inner = {folder for folder in tree.folders if folder != own and is_inside(folder, own)}
        diagnostics += copy_package(package.found, target / package.name, apart=inner)
    progress('stage', len(tree.packages), len(tree.packages))
    return diagnostics


def empty_finding(library: Path, shown: str, layout: Layout) -> list[SkillDiagnostic]:
    """A finding if a library that was made has no package at all."""
    with os.scandir(library) as scan:
        if any(entry.is_dir() and skill_file_in(entry.path) is not None for entry in scan):
            return []
    hint = "layout='tree' finds skills at any depth." if layout == 'library' else None
    return [SkillDiagnostic(shown, 'warning', LIBRARY_EMPTY, f'There is no skill package in {shown}.', hint)]


def _find(library: Library, name: str) -> Iterator[FoundPackage]:
    root = os.path.realpath(library.path)
    pending: list[tuple[str, str]] = [(root, name)]
    while pending:
        folder, name = pending.pop()
        if (found := _package(library, name, folder)) is not None:
            yield found
        try:
            with os.scandir(folder) as scan:
                entries = [entry for entry in scan if not is_excluded_part(entry.name)]
        except OSError:
            if folder == root:
                raise
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, entry.name))
            elif entry.is_symlink() and library.boundary is None:
                # Inside the tree it is found where it lies; outside it is the owner's, as in a library.
                target = os.path.realpath(entry.path)
                if not is_inside(target, root) and (found := _package(library, entry.name, entry.path)) is not None:
                    yield found


def _package(library: Library, name: str, folder: str) -> FoundPackage | None:
    skill_file = skill_file_in(folder)
    if skill_file is None:
        return None
    if library.boundary is not None and not is_inside(os.path.realpath(skill_file), os.path.realpath(library.boundary)):
        return None
    info = os.stat(skill_file)
    return FoundPackage(library, name, str(skill_file), (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino))


def _duplicate(first: PackageText, second: PackageText, top: Path) -> SkillDiagnostic:
    paths = [os.path.relpath(package.found.path, os.path.realpath(top)) for package in (first, second)]
    return SkillDiagnostic(
        second.found.skill_file,
        'warning',
        SHADOWED,
        f'Two skills are called {first.name!r}: {paths[0]} is used and {paths[1]} is left out.',
        'Rename one of them, or take a part of the tree by its path.',
    )
