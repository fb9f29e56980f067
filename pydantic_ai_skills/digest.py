"""What a package is, as one number: the digest over all its files.

It can be computed again with any tool: for every file but those `DEFAULT_RESOURCE_EXCLUDES` shut out and those
of a nested skill, in the order of the paths' UTF-8 bytes, one line of the path, a NUL, `x` or `-` for the execute
bit, a NUL, the SHA-256 of the content in hexadecimal, and a line feed; then the SHA-256 of those lines.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from time import time_ns

from .files import is_inside, open_inside
from .index import PackageFile, walk

SETTLED_NS = 100_000_000
"""What changed more recently than this is not cached: another change could leave all its stamps as they are."""

_CACHED_PACKAGES = 4_096
_cache: OrderedDict[tuple[str, str], tuple[int, str]] = OrderedDict()
_lock = Lock()


def package_digest(directory: Path, boundary: Path | None = None) -> str:
    """The digest of the package in `directory`: 64 hexadecimal characters.

    Computed when asked for, and kept per process for as long as no file's inode, size, times or mode change.

    Args:
        directory: The package's folder.
        boundary: The folder that links may lead into; the package itself where it is `None`.

    Raises:
        OSError: a file cannot be read.
    """
    files = list(walk(directory, boundary))
    key = (os.path.realpath(directory), str(boundary))
    signature = hash(tuple((file.name, file.signature) for file in files))
    with _lock:
        if (known := _cache.get(key)) is not None and known[0] == signature:
            _cache.move_to_end(key)
            return known[1]
    now = time_ns()
    digest = digest_of(files, directory, boundary)
    if any(now - changed < SETTLED_NS for file in files for changed in file.signature[2:4]):
        return digest
    with _lock:
        _cache[key] = (signature, digest)
        if len(_cache) > _CACHED_PACKAGES:
            _cache.popitem(last=False)
    return digest


def digest_of(files: list[PackageFile], directory: Path, boundary: Path | None = None) -> str:
    """The digest over these files of the package in `directory`; errors as `package_digest`."""
    root = os.path.realpath(directory if boundary is None else boundary)
    lines = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name.encode('utf-8', 'surrogateescape')):
        content = file_digest(root, file.path)
        lines.update(file.name.encode('utf-8', 'surrogateescape'))
        lines.update(f'\0{"x" if file.executable else "-"}\0{content}\n'.encode())
    return lines.hexdigest()


def file_digest(root: str, path: str) -> str:
    """The SHA-256 of one file's content in hexadecimal; the file lies in `root`, or is a `SKILL.md` linked from there."""
    with open(open_inside(root if is_inside(path, root) else os.path.dirname(path), path), 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()
