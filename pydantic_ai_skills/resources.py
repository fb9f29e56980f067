"""Reading one file of a skill for a model: text as it is, a page at a time, and a line about what is not text."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_ai import ModelRetry

from .files import read_inside

MAX_TEXT_CHARACTERS = 50_000
"""How much text one reading gives: about 12,000 tokens. Measured: 1.5 % of published files are longer."""


def page_arguments(args: Mapping[str, Any] | None) -> tuple[int, int | None]:
    """`offset` and `limit` (lines; the first is 1) out of a static file's arguments.

    Raises:
        ModelRetry: one of them is no positive whole number, or there is another argument.
    """
    values: dict[str, int | None] = {'offset': 1, 'limit': None}
    for name, value in (args or {}).items():
        if name not in values:
            raise ModelRetry(f'A file takes only `offset` and `limit` (lines) as args, not {name!r}.')
        if value is None:
            continue
        try:
            values[name] = int(value)
        except (TypeError, ValueError, OverflowError):
            raise ModelRetry(f'`{name}` must be a whole number of lines, not {value!r}.') from None
        if isinstance(value, bool) or values[name] != float(value) or (values[name] or 0) < 1:
            raise ModelRetry(f'`{name}` must be a whole number of lines from 1 up, not {value!r}.')
    return values['offset'] or 1, values['limit']


def page_of(text: str, offset: int = 1, limit: int | None = None) -> str:
    """The lines of `text` from `offset` on, at most `limit`, cut at `MAX_TEXT_CHARACTERS` with how to go on."""
    if offset == 1 and limit is None and len(text) <= MAX_TEXT_CHARACTERS:
        return text
    lines = text.split('\n')
    total = len(lines) - (lines[-1] == '')
    if offset > max(total, 1):
        return f'(The file has {total} lines; there is nothing from line {offset} on.)'
    wanted = lines[offset - 1 :] if limit is None else lines[offset - 1 : offset - 1 + limit]
    page = '\n'.join(wanted)
    if offset - 1 + len(wanted) < len(lines):
        page += '\n'
    if len(page) <= MAX_TEXT_CHARACTERS:
        return page
    return _cut(page, offset, total)


def _cut(page: str, offset: int, total: int) -> str:
    kept = page[:MAX_TEXT_CHARACTERS]
    whole, newline, _ = kept.rpartition('\n')
    if not newline:  # one line alone is longer than a page: lines cannot address the rest of it
        following = f'; go on with the next line by args={{"offset": {offset + 1}}}' if offset < total else ''
        return f'{kept}\n[Cut: line {offset} of {total} has more than {MAX_TEXT_CHARACTERS:,} characters{following}.]'
    next_line = offset + whole.count('\n') + 1
    return (
        f'{whole}\n[Cut at {MAX_TEXT_CHARACTERS:,} characters: lines {offset} to {next_line - 1} of {total}. '
        f'Go on with args={{"offset": {next_line}}}.]'
    )


def read_text(root: Path, path: Path, args: Mapping[str, Any] | None = None) -> str:
    """The text of a file of a package, verbatim or a page of it; bytes that are not UTF-8 become U+FFFD.

    Args:
        root: The folder that the file must lie in.
        path: The file.
        args: `offset` and `limit`, in lines.

    Raises:
        ModelRetry: the arguments are not right.
        OSError: the file is gone, or no longer a regular file inside `root`.
    """
    offset, limit = page_arguments(args)
    return page_of(read_inside(root, path).decode('utf-8', errors='replace'), offset, limit)


def guess_media_type(name: str) -> str:
    """The media type that a file's name suggests."""
    return mimetypes.guess_type(name)[0] or 'application/octet-stream'


def size_text(size: int) -> str:
    """A size for people and models: `4,274 bytes`, `118 KB`, `2.3 MB`."""
    if size < 10_000:
        return f'{size:,} byte{"" if size == 1 else "s"}'
    if size < 1_000_000:
        return f'{size / 1_000:,.0f} KB'
    return f'{size / 1_000_000:,.1f} MB'


def describe_asset(name: str, path: str, size: int, media_type: str) -> str:
    """What reading an asset gives: a line that says what it is and where, never its bytes."""
    return f'{name} is a binary file ({media_type}, {size:,} bytes) at {path}. It cannot be shown as text.'
