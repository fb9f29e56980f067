"""What keeps a `SKILL.md` from loading, and the same text without it. Text in, text and findings out; no file is written.

Harness decides what a `SKILL.md` means, and is offered the mended text only where it refuses the file as it is, which is
8 % of the skills of careful authors and 20 % of those in collections (measured).
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from .codes import (
    BYTE_ORDER_MARK,
    CODES,
    DUPLICATE_KEY,
    FENCE_BLANKS,
    FIELD_INVALID,
    FILE_TOO_LARGE,
    FRONTMATTER_INVALID,
    FRONTMATTER_LONG,
    FRONTMATTER_UNCLOSED,
    NAME_MENDED,
    NO_DESCRIPTION,
    NO_FRONTMATTER,
    NO_NAME,
    NOT_UTF8,
    TABS_EXPANDED,
    TEXT_ABOVE_FRONTMATTER,
    VALUE_QUOTED,
    Finding,
)
from .frontmatter import (
    MAX_SKILL_BYTES,
    YAML_ERRORS,
    ParsedFrontmatter,
    describe_yaml_error,
    fields_of,
    frontmatter_obstacle,
    has_opening_fence,
    is_disputed,
    parse_frontmatter,
    split_frontmatter,
    text_field,
)
from .lines import shield, split_lines
from .names import is_legal_name, normalize_name, skill_id
from .shorten import shorten
from .values import mend_values

_BLANK = re.compile(r'[\s\ufeff]*')
_AFTER_KEY = re.compile(r'[ \t]*:')


@dataclass(frozen=True)
class Repaired:
    """What became of a `SKILL.md`."""

    text: str | None
    """The text to offer to harness, the same as before where nothing had to be mended; `None` where nothing can be."""

    findings: tuple[Finding, ...] = ()
    """What was mended, or, last, what cannot be."""

    id: str = ''
    """The id that the skill goes by; empty where neither name has a letter or number in it."""

    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The frontmatter as text, lists and mappings; empty where it cannot be read."""

    certain: bool = True
    """Whether harness is certain to refuse the text as it was, if something was mended (see `is_disputed`)."""


def repair(raw: bytes, directory_name: str) -> Repaired:
    """Mend what keeps a `SKILL.md` from loading, and say what that was.

    Mended: a byte order mark; blank lines or HTML comments above the frontmatter; blanks after a fence; values that are
    no YAML (see `mend_values`); a frontmatter too long for harness (see `shorten`); a name that differs from the id, which follows the folder's (see `skill_id`).

    Args:
        raw: The file's bytes.
        directory_name: The name of its folder, as it is on disk.
    """
    text = _decoded(raw)
    if isinstance(text, Finding):
        return Repaired(None, (text,), skill_id(directory_name))
    shielded = shield(text)
    text = shielded.text
    findings: list[Finding] = []
    start = _start(text, findings)
    if (span := split_frontmatter(text, start)) is None:
        return Repaired(None, (_no_frontmatter(text, start),), skill_id(directory_name))
    opening, closing = _fences(text[start : span.start], text[span.stop : span.end], findings)
    source, left_away = shorten(text[span.start : span.stop])
    if left_away:
        findings.append(_shortened(shielded.restore(text[span.start : span.stop]), left_away))
    read = _read(source, 1 + len(split_lines(text[: span.start])), findings)
    if isinstance(read, Finding):
        message = shielded.restore(read.message)
        return Repaired(None, (replace(read, message=message),), skill_id(directory_name))
    mended, parsed = read
    fields = fields_of(parsed.value, shielded.restore)
    name = skill_id(directory_name, text_field(fields, 'name'))
    if (error := _error(parsed, fields, name)) is not None:
        return Repaired(None, (error,), name, fields)
    mended = _named(mended, parsed, directory_name, name, findings)
    whole = shielded.restore(f'{opening}{mended}{closing}{text[span.end :]}')
    return Repaired(whole, tuple(findings), name, fields, certain=not findings or not is_disputed(source))


def _finding(code: str, message: str, hint: str | None = None) -> Finding:
    return Finding(code, message, CODES[code].remedy if hint is None else hint)


def _decoded(raw: bytes) -> str | Finding:
    if len(raw) > MAX_SKILL_BYTES:
        return _finding(FILE_TOO_LARGE, f'SKILL.md has more than {MAX_SKILL_BYTES:,} bytes.')
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, b'-\0\0\0', b'\0\0\0-')):
        return _finding(NOT_UTF8, 'SKILL.md is not UTF-8 but UTF-32.')
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b'-\0', b'\0-')):
        return _finding(NOT_UTF8, 'SKILL.md is not UTF-8 but UTF-16.')
    try:
        return raw.decode('utf-8')
    except UnicodeDecodeError as error:
        line = raw.count(b'\n', 0, error.start) + 1
        return _finding(NOT_UTF8, f'SKILL.md is not UTF-8: byte 0x{raw[error.start]:02X} in line {line}.')


def _start(text: str, findings: list[Finding]) -> int:
    """Where the frontmatter begins, past what may stand above it; 0 where there is none."""
    start = len(text) - len(text.lstrip('\ufeff'))
    marked = start > 0
    if not has_opening_fence(text, start):
        start = _past_comments(text, start)
        if not has_opening_fence(text, start) or text[start - 1 : start] not in ('\n', '\r'):
            return 0
        above = 'blank lines' if not text[:start].strip('\ufeff \t\r\n') else 'an HTML comment'
        findings.append(_finding(TEXT_ABOVE_FRONTMATTER, f'SKILL.md has {above} above the frontmatter, dropped here.'))
    if marked:
        findings.append(_finding(BYTE_ORDER_MARK, 'SKILL.md begins with a byte order mark, dropped here.'))
    return start


