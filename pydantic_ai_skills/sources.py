"""From configured directories and registries to libraries that can be read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from .codes import LIBRARY_EMPTY, NOT_A_LIBRARY
from .diagnostics import Severity, SkillDiagnostic
from .discovery import Library, installed_or_local, skill_file_in
from .options import MissingDirectories
from .registries import SkillRegistry, sync_all
from .skill_folders import libraries_near
from .tracing import tracer

_WAY_OUT = 'Mend the path, or pass missing_directories="skip" to go on without it.'


class LibraryError(ValueError):
    """A configured library is no library."""

    def __init__(self, path: Path, problem: str, hint: str, severity: Severity = 'warning') -> None:
        super().__init__(f'{problem} {hint}')
        self.finding = SkillDiagnostic(path, severity, NOT_A_LIBRARY, problem, hint)


def directory_libraries(
    directories: Iterable[str | Path], missing: MissingDirectories
) -> tuple[list[Library], list[SkillDiagnostic]]:
    """The libraries of these directories, each once, and what was left out.

    Args:
        directories: As configured: `~` is the home folder, and relative paths are the process's.
        missing: Whether one that is no library is an error, or is left out with a diagnostic.

    Raises:
        ValueError: one of them is missing, a file, unreadable, or itself a skill package, and `missing` is `'error'`.
    """
    libraries: dict[str, Library] = {}
    noted: list[SkillDiagnostic] = []
    for configured in directories:
        path = Path(os.path.abspath(configured))
        try:
            path = _expanded(configured)
            _check(path, str(configured))
        except LibraryError as error:
            if missing == 'error':
                raise
            noted.append(error.finding)
            continue
        library = Library(path, origin=installed_or_local(Path(os.path.realpath(path))), source=str(configured))
        libraries.setdefault(os.path.realpath(path), library)
    return list(libraries.values()), noted


def empty_finding(library: Library) -> SkillDiagnostic:
    """What to say of a directory without a skill: nothing is wrong, unless skills lie deeper."""
    message = f'There is no skill package in {library.source or library.path}.'
    if not (near := libraries_near(library.path)):
        return SkillDiagnostic(
            library.path, 'info', LIBRARY_EMPTY, message, 'Each skill is a folder in it with a `SKILL.md`.'
        )
    hint = (
        f'There are some below it: pass {", ".join(map(str, near[:3]))}{", …" if len(near) > 3 else ""}, or '
        "LocalSkillsRegistry(…, layout='tree'), which finds them at any depth."
    )
    return SkillDiagnostic(library.path, 'warning', LIBRARY_EMPTY, message, hint)


def registry_libraries(
    registries: Sequence[SkillRegistry], missing: MissingDirectories
) -> tuple[list[Library], list[SkillDiagnostic]]:
    """Sync these registries, at the same time, and return their libraries and what they or we noticed.

    Args:
        registries: In order of precedence.
        missing: Whether one that fails, with nothing from an earlier time, is an error, or is left out.

    Raises:
        RuntimeError: the network or a tool failed, and `missing` is `'error'`.
        ValueError: a source has no such path, or what it gives is no library.
    """
    libraries: list[Library] = []
    noted: list[SkillDiagnostic] = []
    if not registries:
        return libraries, noted
    names = ', '.join(map(repr, registries))
    with tracer().start_as_current_span('sync skills', attributes={'pydantic_ai_skills.registries': names}):
        synced = sync_all(registries)
    for registry, result in zip(registries, synced, strict=True):
        try:
            if isinstance(result, Exception):
                raise result
            libraries.append(_registry_library(registry, result))
        except LibraryError as error:
            if missing == 'error':
                raise
            noted.append(error.finding)
        except Exception as error:  # one of the user's own may raise whatever its client does
            if missing == 'error' or isinstance(error, TypeError):
                if repr(registry) not in str(error):
                    error.add_note(f'While {registry!r} was synced.')
                raise
            message = f'{registry!r} is left out: {str(error) or type(error).__name__}'
            noted.append(SkillDiagnostic(repr(registry), 'warning', NOT_A_LIBRARY, message))
        noted += registry.diagnostics
    return libraries, noted


def _registry_library(registry: SkillRegistry, synced: Path) -> Library:
    _check(synced, repr(registry), 'Pass layout="tree" to the registry to take it.')
    return registry.library(synced)


def _expanded(configured: str | Path) -> Path:
    try:
        return Path(os.path.abspath(Path(configured).expanduser()))
    except RuntimeError as error:  # no such user, or one without a home
        problem = f'The skill library {configured} does not exist: its home folder is not known.'
        raise LibraryError(Path(configured), problem, _WAY_OUT, 'info') from error


def _check(path: Path, configured: str, package_hint: str = 'Pass its parent folder instead.') -> None:
    try:
        if not path.exists():
            raise LibraryError(path, f'The skill library {configured} does not exist.', _WAY_OUT, 'info')
        if not path.is_dir():
            raise LibraryError(path, f'The skill library {configured} is not a directory.', _WAY_OUT)
        os.listdir(path)
    except LibraryError:
        raise
    except OSError as error:
        problem = f'The skill library {configured} cannot be read: {error.strerror or error}.'
        raise LibraryError(path, problem, _WAY_OUT) from error
    if skill_file_in(path) is not None:
        problem = f'{configured} is itself a skill package, not a library of packages.'
        raise LibraryError(path, problem, package_hint)


def warn_about_host(registries: Sequence[tuple[SkillRegistry, bool]]) -> None:
    """Warn once per registry that has a script, since no executor was chosen and its scripts run on the host."""
    for registry, has_scripts in registries:
        if has_scripts:
            warnings.warn(
                f'Scripts of {registry!r} will run on this host, with your rights. Choose where they run by '
                'script_executor=; LocalSkillScriptExecutor() says that the host is meant.',
                UserWarning,
                stacklevel=4,
            )
