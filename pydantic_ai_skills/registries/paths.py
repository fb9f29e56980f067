"""Which paths that a source names can be files of a library."""

from __future__ import annotations

_MAX_NAME_BYTES = 255
_MAX_PATH_BYTES = 1_024
_MAX_DEPTH = 100


def can_be_file(path: str) -> bool:
    """Whether a relative path stays where it belongs, a file system takes it, and what removes it gets to its end.

    Not longer than a key of S3, which leaves room for the folder of the store.
    """
    parts = [part.encode('utf-8', 'replace') for part in path.split('/')]
    return (
        all(part not in (b'', b'.', b'..') and part.lower() != b'.git' and b'\0' not in part for part in parts)
        and max(map(len, parts)) <= _MAX_NAME_BYTES
        and sum(map(len, parts)) + len(parts) <= _MAX_PATH_BYTES + 1
        and len(parts) <= _MAX_DEPTH
    )
