"""One generation of a store: a library that is complete, and what is known about it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..diagnostics import SkillDiagnostic
from ..digest import package_digest
from ..discovery import Library, find_packages

FORMAT = 1
"""The version of what is written below; a store of another one is made anew."""

RECORD = 'generation.json'
LEASE = 'lease'
LIBRARY = 'library'


@dataclass(frozen=True)
class Generation:
    """What a registry has put on disk: which state of the source, and when it was fetched."""

    revision: str
    """The state of the source: a commit for Git, a digest of the listing for S3, one of the inputs for a view."""

    when: datetime
    """When it was made, with time zone (UTC)."""

    library: Path = field(repr=False)
    """The library: a folder whose immediate children are packages."""

    details: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)
    """What the source wants to know about it the next time."""

    diagnostics: tuple[SkillDiagnostic, ...] = field(default=(), repr=False, compare=False)
    """What was noticed when it was made."""

    @property
    def digest(self) -> str:
        """The SHA-256 over its packages: lines of folder name, NUL, `package_digest` and line feed, by folder name.

        Computed when asked for.

        Raises:
            OSError: a file cannot be read.
        """
        lines = hashlib.sha256()
        for found in find_packages(Library(self.library, from_registry=True)):
            lines.update(found.folder.encode('utf-8', 'surrogateescape'))
            lines.update(f'\0{package_digest(found.directory, self.library)}\n'.encode())
        return lines.hexdigest()

    @property
    def folder(self) -> Path:
        """The folder in the store that holds the library and the record."""
        return self.library.parent


def write_record(folder: Path, identity: str, generation: Generation) -> None:
    """Write what makes `folder` a generation: its record, with a signature of the library as it is now."""
    record = {
        'format': FORMAT,
        'identity': identity,
        'revision': generation.revision,
        'when': generation.when.isoformat(),
        'files': library_signature(folder / LIBRARY),
        'details': generation.details,
        'diagnostics': [
            [str(item.path), item.severity, item.code, item.message, item.hint] for item in generation.diagnostics
        ],
    }
    (folder / RECORD).write_text(json.dumps(record), encoding='utf-8')


def read_record(folder: Path, identity: str | None, *, verify: bool) -> Generation | None:
    """The generation in `folder`; `None` if it is not complete, not of this source, or not as it was made.

    Args:
        folder: The folder of the generation.
        identity: The source that it must be of; any where `None`.
        verify: Whether to compare the files with the record: names, sizes, times and modes.
    """
    try:
        record = json.loads((folder / RECORD).read_bytes())
        if record['format'] != FORMAT or identity not in (None, record['identity']):
            return None
        if verify and record['files'] != library_signature(folder / LIBRARY):
            return None
        if not isinstance(record['details'], dict) or not isinstance(record['revision'], str):
            return None
        diagnostics = tuple(SkillDiagnostic(*fields) for fields in record['diagnostics'])
        when = datetime.fromisoformat(record['when']).astimezone(UTC)
        return Generation(record['revision'], when, folder / LIBRARY, record['details'], diagnostics)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # half a record, somebody else's, or none


def library_signature(library: Path) -> str:
    """What changes when a file of the library is added, removed, edited or made executable.

    Raises:
        OSError: it cannot be listed.
    """
    lines: list[str] = []
    pending = [(os.fspath(library), '')]
    while pending:
        folder, prefix = pending.pop()
        with os.scandir(folder) as scan:
            for entry in scan:
                if entry.is_dir(follow_symlinks=False):
                    pending.append((entry.path, f'{prefix}{entry.name}/'))
                    continue
                info = entry.stat(follow_symlinks=False)
                target = os.readlink(entry.path) if stat.S_ISLNK(info.st_mode) else ''
                lines.append(f'{prefix}{entry.name}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_mode}\0{target}')
    return hashlib.sha256('\n'.join(sorted(lines)).encode('utf-8', 'surrogateescape')).hexdigest()
