"""From locations to capabilities: each source is opened by itself, as an agent would have it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rich.progress import Progress

from ..capability import SkillsCapability
from ..diagnostics import SkillDiagnostic
from ..discovery import FoundPackage, Library, find_packages, skill_file_in
from ..executors import LocalSkillScriptExecutor
from ..members import SkillScriptExecutor
from ..packages import found_id
from ..registries import SkillRegistry
from ..skill_folders import libraries_below
from .console import near
from .errors import WrongUseError, note, sentence
from .locations import FolderLocation, GitLocation, Location, S3Location
from .registry_progress import WatchedRegistry, progress_bars

ExecutorName: TypeAlias = Literal['local', 'bubblewrap']
ExecutorChoice: TypeAlias = Callable[[Location], ExecutorName]


@dataclass(frozen=True)
class Source:
    """A location that was opened."""

    location: Location
    capability: SkillsCapability[Any]
    notes: tuple[str, ...] = ()
    """What was said while it was opened beside its diagnostics, such as that a copy from before is used."""

    @property
    def text(self) -> str:
        """What to call it."""
        return self.location.text

    @property
    def is_remote(self) -> bool:
        """Whether it came over the network."""
        return not isinstance(self.location, FolderLocation)


@dataclass(frozen=True)
class FailedSource:
    """A location that could not be opened."""

    location: Location
    error: Exception

    def sentence(self) -> str:
        """What is wrong, for people, with the name of the location."""
        said, text = sentence(self.error), self.location.text
        return said if text in said else f'{text}: {said}'


def anywhere(location: Location) -> ExecutorName:
    """The executor where no script will run."""
    return 'local'


def executor_choice(chosen: ExecutorName | None) -> ExecutorChoice:
    """The executor that was asked for; unless one was, this machine for folders, the sandbox for the network's scripts."""

    def choose(location: Location) -> ExecutorName:
        return chosen or ('local' if isinstance(location, FolderLocation) else 'bubblewrap')

    return choose


def open_sources(locations: Sequence[Location], choose: ExecutorChoice = anywhere) -> Iterator[Source | FailedSource]:
    """Open each location; what fails is among the results, so that one dead server does not hide the others."""
    with progress_bars(any(not isinstance(location, FolderLocation) for location in locations)) as progress:
        for location in locations:
            try:
                yield open_source(location, choose, progress)
            except (ValueError, RuntimeError, OSError, WrongUseError, NotImplementedError, ImportError) as error:
                yield FailedSource(location, error)


def open_all(locations: Sequence[Location], choose: ExecutorChoice = anywhere) -> list[Source]:
    """Open each location; the first that fails raises, and what is worth knowing is said on standard error."""
    opened: list[Source] = []
    for source in open_sources(locations, choose):
        if isinstance(source, FailedSource):
            raise source.error
        for text in source.notes:
            note(text)
        opened.append(source)
    return opened


def open_source(location: Location, choose: ExecutorChoice, progress: Progress) -> Source:
    """Open one location.

    Raises:
        WrongUseError: there is no such folder, or it cannot be a source, or its scripts cannot run as chosen.
        ValueError: the source has no such path or reference.
        RuntimeError: the network failed and nothing from before is there, or a package is not installed.
    """
    executor = _executor(location, choose)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        if isinstance(location, FolderLocation):
            capability = _folder_capability(location, executor)
        else:
            capability = _remote_capability(location, executor, progress)
    closed = _closed_folders(location.path) if isinstance(location, FolderLocation) else ()
    known = {str(diagnostic) for diagnostic in capability.diagnostics}
    messages = (str(item.message) for item in caught if issubclass(item.category, UserWarning))
    told = dict.fromkeys(text for text in messages if text not in known)
    return Source(location, capability, (*told, *closed))


def _closed_folders(path: Path) -> Iterator[str]:
    """What to say of folders that may be skills, and that nobody can tell, since they cannot be looked into."""
    try:
        with os.scandir(path) as scan:
            folders = sorted(entry.path for entry in scan if entry.is_dir())
    except OSError:
        return
    for folder in folders:
        if not os.access(folder, os.R_OK | os.X_OK):
            yield f'{near(folder)} cannot be looked into: Permission denied.'


def _remote_capability(
    location: GitLocation | S3Location, executor: SkillScriptExecutor, progress: Progress
) -> SkillsCapability[Any]:
    registry = registry_of(location)
    try:
        watched = WatchedRegistry(registry, location.text, progress)
        return SkillsCapability(registries=[watched], script_executor=executor, require_loaded=False)
    except RuntimeError as error:  # it says which registry, as a program has it
        raise RuntimeError(str(error).replace(repr(registry), location.text)) from error


def _executor(location: Location, choose: ExecutorChoice) -> SkillScriptExecutor:
    if choose(location) == 'local':
        return LocalSkillScriptExecutor()
    from ..executors import BubblewrapScriptExecutor

    try:
        return BubblewrapScriptExecutor()
    except (RuntimeError, NotImplementedError) as error:
        raise WrongUseError(
            f'There is no sandbox to run scripts of {location.text} in: {str(error).rstrip(".")}. '
            'Pass --executor local if you trust them like your own code.'
        ) from error


def registry_of(location: GitLocation | S3Location) -> SkillRegistry:
    """The registry of a location on the network: every skill at or below its path.

    Raises:
        ImportError: the extra that it needs is not installed.
    """
    if isinstance(location, GitLocation):
        from ..registries import GitSkillsRegistry

        return GitSkillsRegistry(location.url, path=location.path, ref=location.ref, layout='tree')
    from ..registries import S3SkillsRegistry

    return S3SkillsRegistry(location.bucket, prefix=location.prefix, layout='tree')


def _folder_capability(location: FolderLocation, executor: SkillScriptExecutor) -> SkillsCapability[Any]:
    path = location.path
    if not path.exists():
        raise WrongUseError(f'There is no folder {location.text}.')
    if path.name.lower() == 'skill.md':
        path = path.parent
    if not path.is_dir():
        raise WrongUseError(f'{location.text} is a file; a source is a folder.')
    if skill_file_in(path) is None:
        return SkillsCapability(
            libraries_below(path),
            duplicate_names='keep_first',
            missing_directories='skip',
            script_executor=executor,
            require_loaded=False,
        )
    found = package_at(path)
    return SkillsCapability(
        path.parent,
        include=[found_id(found)],
        duplicate_names='keep_first',
        script_executor=executor,
        require_loaded=False,
    )


def package_at(folder: Path) -> FoundPackage:
    """The package in a folder that holds a `SKILL.md`.

    Raises:
        WrongUseError: it lies directly in another skill, so that no agent could have it.
    """
    if skill_file_in(folder.parent) is not None:
        raise WrongUseError(f'{folder} lies inside the skill {folder.parent}, so no agent finds it: move it beside it.')
    return next(found for found in find_packages(Library(folder.parent)) if found.folder == folder.name)


def diagnostics_of(source: Source, directory: Path | None) -> list[SkillDiagnostic]:
    """What was noticed about the package in `directory`, as `SkillInfo.directory` has it."""
    return [item for item in source.capability.diagnostics if folder_of(item) == directory and directory is not None]


def folder_of(diagnostic: SkillDiagnostic) -> Path | None:
    """The resolved folder of the package that a diagnostic is about; `None` for one about something else."""
    path = Path(diagnostic.path)
    if path.name.lower() == 'skill.md':
        path = path.parent
    return path.resolve() if path.is_absolute() else None
