"""Libraries, and which of their immediate children are skill packages."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .files import is_inside, read_inside
from .index import skill_file_among
from .members import Origin

MAX_SKILL_FILE_BYTES = 16 * 2**20
"""How long a `SKILL.md` may be: fifty times the longest that was measured; more is no skill but an accident."""


@dataclass(frozen=True)
class Library:
    """A folder whose immediate children are skill packages, and where it comes from."""

    path: Path
    """The folder, absolute."""

    origin: Origin = 'local'
    """Where its scripts come from."""

    from_registry: bool = False
    """Whether it is a registry's: nothing may write to it, and links must not lead out of it."""

    source: str | None = None
    """What to call it when it is shown: the path as configured, or the registry."""

    @cached_property
    def boundary(self) -> Path | None:
        """The folder that links may lead into, resolved: the generation for a registry's, each package itself otherwise."""
        return Path(os.path.realpath(self.path)) if self.from_registry else None


@dataclass(frozen=True)
class FoundPackage:
    """An immediate child of a library that holds a `SKILL.md`, in whatever case."""

    library: Library
    folder: str
    """The child's name as it is on disk."""

    path: str
    """Its `SKILL.md`, not resolved. Text, since a library has thousands and most are never looked at again."""

    signature: tuple[int, int, int, int] = field(compare=False)
    """Size, modification and change time in nanoseconds, and inode of the `SKILL.md`."""

    @property
    def skill_file(self) -> Path:
        """Its `SKILL.md`, not resolved."""
        return Path(self.path)

    @property
    def directory(self) -> Path:
        """The package's folder, resolved."""
        return Path(os.path.realpath(os.path.dirname(self.path)))


def read_skill_file(found: FoundPackage) -> bytes:
    """The bytes of a package's `SKILL.md`. In a local library it may be a link to anywhere: links are their owner's.

    Raises:
        OSError: it cannot be read, or has more than `MAX_SKILL_FILE_BYTES`.
    """
    root = found.library.boundary or os.path.dirname(os.path.realpath(found.path))
    raw = read_inside(root, found.path, MAX_SKILL_FILE_BYTES + 1)
    if len(raw) > MAX_SKILL_FILE_BYTES:
        raise OSError(errno.EFBIG, f'it has more than {MAX_SKILL_FILE_BYTES:,} bytes')
    return raw


def installed_or_local(path: Path) -> Origin:
    """`'installed'` for a folder inside an installed Python distribution, else `'local'`."""
    return 'installed' if {'site-packages', 'dist-packages'} & set(path.parts) else 'local'


def find_packages(library: Library) -> Iterator[FoundPackage]:
    """The packages of a library, in the order of their names.

    One whose `SKILL.md` is no file, such as a link that leads nowhere, is among them, so that its reader says so and
    its name is known. Measured: 213 of 301 linked `SKILL.md` dangle.

    Raises:
        OSError: the library cannot be listed.
    """
    with os.scandir(library.path) as scan:
        names = sorted(entry.name for entry in scan if _may_be_package(entry))
    base, limit = str(library.path), os.path.realpath(library.path)
    for name in names:
        folder = f'{base}/{name}'
        if (found := _skill_file(folder) or _no_file(folder)) is None:
            continue
        path, info = found
        if library.from_registry and not is_inside(os.path.realpath(path), limit):
            continue
        signature = (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
        yield FoundPackage(library, name, path, signature)


def _may_be_package(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a loop of links


def skill_file_in(folder: str | Path) -> Path | None:
    """The `SKILL.md` of a package's folder, in whatever case it is written; `None` if it has none."""
    found = _skill_file(os.fspath(folder))
    return None if found is None else Path(found[0])


def _skill_file(folder: str) -> tuple[str, os.stat_result] | None:
    exact = f'{folder}/SKILL.md'
    try:
        info = os.stat(exact)
    except OSError:
        return _other_case(folder)
    return (exact, info) if stat.S_ISREG(info.st_mode) else None


def _no_file(folder: str) -> tuple[str, os.stat_result] | None:
    try:
        name = skill_file_among(os.listdir(folder))
        return None if name is None else (f'{folder}/{name}', os.lstat(f'{folder}/{name}'))
    except OSError:
        return None


def _other_case(folder: str) -> tuple[str, os.stat_result] | None:
    try:
        if (name := skill_file_among(os.listdir(folder))) is not None:
            path = os.path.join(folder, name)
            return (path, info) if stat.S_ISREG((info := os.stat(path)).st_mode) else None
    except OSError:
        pass
    return None
