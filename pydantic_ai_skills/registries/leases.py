"""Leases: what keeps a generation on disk while a process that was given it lives, and no longer.

A lease is a shared `flock` on a file in the generation's folder. The kernel gives it up when the process ends,
however it ends, so a killed one leaves nothing behind.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from threading import Lock

from .generation import LEASE

_held: dict[tuple[int, int], int] = {}
_lock = Lock()


def hold(folder: Path) -> bool:
    """Keep the generation in `folder` until this process ends; whether it is still there to be kept."""
    try:
        descriptor = os.open(folder / LEASE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    with _lock:
        info = os.fstat(descriptor)
        if (info.st_dev, info.st_ino) in _held:
            os.close(descriptor)
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if not os.path.samestat(os.stat(folder / LEASE), info):
                raise FileNotFoundError  # removed, and made anew, while we opened it
        except OSError:
            os.close(descriptor)
            return False
        _held[info.st_dev, info.st_ino] = descriptor
        return True


def claim(folder: Path) -> int | None:
    """Claim a generation that nobody holds, to remove it; `None` if a living process holds it.

    Returns:
        A descriptor to close once the folder has another name; -1 where nobody can hold it, for it has no lease.
    """
    try:
        descriptor = os.open(folder / LEASE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
