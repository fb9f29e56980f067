"""From configured directories and registries to libraries that can be read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from .codes import NOT_A_LIBRARY
from .diagnostics import Severity, SkillDiagnostic
from .discovery import Library, installed_or_local, skill_file_in
from .options import MissingDirectories
from .registries import SkillRegistry

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


def registry_library(registry: SkillRegistry, path: Path) -> Library:
    """The library that a registry's sync returned.

    Raises:
        ValueError: it is no library, as when the registry's path is itself a skill.
        TypeError: it is no path.
    """
    if not isinstance(path, (str, Path)):
        raise TypeError(f'{registry!r}.sync() must return the path of a library, not {path!r}.')
    _check(Path(path), repr(registry), 'Pass layout="tree" to the registry to take it.')
    return registry.library(Path(os.path.abspath(path)))


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
