"""Our own reading of a `SKILL.md`'s frontmatter, for what harness does not keep: licence, compatibility, metadata.

Values stay text or plain lists and mappings of text, as written: no YAML types, so `1.10` is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

from .lines import shield

MAX_FRONTMATTER_CHARACTERS = 16 * 1024
"""The longest frontmatter that is read, and the most that its aliases may unfold it to.

Our decision: the longest description published has 1,434 characters, and this many cost harness up to 0.4 s
(measured: lists of short items; ordinary text 0.03 s).
"""

MAX_NESTING = 32
"""How deep the YAML of a frontmatter may nest. Our decision: 16 KiB of `[` would keep harness busy for 40 s (measured)."""

_OPENING_FENCE = re.compile(r'\ufeff*---[ \t]*(?:\r\n|\n|\r)')
_CLOSING_FENCE = re.compile(r'(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)')
_ALIAS = re.compile(r'(?:^|[\s\[{,:?-])\*[\w-]')
_DEEP_LINE = re.compile(rf'^[ ?-]{{{MAX_NESTING + 1}}}', re.MULTILINE)
_Loader: Any = getattr(yaml, 'CBaseLoader', yaml.BaseLoader)
_parse: Callable[..., Iterable[yaml.Event]] = getattr(yaml, 'parse')  # noqa: B009 - it comes without types
_STARTS = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_ENDS = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


@dataclass(frozen=True, slots=True)
class FrontmatterSpan:
    """Where the frontmatter of a text lies."""

    start: int
    """Where the YAML begins, after the opening fence's line."""

    stop: int
    """Where the closing fence begins."""

    end: int
    """Where what follows the closing fence's line begins."""


def split_frontmatter(text: str) -> FrontmatterSpan | None:
    """Where the frontmatter at the top of a `SKILL.md` lies, or `None` where it has none that is closed.

    Blanks after a fence and a byte order mark are let pass here; harness refuses them, which is for a repair to mend.
    """
    opening = _OPENING_FENCE.match(text)
    if opening is None:
        return None
    closing = _CLOSING_FENCE.search(text, opening.end())
    return None if closing is None else FrontmatterSpan(opening.end(), closing.start(), closing.end())


def frontmatter_of(text: str) -> str | None:
    """The YAML between the two fences at the top of a `SKILL.md`, or `None` where there is none."""
    span = split_frontmatter(text)
    return None if span is None else text[span.start : span.stop]


def frontmatter_obstacle(text: str) -> str | None:
    """Why the frontmatter of a text is not handed to a YAML parser: too long, nested too deep, or an alias bomb.

    Returns:
        A sentence about `SKILL.md`, or `None` where it may be parsed, which is not to say that it can be.
    """
    span = split_frontmatter(text)
    if span is None:
        return None
    if (length := span.stop - span.start) > MAX_FRONTMATTER_CHARACTERS:
        return f'SKILL.md has {length:,} characters of frontmatter; at most {MAX_FRONTMATTER_CHARACTERS:,} are read.'
    source = text[span.start : span.stop]
    if source.count('[') + source.count('{') > MAX_NESTING or _DEEP_LINE.search(source) or _ALIAS.search(source):
        return _unfolded_obstacle(source)
    return None


def _unfolded_obstacle(source: str) -> str | None:
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    try:
        for event in _parse(source, Loader=_Loader):
            if isinstance(event, yaml.ScalarEvent):
                size = len(event.value) + 1
                total += size
                if event.anchor:
                    sizes[event.anchor] = size
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in sizes:
                    return f'SKILL.md has frontmatter whose alias *{event.anchor} stands for itself or for nothing.'
                total += sizes[event.anchor]
            elif isinstance(event, _STARTS):
                open_nodes.append((event.anchor, total))
                total += 1
            elif isinstance(event, _ENDS):
                anchor, before = open_nodes.pop()
                if anchor:
                    sizes[anchor] = total - before
            if len(open_nodes) > MAX_NESTING:
                return f'SKILL.md has frontmatter that nests more than {MAX_NESTING} levels deep.'
            if total > MAX_FRONTMATTER_CHARACTERS:
                return f'SKILL.md has frontmatter that unfolds to more than {MAX_FRONTMATTER_CHARACTERS:,} characters.'
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        return f'Invalid YAML frontmatter in SKILL.md: {error}'
    return None


def frontmatter_fields(text: str) -> Mapping[str, Any]:
    """The frontmatter of a `SKILL.md` as a mapping; empty where it has none that parses."""
    text = shield(text).text
    source = frontmatter_of(text)
    if source is None or frontmatter_obstacle(text) is not None:
        return {}
    try:
        parsed: object = yaml.load(source, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, OverflowError):
        return {}
    return cast('dict[str, Any]', parsed) if isinstance(parsed, dict) else {}


def text_field(fields: Mapping[str, Any], name: str) -> str | None:
    """A field that should be text; `None` where it is missing or something else."""
    value = fields.get(name)
    return value if isinstance(value, str) else None
