"""Our own reading of a `SKILL.md`'s frontmatter: what to mend in it, and what harness does not keep.

Values stay text or plain lists and mappings of text, as written: no YAML types, so `1.10` is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

from .codes import FRONTMATTER_INVALID, FRONTMATTER_TOO_DEEP, FRONTMATTER_TOO_LARGE, Finding
from .lines import shield

MAX_SKILL_BYTES = 2 * 1024 * 1024
"""The largest `SKILL.md` that is read. Our decision: the longest body published has 294 KB; this one is 500,000 tokens."""

MAX_FRONTMATTER_CHARACTERS = 16 * 1024
"""The longest frontmatter that is read, and the most that its aliases may unfold it to.

Our decision: the longest description published has 1,434 characters, and this many cost harness up to 0.4 s
(measured: lists of short items; ordinary text 0.03 s).
"""

MAX_EVENTS = 200_000
"""How many parts the YAML of a longer frontmatter may have for its fields to be found: a quarter of a second (measured)."""

MAX_NESTING = 32
"""How deep the YAML of a frontmatter may nest. Our decision: 16 KiB of `[` would keep harness busy for 40 s (measured)."""

YAML_ERRORS = (yaml.YAMLError, RecursionError, ValueError, TypeError, OverflowError)
"""What the YAML parsers raise: beside their own errors, those of escapes beyond Unicode and of hash-less keys."""

_OPENING_FENCE = re.compile(r'\ufeff*---[^\S\r\n]*(?:\r\n|\n|\r)')
_CLOSING_FENCE = re.compile(r'(?<=[\r\n])---[^\S\r\n]*(?:\r\n|\n|\r|\Z)')
_ALIAS = re.compile(r'(?:^|[\s\[{,:?-])\*[\w-]')
_DEEP_LINE = re.compile(rf'^[ ?-]{{{MAX_NESTING + 1}}}', re.MULTILINE)
_DISPUTED = re.compile(r'[\t\ufeff]|(?:^|[\s,\[{:?-])!|^%|[>|][-+\d]*#', re.MULTILINE)
_DISPUTED_IN_BRACKETS = re.compile(r'\?|:\s?[,\]}:]')
_CLoader: Any = getattr(yaml, 'CBaseLoader', yaml.BaseLoader)
_parse: Callable[..., Iterable[yaml.Event]] = getattr(yaml, 'parse')  # noqa: B009 - it comes without types
_SLOW_CHARACTERS = 4 * 1024
_TOO_DEEP = f'SKILL.md has frontmatter that nests more than {MAX_NESTING} levels deep.'
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


@dataclass(frozen=True, slots=True)
class ParsedFrontmatter:
    """What the YAML of a frontmatter says, and where it says it."""

    node: yaml.Node | None
    """The YAML node, with the places of keys and values in the source; `None` where there is nothing."""

    value: object
    """The same as text, lists and mappings."""


def split_frontmatter(text: str, start: int = 0) -> FrontmatterSpan | None:
    """Where the frontmatter that begins at `start` lies, or `None` where there is none that is closed.

    Blanks after a fence and a byte order mark are let pass here; harness refuses them, which is for a repair to mend.
    """
    opening = _OPENING_FENCE.match(text, start)
    if opening is None:
        return None
    closing = _CLOSING_FENCE.search(text, opening.end())
    return None if closing is None else FrontmatterSpan(opening.end(), closing.start(), closing.end())


def has_opening_fence(text: str, start: int = 0) -> bool:
    """Whether a fence stands at `start`, closed or not."""
    return _OPENING_FENCE.match(text, start) is not None


def is_disputed(source: str) -> bool:
    """Whether PyYAML, by which harness reads, and libyaml, which is 15 times as fast, may not agree on this YAML.

    Found by comparing them on 560,000 made-up texts: byte order marks, tags, tabs and some flow collections.
    """
    if _DISPUTED.search(source) is not None:
        return True
    return _brackets(source) > 0 and _DISPUTED_IN_BRACKETS.search(source) is not None


def parser_for(source: str) -> Any:
    """The loader to read `source` with: libyaml's where it says the same as harness's, else harness's.

    And libyaml's where there is enough, of brackets or at all, to keep harness's busy; harness itself judges in the end.
    """
    slow = len(source) > _SLOW_CHARACTERS or _brackets(source) > MAX_NESTING
    return _CLoader if slow or not is_disputed(source) else yaml.BaseLoader


def _brackets(source: str) -> int:
    return source.count('[') + source.count('{')


def check_yaml(source: str, loader: Any) -> None:
    """Parse YAML and throw away what comes out; raises one of `YAML_ERRORS`."""
    for _ in _parse(source, Loader=loader):
        pass


def top_level_events(source: str) -> Iterator[tuple[yaml.Event, yaml.Event]]:
    """Of each field of the topmost mapping the event that begins its key and the one that ends its value.

    From libyaml: quick, and so without a limit of the source's length.

    Raises:
        ValueError: there is no libyaml, the YAML is no mapping, it has aliases, or it has more than `MAX_EVENTS` parts.
        yaml.YAMLError: it is no YAML.
    """
    if _CLoader is yaml.BaseLoader:
        raise ValueError('no libyaml')
    depth = 0
    key: yaml.Event | None = None
    is_value = False
    for count, event in enumerate(_parse(source, Loader=_CLoader)):
        if count > MAX_EVENTS or isinstance(event, yaml.AliasEvent):
            raise ValueError('too many parts, or an alias')
        starts, ends = isinstance(event, _STARTS), isinstance(event, _ENDS)
        if not (starts or ends or isinstance(event, yaml.ScalarEvent)):
            continue
        if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
            raise ValueError('no mapping')
        depth -= ends
        if depth == 1 and not ends and not is_value:
            key = event
        if depth == 1 and not starts:
            if is_value and key is not None:
                yield key, event
            is_value = not is_value
        depth += starts


def parse_frontmatter(source: str) -> ParsedFrontmatter:
    """Parse the YAML of a frontmatter, which `frontmatter_obstacle` has let pass; raises one of `YAML_ERRORS`."""
    loader = parser_for(source)(source)
    try:
        node = cast('yaml.Node | None', loader.get_single_node())
        return ParsedFrontmatter(node, None if node is None else loader.construct_document(node))
    finally:
        loader.dispose()


def frontmatter_obstacle(source: str) -> Finding | None:
    """Why the YAML of a frontmatter is not handed to a parser: too long, nested too deep, or an alias bomb.

    `None` where it may be parsed, which is not to say that it can be. Measured: 3 µs where there is no alias.
    """
    if len(source) > MAX_FRONTMATTER_CHARACTERS:
        message = (
            f'SKILL.md has {len(source):,} characters of frontmatter; at most {MAX_FRONTMATTER_CHARACTERS:,} are read.'
        )
        return Finding(FRONTMATTER_TOO_LARGE, message)
    if _brackets(source) > MAX_NESTING or _DEEP_LINE.search(source) or _ALIAS.search(source):
        return _unfolded_obstacle(source)
    return None


def _unfolded_obstacle(source: str) -> Finding | None:
    # libyaml always: it refuses what would keep PyYAML busy, and what the two dispute is refused here all the same.
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    try:
        for event in _parse(source, Loader=_CLoader):
            if isinstance(event, yaml.ScalarEvent):
                size = len(event.value) + 1
                total += size
                if event.anchor:
                    sizes[event.anchor] = size
            elif isinstance(event, yaml.AliasEvent):
                if any(event.anchor == anchor for anchor, _ in open_nodes):
                    message = f'SKILL.md has frontmatter that holds itself by the alias *{event.anchor}.'
                    return Finding(FRONTMATTER_TOO_DEEP, message)
                total += sizes.get(event.anchor, 0)
            elif isinstance(event, _STARTS):
                open_nodes.append((event.anchor, total))
                total += 1
            elif isinstance(event, _ENDS):
                anchor, before = open_nodes.pop()
                if anchor:
                    sizes[anchor] = total - before
            if len(open_nodes) > MAX_NESTING:
                return Finding(FRONTMATTER_TOO_DEEP, _TOO_DEEP)
            if total > MAX_FRONTMATTER_CHARACTERS:
                message = (
                    f'SKILL.md has frontmatter that unfolds to more than {MAX_FRONTMATTER_CHARACTERS:,} characters.'
                )
                return Finding(FRONTMATTER_TOO_LARGE, message)
    except YAML_ERRORS as error:
        # PyYAML stops here too, unless it knows no such limit, or the two may disagree; then the brackets could pile up.
        if 'nesting depth' in str(error):
            return Finding(FRONTMATTER_TOO_DEEP, _TOO_DEEP)
        if is_disputed(source):
            message = f'SKILL.md has frontmatter that is not valid YAML: {describe_yaml_error(error)}.'
            return Finding(FRONTMATTER_INVALID, message)
    return None


def describe_yaml_error(error: Exception, first_line: int = 2) -> str:
    """What a YAML parser complains about, in one line that says where; `first_line` is that of the frontmatter."""
    problem = getattr(error, 'problem', None) or getattr(error, 'reason', None) or str(error) or type(error).__name__
    problem = ' '.join(str(problem).split())
    mark = cast('yaml.Mark | None', getattr(error, 'problem_mark', None))
    return problem if mark is None else f'{problem} (line {mark.line + first_line}, column {mark.column + 1})'


def frontmatter_fields(text: str) -> Mapping[str, Any]:
    """The frontmatter of a `SKILL.md` as a mapping; empty where it has none that parses."""
    shielded = shield(text)
    span = split_frontmatter(shielded.text)
    if span is None:
        return {}
    source = shielded.text[span.start : span.stop]
    if frontmatter_obstacle(source) is not None:
        return {}
    try:
        return fields_of(parse_frontmatter(source).value, shielded.restore)
    except YAML_ERRORS:
        return {}


def fields_of(value: object, restore: Callable[[str], str]) -> Mapping[str, Any]:
    """A parsed frontmatter's fields, each text in them passed through `restore`; empty if it is no mapping."""
    restored = _restored(value, restore)
    return cast('Mapping[str, Any]', restored) if isinstance(restored, dict) else {}


def _restored(value: object, restore: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return restore(value)
    if isinstance(value, list):
        return [_restored(item, restore) for item in cast('list[object]', value)]
    if isinstance(value, dict):
        items = cast('dict[object, object]', value).items()
        return {str(_restored(key, restore)): _restored(item, restore) for key, item in items}
    return value


def text_field(fields: Mapping[str, Any], name: str) -> str | None:
    """A field that should be text; `None` where it is missing or something else."""
    value = fields.get(name)
    return value if isinstance(value, str) else None
