"""Reading one file of a skill for a model: text as it is, a page at a time, and a line about what is not text."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

from pydantic_ai import ModelRetry

from .encoding import encodable, quoted
from .files import open_inside

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
            raise ModelRetry(f'A file takes only `offset` and `limit` (lines) as args, not {quoted(str(name))}.')
        if value is None:
            continue
        try:
            whole = int(value)
            exact = whole == value or isinstance(value, str)
        except (TypeError, ValueError, OverflowError):
            raise ModelRetry(f'`{name}` must be a whole number of lines, not {value!r}.') from None
        if isinstance(value, bool) or not exact or whole < 1:
            raise ModelRetry(f'`{name}` must be a whole number of lines from 1 up, not {value!r}.')
        values[name] = whole
    return values['offset'] or 1, values['limit']


def page_of(text: str, offset: int = 1, limit: int | None = None) -> str:
    """The lines of `text` from `offset` on, at most `limit`, cut at `MAX_TEXT_CHARACTERS` with how to go on."""
    return _page(StringIO(text, newline='\n'), offset, limit)


def _page(file: TextIO, offset: int, limit: int | None) -> str:
    # A piece at a time: a log of gigabytes must not be held in memory to show a page of it.
    kept: list[str] = []
    room, lines, at_start = MAX_TEXT_CHARACTERS + 1, 0, True
    while piece := file.readline(MAX_TEXT_CHARACTERS + 1):
        lines += at_start
        at_start = piece.endswith('\n')
        if room > 0 and lines >= offset and (limit is None or lines < offset + limit):
            kept.append(piece[:room])
            room -= len(piece)
    if offset > max(lines, 1):
        return f'(The file has {lines} lines; there is nothing from line {offset} on.)'
    page = ''.join(kept)
    return page if room > 0 else _cut(page, offset, lines, lines if limit is None else min(lines, offset + limit - 1))


def _cut(page: str, offset: int, total: int, last: int) -> str:
    """A page that is one character too long; `total` lines are there, and those up to `last` are wanted."""
    whole, newline, _ = page.rpartition('\n')
    if not newline:  # one line alone is longer than a page: lines cannot address the rest of it
        following = f'; go on with the next line by args={{"offset": {offset + 1}}}' if offset < total else ''
        return (
            f'{page[:MAX_TEXT_CHARACTERS]}\n'
            f'[Cut: line {offset} of {total} has more than {MAX_TEXT_CHARACTERS:,} characters{following}.]'
        )
    next_line = offset + whole.count('\n') + 1
    if next_line > last:  # only the last line's end is too much
        return page
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
    with open(open_inside(root, path), encoding='utf-8', errors='replace', newline='\n') as file:
        return _page(file, offset, limit)


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
    count = f'{size:,} byte{"" if size == 1 else "s"}'
    return f'{name} is a binary file ({media_type}, {count}) at {encodable(path)}. It cannot be shown as text.'
