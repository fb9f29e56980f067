"""Where the package keeps what can be made again: copies that scripts run from, environments that were prepared."""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

CACHE_VARIABLE = 'PYDANTIC_AI_SKILLS_CACHE'
"""The environment variable that names another folder for the cache."""

UNUSED_SECONDS = 30 * 24 * 3600
"""How long an entry is kept that nothing uses: 30 days, our decision."""

_ABANDONED_SECONDS = 24 * 3600  # what a killed process was still building
_MARK_SECONDS = 3600  # how exactly the last use is known
_DIGEST_LENGTH = 64

NOT_WRITABLE = frozenset([errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR])
"""Error numbers on which a temporary folder takes the place of the cache."""


def cache_folder() -> Path:
    """`PYDANTIC_AI_SKILLS_CACHE` where that is set, else the package's folder in the user's cache; may not exist.

    A temporary folder for a user without a home, as in a container that is run under any number.
    """
    try:
        if chosen := os.environ.get(CACHE_VARIABLE):
            return Path(chosen).expanduser().absolute()
        from platformdirs import user_cache_path  # 10 ms that few programs need

        folder = user_cache_path('pydantic-ai-skills', appauthor=False)
    except RuntimeError:  # nobody knows where their home is
        return temporary_folder()
    return folder if folder.is_absolute() else temporary_folder()


def private_folder(parent: Path, name: str) -> Path:
    """A folder that only this user can write to, made if it is not there.

    Raises:
        PermissionError: it is another user's, or others can write to it: nothing to run programs from.
        OSError: it cannot be made.
    """
    folder = parent / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.stat()
    if info.st_uid != os.geteuid() or info.st_mode & 0o022 or not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, 'not a folder that only this user can write to', str(folder))
    return folder


@lru_cache(maxsize=1)
def temporary_folder() -> Path:
    """A folder that is gone when this process ends, for when the cache cannot be written to."""
    folder = Path(tempfile.mkdtemp(prefix='skill-cache-'))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def writable_folder(name: str) -> Path:
    """The folder of this name in the cache, or in a temporary folder where the cache cannot be written to."""
    try:
        return private_folder(cache_folder(), name)
    except OSError as error:
        if error.errno not in NOT_WRITABLE:
            raise
        return private_folder(temporary_folder(), name)


def mark_used(entry: Path) -> None:
    """Note that an entry of the cache is in use now, so that it is kept."""
    with suppress(OSError):
        if time.time() - entry.stat().st_mtime > _MARK_SECONDS:
            os.utime(entry)


def remove_unused(folder: Path) -> None:
    """Remove the entries of a folder of the cache that nothing has used for long; those named by a digest are whole."""
    now = time.time()
    with os.scandir(folder) as scan:
        entries = [Path(entry.path) for entry in scan]
    for entry in entries:
        age_limit = UNUSED_SECONDS if len(entry.name) == _DIGEST_LENGTH else _ABANDONED_SECONDS
        with suppress(OSError):
            if now - entry.lstat().st_mtime <= age_limit:
                continue
            away = folder / f'old-{entry.name[:16]}-{os.getpid()}'
            os.rename(entry, away)  # in one step, so that no run starts in half a copy
            if now - away.lstat().st_mtime <= age_limit:
                os.rename(away, entry)  # a run has begun there in this moment
            else:
                shutil.rmtree(away, ignore_errors=True)
