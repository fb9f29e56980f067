"""Where stores are when nobody says: the user's cache folder, or a temporary one where that cannot be written."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from threading import Lock

from ..cache import CACHE_VARIABLE, cache_folder
from ..names import slug

ANOTHER_PLACE = f'Another place can be chosen by target_dir or {CACHE_VARIABLE}.'
"""The way out for a store that cannot be written."""

_temporary: dict[str, Path] = {}
_lock = Lock()


def default_store(identity: str, label: str) -> Path:
    """The folder for the store of one source.

    Args:
        identity: What tells the source from others, without credentials.
        label: What a person looking at the cache should recognise it by.
    """
    return cache_folder() / 'registries' / f'{slug(label)[-40:].strip("-") or "store"}-{_key(identity)}'


def temporary_store(identity: str) -> Path:
    """A folder for the store of one source that is removed when this process ends; the same each time it is asked for."""
    with _lock:
        if (known := _temporary.get(identity)) is not None and known.is_dir():
            return known
        folder = Path(tempfile.mkdtemp(prefix='pydantic-ai-skills-'))
        _temporary[identity] = folder
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # a forked child must not take it from its parent
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _key(identity: str) -> str:
    return hashlib.sha256(identity.encode('utf-8', 'surrogateescape')).hexdigest()[:16]
