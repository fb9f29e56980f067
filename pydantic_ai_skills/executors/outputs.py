"""Files that a script left in its `SKILL_OUTPUT_DIR`, as what the model gets after the script's output."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

from pydantic_ai import BinaryContent

from ..binary import attachment, media_type_of
from ..files import read_inside
from ..index import is_text
from ..resources import size_text

MAX_FILES = 50
"""Files that are looked at (contract, issue of the executors)."""

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of content that are read, over all files: 16 MiB."""


@dataclass(frozen=True)
class OutputFile:
    """One file that a script left."""

    name: str
    """Path below `SKILL_OUTPUT_DIR`."""

    size: int
    content: bytes | None
    """`None` where reading it would have gone over `MAX_BYTES`."""


@dataclass(frozen=True)
class OutputFiles:
    """The files that a script left, in the order of their names."""

    files: tuple[OutputFile, ...] = ()
    more: int = 0
    """How many there are beyond `MAX_FILES`."""

    problem: str | None = None
    """Why they could not be fetched."""


def outputs_in(folder: Path) -> OutputFiles:
    """The regular files below a folder of this machine; links, FIFOs and the like are left alone."""
    found: list[tuple[str, int]] = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            try:
                info = os.lstat(path)
            except OSError:
                continue  # removed by what the script left running
            if stat.S_ISREG(info.st_mode):
                found.append((os.path.relpath(path, folder), info.st_size))
    found.sort()
    files: list[OutputFile] = []
    room = MAX_BYTES
    for name, size in found[:MAX_FILES]:
        content = _content(folder, folder / name, room) if size <= room else None
        room -= len(content or b'')
        files.append(OutputFile(name, size, content))
    return OutputFiles(tuple(files), max(len(found) - MAX_FILES, 0))


def _content(folder: Path, path: Path, room: int) -> bytes | None:
    try:
        return read_inside(folder, path, room)
    except OSError:
        return None  # gone or swapped since it was listed


def outputs_in_tar(archive: bytes) -> OutputFiles:
    """The same out of a tar file that a sandbox made, whose content is the script's and trusted in nothing."""
    files: list[OutputFile] = []
    more, room = 0, MAX_BYTES
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                if not member.isreg():
                    continue
                if len(files) == MAX_FILES:
                    more += 1
                    continue
                reader = tar.extractfile(member) if 0 <= member.size <= room else None
                content = reader.read(room) if reader is not None else None
                room -= len(content or b'')
                files.append(OutputFile(os.path.normpath(member.name), member.size, content))
    except (tarfile.TarError, EOFError, ValueError, OverflowError, OSError) as error:
        return OutputFiles(tuple(files), more, f'the rest could not be fetched ({error})')
    return OutputFiles(tuple(sorted(files, key=lambda file: file.name)), more)


def with_outputs(text: str, outputs: OutputFiles, limit: int) -> str | list[str | BinaryContent]:
    """`text` and what a script left: texts of up to `limit` characters together, images and PDFs attached.

    Every file is named with its size, so that the text says all there is even where nothing can be attached.
    """
    if not outputs.files and outputs.problem is None:
        return text
    lines = [f'{text}\n\nFiles that the script left:']
    attached: list[str | BinaryContent] = []
    for file in outputs.files:
        title = f'{_shown(file.name)} ({media_type_of(file.content or b"", file.name)}, {size_text(file.size)})'
        if file.content is None:
            lines.append(f'- {title}: not fetched, it is too large')
        elif is_text(file.content, file.size) and (shown := file.content.decode()) and len(shown) <= limit:
            limit -= len(shown)
            lines.append(f'- {title}:\n{shown}')
        else:
            lines.append(f'- {title}')
            if (content := attachment(file.content, file.name)) is not None and content.media_type in _ATTACHED:
                attached.append(content)
    if outputs.more:
        lines.append(f'- and {outputs.more:,} more')
    if outputs.problem:
        lines.append(f'- {outputs.problem}')
    whole = '\n'.join(lines)
    return [whole, *attached] if attached else whole


_ATTACHED = frozenset(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'])


def _shown(name: str) -> str:
    return name.encode('unicode_escape', 'surrogateescape').decode() if not name.isprintable() else name
