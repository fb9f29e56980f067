"""The copy of a package that a registry's scripts run from, so that nothing ever writes to the registry's store.

One per package digest, in the user's cache folder, built aside and renamed into place, so that two processes do no
harm to each other. A script may leave files in it. Before each run the package's own files are checked, and one that
was changed is restored; a run that a person approved gets a fresh copy of its own instead.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock

from .cache import NOT_WRITABLE, cache_folder, mark_used, private_folder, remove_unused, temporary_folder
from .digest import digest_of, file_digest, package_digest
from .files import is_inside, open_inside
from .index import PackageFile, walk

_Signature = tuple[int, int, int, int, int]
_verified: dict[Path, dict[str, _Signature]] = {}
_lock = Lock()


class PackageChangedError(OSError):
    """The package is not, or no longer, what was asked for."""


def package_copy(directory: Path, boundary: Path | None = None) -> Path:
    """A copy of the package in `directory` to run its scripts in; files that scripts left there are kept.

    Args:
        directory: The package's folder.
        boundary: The folder that its links may lead into; itself where it is `None`.

    Returns:
        A folder of the same name, each of the package's files in it as the package has it now.

    Raises:
        OSError: the package cannot be read, or there is no room for a copy.
    """
    digest = package_digest(directory, boundary)
    try:
        return _copy_in(private_folder(cache_folder(), 'copies'), directory, boundary, digest)
    except OSError as error:
        if error.errno not in NOT_WRITABLE:
            raise
        return _copy_in(private_folder(temporary_folder(), 'copies'), directory, boundary, digest)


def write_exact_copy(directory: Path, folder: Path, boundary: Path | None = None, digest: str | None = None) -> Path:
    """A fresh copy for one run, with the package's files and nothing else, for the caller to remove.

    Args:
        directory: The package's folder.
        folder: Where to put it.
        boundary: As for `package_copy`.
        digest: What the package has to be, as when a person approved a script of it.

    Raises:
        PackageChangedError: the package has another digest.
        OSError: as for `package_copy`.
    """
    found = package_digest(directory, boundary)
    if digest is not None and digest != found:
        raise PackageChangedError(f'{directory} is no longer what was asked for: its files have changed.')
    copy = folder / directory.name
    _write_copy(directory, boundary, found, copy)
    return copy


def _copy_in(copies: Path, directory: Path, boundary: Path | None, digest: str) -> Path:
    copy = copies / digest / directory.name
    if not copy.is_dir() or copy.is_symlink():
        _build(copies, directory, boundary, digest, copy)
    mark_used(copy.parent)
    _restore(copy, directory, boundary)
    return copy


def _build(copies: Path, directory: Path, boundary: Path | None, digest: str, copy: Path) -> None:
    remove_unused(copies)
    aside = Path(tempfile.mkdtemp(prefix='new-', dir=copies))
    try:
        _write_copy(directory, boundary, digest, built := aside / directory.name)
        right = {name: found for name in _names(built) if (found := _Copy(built).signature(name)) is not None}
        copy.parent.mkdir(mode=0o700, exist_ok=True)
        if copy.is_symlink() or copy.is_file():
            copy.unlink()
        os.rename(built, copy)
        _remember(copy, right)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # else another process was first
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _names(copy: Path) -> list[str]:
    return [file.name for file in walk(copy)]


def _write_copy(directory: Path, boundary: Path | None, digest: str, copy: Path) -> None:
    copy.mkdir()
    root = directory if boundary is None else boundary
    folders = {''}
    for file in walk(directory, boundary):
        if file.folder not in folders:
            (copy / file.folder).mkdir(parents=True, exist_ok=True)
            folders.add(file.folder)
        with open(_opened(root, file), 'rb') as source, open(copy / file.name, 'xb') as written:
            shutil.copyfileobj(source, written)
            os.fchmod(written.fileno(), _mode(file))
    if digest_of(list(walk(copy)), copy) != digest:
        raise PackageChangedError(f'{directory} changed while it was copied.')


def _opened(root: Path, file: PackageFile) -> int:
    limit = root if is_inside(file.path, os.path.realpath(root)) else Path(file.path).parent
    return open_inside(limit, file.path)


def _mode(file: PackageFile) -> int:
    return 0o755 if file.executable else 0o644


def _restore(copy: Path, directory: Path, boundary: Path | None) -> None:
    """Make each of the package's own files in `copy` what it should be.

    One that was seen to be right, and whose inode, size, times and mode are the same since, is not read again.
    """
    root = directory if boundary is None else boundary
    with _lock:
        known = dict(_verified.get(copy, {}))
    found = _Copy(copy)
    for file in walk(directory, boundary):
        signature = found.signature(file.name)
        if signature is not None and known.get(file.name) == signature:
            continue
        if signature is None or not _same(file, copy, root):
            _rewrite(copy, root, file)
            found = _Copy(copy)  # folders may have been replaced
            signature = found.signature(file.name)
        if signature is not None:
            known[file.name] = signature
    _remember(copy, known)


def _remember(copy: Path, signatures: dict[str, _Signature]) -> None:
    with _lock:
        _verified[copy] = signatures


class _Copy:
    """The files of a copy as they are now; each of its folders is looked at once."""

    def __init__(self, copy: Path) -> None:
        self._path = os.fspath(copy)
        self._real = {'': True}

    def signature(self, name: str) -> _Signature | None:
        """What tells whether a file is as it was; `None` unless it is a regular file in real folders of the copy."""
        if not self._is_real_folder(name.rpartition('/')[0]):
            return None
        try:
            info = os.lstat(f'{self._path}/{name}')
        except OSError:
            return None
        if not stat.S_ISREG(info.st_mode):
            return None
        return (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_mode)

    def _is_real_folder(self, folder: str) -> bool:
        if folder not in self._real:
            self._real[folder] = self._is_real_folder(folder.rpartition('/')[0]) and self._is_folder(folder)
        return self._real[folder]

    def _is_folder(self, folder: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(f'{self._path}/{folder}').st_mode)
        except OSError:
            return False


def _same(file: PackageFile, copy: Path, root: Path) -> bool:
    target = copy / file.name
    info = target.lstat()
    if info.st_size != file.size or bool(info.st_mode & 0o111) != file.executable or info.st_nlink != 1:
        return False
    return file_digest(os.path.realpath(copy), os.path.realpath(target)) == file_digest(
        os.path.realpath(root), file.path
    )


def _rewrite(copy: Path, root: Path, file: PackageFile) -> None:
    """Write one file aside and rename it into place, so that no other process ever sees half of it."""
    target = copy / file.name
    _clear_way(copy, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, written_to = tempfile.mkstemp(prefix='new-', dir=copy.parent)
    try:
        with open(handle, 'wb') as written, open(_opened(root, file), 'rb') as source:
            shutil.copyfileobj(source, written)
        os.chmod(written_to, _mode(file))
        os.replace(written_to, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(written_to)
        raise


def _clear_way(copy: Path, target: Path) -> None:
    """Remove what stands where a file or one of its folders belongs, such as a link."""
    step = copy
    for part in target.relative_to(copy).parts[:-1]:
        step /= part
        if step.is_symlink() or (step.exists() and not step.is_dir()):
            step.unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
