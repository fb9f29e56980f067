"""Giving a `SKILL.md` another name: only the value of `name` changes, every other byte stays."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from ..frontmatter import MAX_FRONTMATTER_CHARACTERS, split_frontmatter

_kept = threading.local()
_PROPERTIES = re.compile(r'(?:[&!]\S*\s+)*')
_NAME_LINE = re.compile(r'^name[ \t]*:(?=[ \t\r\n]|\Z)[ \t]*([^\r\n]*)', re.MULTILINE)


def with_name(text: str, name: str) -> str:
    """The text with `name` as its frontmatter's name, whatever style the value is written in.

    Found in the parser's events, which do not unfold aliases. A frontmatter that is not valid YAML before its name is
    searched for a line that begins with `name:`, and so is one that would take the parser seconds. One without a name stays as it is: the folder's name then counts.

    Args:
        text: A `SKILL.md` that has frontmatter.
        name: A legal skill name, so letters, numbers and hyphens.
    """
    span = split_frontmatter(text)
    if span is None:
        return text
    source = text[span.start : span.stop]
    from ruamel.yaml.error import YAMLError  # here, since it takes 40 ms to import and most never rename

    try:
        place = _value_place(source) if len(source) <= MAX_FRONTMATTER_CHARACTERS else _line_place(source)
    except (YAMLError, RecursionError, ValueError, OverflowError):
        place = _line_place(source)
    if place is None:
        return text
    start, stop = place
    return text[: span.start + start] + _written(source[start:stop], name, source[:start]) + text[span.start + stop :]


def _line_place(source: str) -> tuple[int, int] | None:
    line = _NAME_LINE.search(source)
    return None if line is None else line.span(1)


def _value_place(source: str) -> tuple[int, int] | None:
    """Where the value of the key `name` of the topmost mapping lies; `None` if there is no such key with a scalar."""
    from ruamel.yaml import YAML

    # Kept for the next: making one takes longer than parsing (measured). Not after an error, whose state it may hold.
    parser: Any = getattr(_kept, 'parser', None) or YAML(typ='safe', pure=True)  # it comes without types
    _kept.parser = None
    with closing(parser.parse(source)) as events:
        place = _value_in(events, source)
    _kept.parser = parser
    return place


def _value_in(events: Iterable[Any], source: str) -> tuple[int, int] | None:
    from ruamel.yaml.events import (
        AliasEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
    )

    depth = 0
    is_key, key, key_end = True, None, 0
    for event in events:
        start, stop = int(event.start_mark.index), int(event.end_mark.index)
        if isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            depth -= 1
            if depth == 1:
                is_key = not is_key
        elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            if depth == 0 and isinstance(event, SequenceStartEvent):
                return None
            depth += 1
            if depth == 2:
                key = None
        elif depth == 1 and isinstance(event, (ScalarEvent, AliasEvent)):
            if not is_key and key == 'name':
                if start == stop:  # no value at all: the parser's mark is somewhere behind it
                    start = stop = source.index(':', key_end) + 1
                return start, stop
            key_end = stop
            key = str(getattr(event, 'value', '')) if is_key and isinstance(event, ScalarEvent) else None
            is_key = not is_key
    return None


def _written(old: str, name: str, before: str) -> str:
    """The new value in the old one's place: its anchor, tag, quotes and line end stay."""
    properties = _PROPERTIES.match(old)
    kept = properties[0] if properties is not None else ''
    value = old[len(kept) :]
    blank = ' ' if before.endswith(':') else ''
    if value[:1] in ('"', "'"):
        return f'{blank}{kept}{value[0]}{name}{value[0]}'
    line_end = '\r\n' if value.endswith('\r\n') else value[-1:] if value[-1:] in ('\n', '\r') else ''
    return f'{blank}{kept}{_plain(name)}{line_end}'


def _plain(name: str) -> str:
    """The name as a plain value, or quoted where that would be no text for other readers: a number, a date, `true`."""
    looks_typed = not any(character.isalpha() for character in name) or name in ('null', 'true', 'false', 'yes', 'no')
    looks_typed = looks_typed or name in ('on', 'off', 'y', 'n') or name[0].isdigit()
    return f"'{name}'" if looks_typed else name
