"""A long frontmatter without the fields that make it long, so that harness's parser need not read them.

Harness takes 2 s for a megabyte of plain metadata and without end for a hostile one; libyaml finds where each field
begins and ends in a few milliseconds, and what only hosts look at can be left away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from .frontmatter import MAX_FRONTMATTER_CHARACTERS, YAML_ERRORS, top_level_events

_AFTER_KEY = re.compile(r'[ \t]*:(?=[ \t\r\n]|$)')

KEPT_FIELDS = frozenset(['name', 'description', 'disable-model-invocation', 'user-invocable'])
"""The fields that say what the skill is. Without one of them it would be another skill, so they are never left away."""


class _Piece(NamedTuple):
    """Something that can be left away: a field, or the comments behind one that is kept, which have no name."""

    start: int
    stop: int
    name: str = ''


def shorten(source: str) -> tuple[str, list[str]]:
    """The YAML without its longest fields and comments, until it is short enough, and what was left away, by name.

    The same YAML, and no names, where it is short enough, or where that would not make it so or cannot be done: it is no
    block mapping or no YAML up to its end, a field stands twice, there is an alias, or there are too many parts.
    """
    excess = len(source) - MAX_FRONTMATTER_CHARACTERS
    if excess <= 0:
        return source, []
    dropped: list[_Piece] = []
    for piece in sorted(_pieces(source), key=lambda piece: piece.start - piece.stop):
        if excess <= 0:
            break
        dropped.append(piece)
        excess -= piece.stop - piece.start
    if excess > 0:
        return source, []
    parts: list[str] = []
    begin = 0
    for piece in sorted(dropped):
        parts.append(source[begin : piece.start])
        begin = piece.stop
    return ''.join([*parts, source[begin:]]), [piece.name or 'comments' for piece in dropped]


def _pieces(source: str) -> list[_Piece]:
    try:
        fields = list(_fields(source))
    except YAML_ERRORS:
        return []
    if not fields:
        return []
    stops = [*(start for _, start, _ in fields[1:]), len(source)]
    pieces = [_Piece(0, fields[0][1])]
    for (name, start, end), stop in zip(fields, stops, strict=True):
        pieces.append(_Piece(_next_line(source, end), stop) if name in KEPT_FIELDS else _Piece(start, stop, name))
    return [piece for piece in pieces if piece.start < piece.stop]


def _fields(source: str) -> Iterator[tuple[str, int, int]]:
    """The name of each field of the topmost mapping, where its line begins, and where its value ends."""
    seen: set[str] = set()
    for key, value in top_level_events(source):
        line, end = key.start_mark.index, key.end_mark.index
        while source[line - 1 : line] == ' ':
            line -= 1
        begins = line == 0 or source[line - 1] in '\n\r'
        if not (begins and isinstance(key, yaml.ScalarEvent) and _AFTER_KEY.match(source, end)):
            raise ValueError('not a plain line of a block mapping')
        if key.value in seen:
            raise ValueError('a field stands twice')
        seen.add(key.value)
        yield key.value, line, value.end_mark.index


def _next_line(source: str, index: int) -> int:
    """Where the line after the one that `index` is in begins; `index` where a line begins there."""
    if source[index - 1 : index] in ('\n', '\r'):
        return index
    found = [end for end in (source.find('\n', index), source.find('\r', index)) if end >= 0]
    return min(found) + 1 if found else len(source)
