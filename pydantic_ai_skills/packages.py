"""A skill package and its bundled files, by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from .digest import package_digest
from .discovery import FoundPackage, Library, find_packages, installed_or_local, read_skill_file
from .excludes import DEFAULT_RESOURCE_EXCLUDES, ResourceFilter, combined_globs
from .executors import LocalSkillScriptExecutor
from .index import IndexedFile, PackageFile, index_files, script_names, walk, warn_user
from .members import SkillAsset, SkillResource, SkillScript, SkillScriptExecutor
from .names import is_legal_name, normalize_name
from .repair import repair
from .resources import guess_media_type

__all__ = ['DEFAULT_RESOURCE_EXCLUDES', 'SkillAsset', 'SkillPackage', 'index_libraries', 'index_package']

MemberT = TypeVar('MemberT', SkillResource, SkillScript, SkillAsset)


@dataclass(frozen=True)
class SkillPackage:
    """One skill's bundled files: what can be read, what can be run, and what is neither."""

    name: str
    """The skill's id."""

    directory: Path | None = None
    """Its folder, resolved; `None` for a skill written in Python."""

    resources: tuple[SkillResource, ...] = ()
    """What the model can read, sorted by name."""

    scripts: tuple[SkillScript, ...] = ()
    """What the model can run and is told of: files in the root and in `scripts/`, and Python functions."""

    assets: tuple[SkillAsset, ...] = ()
    """Files that are no text, sorted by name."""

    unlisted_scripts: tuple[SkillScript, ...] = field(default=(), repr=False)
    """Files that would be scripts but for their folder: listed as resources, and run all the same when asked for."""

    boundary: Path | None = field(default=None, repr=False, compare=False)
    """The folder that its links may lead into; the package's own where it is `None`."""

    resources_by_name: dict[str, SkillResource] = field(init=False, repr=False, compare=False)
    """`resources` by name."""

    scripts_by_name: dict[str, SkillScript] = field(init=False, repr=False, compare=False)
    """`scripts` by name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, 'resources_by_name', {item.name: item for item in self.resources})
        object.__setattr__(self, 'scripts_by_name', {item.name: item for item in self.scripts})

    @property
    def digest(self) -> str | None:
        """The SHA-256 over all its files (see `pydantic_ai_skills.digest`); `None` for a skill written in Python.

        Raises:
            OSError: a file cannot be read.
        """
        return None if self.directory is None else package_digest(self.directory, self.boundary)


def index_libraries(
    libraries: Iterable[str | Path],
    *,
    script_executor: SkillScriptExecutor | None = None,
    exclude_resources: Sequence[str] | None = None,
) -> dict[str, SkillPackage]:
    """Index every package of these libraries at once.

    Args:
        libraries: The parents of skill packages. One that is missing is skipped; a later one wins a name.
        script_executor: What runs the scripts; `LocalSkillScriptExecutor()` where it is `None`.
        exclude_resources: Globs that hide resources and assets, on top of `DEFAULT_RESOURCE_EXCLUDES`.

    Returns:
        A package per immediate child that holds a `SKILL.md`, by the id that the catalog gives it.
    """
    executor = LocalSkillScriptExecutor() if script_executor is None else script_executor
    hidden = combined_globs(exclude_resources)
    packages: dict[str, SkillPackage] = {}
    for path in [libraries] if isinstance(libraries, (str, Path)) else libraries:
        resolved = Path(os.path.realpath(Path(path).expanduser()))
        if not resolved.is_dir():
            continue
        for found in find_packages(Library(resolved, origin=installed_or_local(resolved))):
            try:
                if os.path.isfile(found.path) and (name := found_id(found)):
                    packages[name] = index_package(name, found, executor, hidden)
            except OSError as error:
                warn_user(f'Skipping {found.directory}: it cannot be listed ({error.strerror or error}).')
    return packages


def found_id(found: FoundPackage) -> str:
    """The id of a package whose definition has not been read: its frontmatter is looked at only where needed."""
    if is_legal_name(found.folder):
        return normalize_name(found.folder)
    try:
        raw = read_skill_file(found)
    except OSError:
        raw = b''
    return repair(raw, found.folder).id


def index_package(
    name: str, found: FoundPackage, executor: SkillScriptExecutor, hidden: ResourceFilter
) -> SkillPackage:
    """Index one package: walk its folder, read the beginning of each file, and give each its kind.

    Raises:
        OSError: its folder cannot be listed.
    """
    directory, library = found.directory, found.library
    root = library.boundary or directory
    resources: list[SkillResource] = []
    scripts: list[SkillScript] = []
    unlisted: list[SkillScript] = []
    assets: list[SkillAsset] = []

    def script(indexed: IndexedFile) -> SkillScript:
        return SkillScript(
            name=indexed.file.name,
            uri=indexed.file.path,
            skill_name=name,
            skill_directory=directory,
            executor=executor,
            origin=library.origin,
            from_registry=library.from_registry,
            root=root,
            takes_ctx=False,
        )

    for indexed in sorted(index_files(directory, library.boundary), key=lambda indexed: indexed.file.name):
        file = indexed.file
        if indexed.kind == 'script':
            scripts.append(script(indexed))
            continue
        if hidden.hides(file.name):
            continue
        if indexed.runnable:
            unlisted.append(script(indexed))
        if indexed.kind == 'resource':
            resources.append(SkillResource(name=file.name, uri=file.path, root=root, takes_ctx=False))
        else:
            assets.append(SkillAsset(file.name, file.path, file.size, guess_media_type(file.name), root))
    return SkillPackage(
        name=name,
        directory=directory,
        resources=_by_name(resources),
        scripts=_by_name(scripts),
        assets=_by_name(assets),
        unlisted_scripts=_by_name(unlisted),
        boundary=library.boundary,
    )


def _by_name(members: list[MemberT]) -> tuple[MemberT, ...]:
    # The walk gives what links lead to after the rest.
    return tuple(sorted(members, key=lambda member: member.name))


@dataclass(frozen=True, slots=True)
class FileKinds:
    """What one walk over a package tells, without the kind of each file."""

    readable: bool
    """Whether any file can be read, an asset counting too."""

    runnable: bool
    """Whether any script can be run, listed or not."""

    stamp: object
    """Equal for as long as no file of the package comes, goes or changes."""


def file_kinds(found: FoundPackage, hidden: ResourceFilter) -> FileKinds:
    """Look at a package's files; much cheaper than an index.

    Raises:
        OSError: its folder cannot be listed.
    """
    files = list(walk(found.directory, found.library.boundary))
    readable = runnable = False
    for name, is_script, can_run in script_names(files):
        shown = not hidden.hides(name)
        readable = readable or (shown and not is_script)
        runnable = runnable or is_script or (shown and can_run)
        if readable and runnable:
            break
    return FileKinds(readable, runnable, _stamp(files))


def file_counts(directory: Path, boundary: Path | None = None) -> tuple[int, int]:
    """How many files a package has that a model can use, and how many of them are scripts that it is told of.

    Nothing is opened that has an extension, so it takes a fifth of the time of an index (measured).

    Raises:
        OSError: its folder cannot be listed.
    """
    hidden, files, scripts = ResourceFilter(), 0, 0
    for name, is_script, _ in script_names(walk(directory, boundary)):
        scripts += is_script
        files += is_script or not hidden.hides(name)
    return files, scripts


def file_stamp(found: FoundPackage) -> object:
    """The stamp that `file_kinds` would give."""
    return _stamp(walk(found.directory, found.library.boundary))


def _stamp(files: Iterable[PackageFile]) -> object:
    return tuple((file.name, file.signature) for file in files)