def _past_comments(text: str, start: int) -> int:
    while True:
        start = _BLANK.match(text, start).end()  # pyright: ignore[reportOptionalMemberAccess] - it matches nothing too
        if not text.startswith('<!--', start) or (end := text.find('-->', start + 4)) < 0:
            return start
        start = end + 3


def _no_frontmatter(text: str, start: int) -> Finding:
    if has_opening_fence(text, start):
        return _finding(FRONTMATTER_UNCLOSED, 'SKILL.md has frontmatter that no line `---` closes.')
    return _finding(NO_FRONTMATTER, 'SKILL.md has no frontmatter.' if text.strip() else 'SKILL.md is empty.')


def _fences(opening: str, closing: str, findings: list[Finding]) -> tuple[str, str]:
    exact = [fence if fence.rstrip('\r\n') == '---' else '---\n' for fence in (opening, closing)]
    if exact != [opening, closing]:
        message = 'SKILL.md has blanks after the three hyphens of a fence of its frontmatter, dropped here.'
        findings.append(_finding(FENCE_BLANKS, message))
    return exact[0], exact[1]


def _shortened(source: str, left_away: list[str]) -> Finding:
    names = ', '.join(f'`{_cut(name)}`' for name in left_away[:5]) + (', …' if len(left_away) > 5 else '')
    message = f'SKILL.md has {len(source):,} characters of frontmatter. Passed over, since it is so long: {names}.'
    return _finding(FRONTMATTER_LONG, message)


def _read(source: str, first_line: int, findings: list[Finding]) -> tuple[str, ParsedFrontmatter] | Finding:
    """The YAML, mended if it has to be, and what it says."""
    if (obstacle := frontmatter_obstacle(source)) is not None:
        return replace(obstacle, hint=CODES[obstacle.code].remedy)
    try:
        return source, parse_frontmatter(source)
    except YAML_ERRORS as error:
        complaint = describe_yaml_error(error, first_line)
    mending = mend_values(source)
    try:
        if mending.source == source or frontmatter_obstacle(mending.source) is not None:
            raise ValueError
        parsed = parse_frontmatter(mending.source)
    except YAML_ERRORS:
        return _finding(FRONTMATTER_INVALID, f'SKILL.md has frontmatter that is not valid YAML: {complaint}.')
    if mending.quoted:
        keys = ', '.join(f'`{_cut(key)}`' for key in mending.quoted[:5])
        message = (
            f'SKILL.md has frontmatter that is not valid YAML: {complaint}. Taken word for word: the value of {keys}.'
        )
        findings.append(_finding(VALUE_QUOTED, message))
    if mending.expanded:
        message = f'SKILL.md has frontmatter that is indented by tabs ({complaint}), read as two blanks each.'
        findings.append(_finding(TABS_EXPANDED, message))
    return mending.source, parsed


def _error(parsed: ParsedFrontmatter, fields: Mapping[str, Any], name: str) -> Finding | None:
    """What no repair can mend in a frontmatter that parses."""
    node = parsed.node
    if node is not None and not isinstance(node, yaml.MappingNode):
        return _finding(FRONTMATTER_INVALID, 'SKILL.md has frontmatter that is no mapping of fields.')
    if (twice := next(_duplicates(node), None)) is not None:
        message = f'SKILL.md has the field {_cut(twice.value)!r} twice in its frontmatter.'
        return _finding(DUPLICATE_KEY, message)
    description = fields.get('description')
    if not isinstance(description, str | None):
        # Mostly an unquoted text: one in brackets, or below its key with a colon in each line.
        message = 'SKILL.md has a description that YAML reads as a list or a mapping, not as text.'
        return _finding(NO_DESCRIPTION, message, CODES[VALUE_QUOTED].remedy)
    if not (description or '').strip():
        return _finding(NO_DESCRIPTION, f'SKILL.md has {"no" if description is None else "an empty"} description.')
    for field_name in ('disable-model-invocation', 'user-invocable'):
        if str(fields.get(field_name, 'true')).lower() not in ('true', 'false'):
            return _finding(FIELD_INVALID, f'SKILL.md has a {field_name} that is neither `true` nor `false`.')
    if not name:
        return _finding(NO_NAME, 'SKILL.md has no name with a letter or number in it, and neither has its folder.')
    return None


def _duplicates(node: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _duplicates(item)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key
            seen.add(key.value)
            yield from _duplicates(value)


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + '…'


def _named(source: str, parsed: ParsedFrontmatter, folder: str, name: str, findings: list[Finding]) -> str:
    """The source with the id in place of another name, which is to harness as if there were none."""
    pairs = parsed.node.value if isinstance(parsed.node, yaml.MappingNode) else ()
    key, value = next((pair for pair in pairs if pair[0].value == 'name'), (None, None))
    written = value.value if isinstance(value, yaml.ScalarNode) else None
    legal = is_legal_name(folder)
    says = [] if legal else [f'is in the folder {folder!r}, which is no legal skill name']
    if key is not None and value is not None and (written is None or normalize_name(written) != name):
        start, end = key.end_mark.index, value.end_mark.index
        if not _AFTER_KEY.match(source, start):
            return source
        called = 'a name that is no text' if written is None else f'the name {_cut(written)!r}'
        says.append(f'has {called} in its frontmatter')
        line_end = '\n' if source[start:end].endswith(('\n', '\r')) else ''
        source = f'{source[:start]}: {json.dumps(name, ensure_ascii=False)}{line_end}{source[end:]}'
    if says:
        hint = f'Write `name: {name}` there.' if legal else f'Rename the folder to {name!r}.'
        findings.append(_finding(NAME_MENDED, f'SKILL.md {", and ".join(says)}; the skill goes by {name!r}.', hint))
    return source
