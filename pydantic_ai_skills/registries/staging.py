"""Copying a package into a library of our own: regular files only, nothing from outside it, nothing of another skill."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from pathlib import Path
from types import TracebackType

from ..codes import LINK_ESCAPE, UNREADABLE
from ..diagnostics import SkillDiagnostic
from ..discovery import FoundPackage
from ..files import UnsafeFileError, is_inside, open_inside
from ..index import PackageFile, is_skill_file, walk

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SOURCE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_COPY = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SMALL = 1 << 20
_LEAST = 1 << 12
_UNABLE = frozenset([errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM])


def copy_package(
    found: FoundPackage, target: Path, *, skill_file: bytes | None = None, apart: Collection[str] = ()
) -> list[SkillDiagnostic]:
    """Copy a package's files to the new folder `target`, links as what they lead to, execute bits kept.

    What `DEFAULT_RESOURCE_EXCLUDES` shut out is not copied: no skill can use it, and secrets stay where they are.

    Args:
        found: The package.
        target: A folder that is made.
        skill_file: What its `SKILL.md` is to hold; as it is where `None`.
        apart: Folders of other skills inside it, resolved: not copied.

    Returns:
        A diagnostic for each file that had to be left out.

    Raises:
        OSError: a file cannot be written.
    """
    diagnostics: list[SkillDiagnostic] = []

    def report(message: str, code: str = LINK_ESCAPE) -> None:
        diagnostics.append(SkillDiagnostic(found.skill_file.parent, 'warning', code, message))

    own_name = os.path.basename(found.path)
    os.mkdir(target)
    with _Folders(str(found.directory), create=False) as source, _Folders(str(target), create=True) as copy:
        for file in walk(found.directory, found.library.boundary, report):
            is_skill = is_skill_file(file.name)
            if (is_skill and file.name != own_name) or (apart and _is_in_any(file.path, apart)):
                continue
            if is_skill and skill_file is not None:
                copy.write('SKILL.md', skill_file)
                continue
            try:
                descriptor = source.open(file, found.library.boundary)
            except OSError as error:
                report(f'Skipping {file.path}: it cannot be read ({error.strerror or error}).', UNREADABLE)
                continue
            try:
                copy.copy('SKILL.md' if is_skill else file.name, descriptor, file)
            finally:
                os.close(descriptor)
    return diagnostics


def _is_in_any(path: str, folders: Collection[str]) -> bool:
    return any(is_inside(path, folder) for folder in folders)


class _Folders:
    """The folders of one package, each opened once, without following links.

    What is opened in them cannot lie anywhere else, whatever is swapped meanwhile; opening every file from the root
    on, as a single reading does, took half the time of a copy (measured).
    """

    def __init__(self, root: str, *, create: bool) -> None:
        self._root, self._create = root, create
        self._open: dict[str, int] = {'': os.open(root, _DIRECTORY)}

    def __enter__(self) -> _Folders:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)

    def _folder(self, path: str) -> int:
        if (known := self._open.get(path)) is not None:
            return known
        parent, _, name = path.rpartition('/')
        above = self._folder(parent)
        if self._create:
            os.mkdir(name, dir_fd=above)
        descriptor = self._open[path] = os.open(name, _DIRECTORY, dir_fd=above)
        return descriptor

    def open(self, file: PackageFile, boundary: Path | None) -> int:
        """Open a file of the package for reading; errors as `open_inside`."""
        if file.path != f'{self._root}/{file.name}':  # met through a link
            root = str(boundary or self._root)
            return open_inside(root if is_inside(file.path, root) else os.path.dirname(file.path), file.path)
        folder, _, name = file.name.rpartition('/')
        descriptor = os.open(name, _SOURCE, dir_fd=self._folder(folder))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnsafeFileError(f'{file.path} is not a regular file')
        return descriptor

    def _create_file(self, path: str, mode: int) -> int:
        folder, _, name = path.rpartition('/')
        return os.open(name, _COPY, mode, dir_fd=self._folder(folder))

    def write(self, path: str, content: bytes) -> None:
        """Make a file that holds `content`."""
        descriptor = self._create_file(path, 0o666)
        try:
            _write(descriptor, content)
        finally:
            os.close(descriptor)

    def copy(self, path: str, source: int, file: PackageFile) -> None:
        """Make a file that holds what is left to read of the open `source`; a big one shares its blocks if it can."""
        descriptor = self._create_file(path, 0o777 if file.executable else 0o666)
        try:
            if file.size > _SMALL:
                _share(source, descriptor)
            # One more than there should be: then a whole small file takes one reading, and a grown one is noticed.
            while chunk := os.read(source, min(max(file.size + 1, _LEAST), _SMALL)):
                _write(descriptor, chunk)
                if len(chunk) == file.size:
                    break
        finally:
            os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    written = os.write(descriptor, content)
    while written < len(content):
        written += os.write(descriptor, content[written:])


def _share(source: int, target: int) -> None:
    """Copy inside the kernel, as far as that goes."""
    copy_range = getattr(os, 'copy_file_range', None)
    try:
        while copy_range is not None and copy_range(source, target, 1 << 30):
            pass
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
