"""Mending values in a frontmatter that YAML refuses: taken word for word, where that is no guess.

People write `description: Use when: the user asks` without quotes (45 of 46 errors measured), and YAML reads a second
mapping there. Such a value is put in quotes as it stands. What cannot be told apart from something else that its author
may have meant stays as it is, and the skill is left out with the parser's complaint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .frontmatter import YAML_ERRORS, check_yaml, parser_for
from .lines import split_lines

_COLON = re.compile(r':(?=[ \t]|$)')
_NO_KEY = re.compile(r'[#&*!|>%@`\[\]{},]|[?-](?:[ \t]|$)')
_FINE = re.compile(r'[A-Za-z_-]+: [A-Za-z0-9](?:[^:#\t]|:(?=\w))*')

_TEXT_FIELDS = ('description', 'compatibility', 'license')
"""Fields that can be nothing but text, so what stands below their key is no mapping."""

_MAX_ENTRIES = 500
_MAX_LEVELS = 8


@dataclass
class Mending:
    """What has been done to a frontmatter."""

    source: str = ''
    """The YAML, mended as far as it could be."""

    quoted: list[str] = field(default_factory=list[str])
    """The keys whose values were taken word for word."""

    expanded: bool = False
    """Whether tabs that indented lines were made blanks."""


def mend_values(source: str) -> Mending:
    """Put values that do not parse in quotes, word for word, and read tabs that indent a line as two blanks.

    A value is mended when it stands on the line of its key, or goes on in lines that are indented deeper, which are
    joined as YAML joins them; and an item of a list that stands on one line and is no mapping. Not mended: lines at the left margin that belong to no key, comments between the lines
    of a value, and quotes or brackets that are opened and never closed, for those may end where another field begins.
    """
    mending = Mending()
    lines = _mend_block(split_lines(source), mending, 0)
    mending.source = ''.join(line + '\n' for line in lines)
    return mending


def _mend_block(lines: Sequence[str], mending: Mending, level: int) -> list[str]:
    """Mend the entries of a block mapping, whose first line sets the indentation."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith('#')), '')
    indent = _indent(first)
    starts = [index for index, line in enumerate(lines) if _indent(line) == indent and _key_and_value(line)]
    if not starts or len(starts) > _MAX_ENTRIES:
        return list(lines)
    mended = list(lines[: starts[0]])
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        mended += _mend_entry(lines[start:stop], indent, mending, level)
    return mended


def _mend_entry(lines: Sequence[str], indent: str, mending: Mending, level: int) -> Sequence[str]:
    if _parses(lines, indent) or (found := _key_and_value(lines[0])) is None:
        return lines
    key, value = found
    name, rest = key.strip('\'"'), lines[1:]
    if not value and name in _TEXT_FIELDS:
        value, rest = _below(rest, indent)
    if value and (text := _folded(value, rest, indent)) is not None:
        mending.quoted.append(name)
        return [f'{indent}{key}: {json.dumps(text, ensure_ascii=False)}']
    expanded = [lines[0], *(_expanded(line) for line in lines[1:])]
    mending.expanded = mending.expanded or expanded != list(lines)
    if value or level == _MAX_LEVELS or _parses(expanded, indent):
        return expanded
    if _is_list(expanded[1:]):
        return [lines[0], *_mend_list(expanded[1:], mending, name)]
    return [lines[0], *_mend_block(expanded[1:], mending, level + 1)]


def _below(lines: Sequence[str], indent: str) -> tuple[str, Sequence[str]]:
    """A text that begins on a line below its key, and the lines that continue it; empty where there is none."""
    start = next((index for index, line in enumerate(lines) if line.strip()), None)
    if start is None or len(_indent(lines[start])) <= len(indent) or lines[start].lstrip()[0] in '#|>':
        return '', lines
    return lines[start].strip(), lines[start + 1 :]


def _is_list(lines: Sequence[str]) -> bool:
    return next((line for line in lines if line.strip()), '').lstrip(' ').startswith('- ')


def _mend_list(lines: Sequence[str], mending: Mending, name: str) -> list[str]:
    """Mend the items of a list that stand on one line each and are no mappings, such as `- *.md` or `- "a" or "b"`."""
    mended: list[str] = []
    for number, line in enumerate(lines):
        indent, text = _indent(line), line.strip()
        follows = next((later for later in lines[number + 1 :] if later.strip()), '')
        alone = not follows or len(_indent(follows)) <= len(indent)
        value = text.removeprefix('- ').strip()
        if alone and value != text and not _parses([text], '') and _may_be_text(value):
            mending.quoted += [] if name in mending.quoted else [name]
            line = f'{indent}- {json.dumps(value, ensure_ascii=False)}'
        mended.append(line)
    return mended


def _parses(lines: Sequence[str], indent: str) -> bool:
    if len(lines) == 1 and _FINE.fullmatch(lines[0]):
        return True
    snippet = '\n'.join(line.removeprefix(indent) for line in lines)
    try:
        check_yaml(snippet, parser_for(snippet))
    except YAML_ERRORS:
        return False
    return True


def _folded(value: str, continuation: Sequence[str], indent: str) -> str | None:
    """A value and the lines that continue it, joined as YAML joins plain text; `None` where they may be no text."""
    parts = [value]
    breaks = 0
    for line in continuation:
        text = line.strip()
        if not text:
            breaks += 1
            continue
        if len(_indent(line)) <= len(indent) or text.startswith('#') or value[0] in '|>':
            return None
        parts += ['\n' * breaks or ' ', text]
        breaks = 0
    return text if _is_whole(text := ''.join(parts)) else None


def _is_whole(text: str) -> bool:
    """Whether what `text` opens at its beginning it also closes, so that nothing after it can belong to it."""
    if text[0] in '"\'':
        return text[0] in text[1:]
    if text[0] in '[{':
        return text.count('[') <= text.count(']') and text.count('{') <= text.count('}')
    return True


def _may_be_text(value: str) -> bool:
    """Whether an item of a list that does not parse can be nothing but text: no mapping, and no list in itself."""
    return bool(value) and not value.startswith(('- ', '? ', '#')) and _COLON.search(value) is None and _is_whole(value)


def _key_and_value(line: str) -> tuple[str, str] | None:
    """The key of a mapping's entry as it is written, and what follows it on its line."""
    if (colon := _COLON.search(line)) is None:
        return None
    key = line[: colon.start()].strip()
    if not key or _NO_KEY.match(key) or (key[0] in '"\'' and (len(key) < 2 or key[-1] != key[0])):
        return None
    return key, line[colon.end() :].strip()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(' \t'))]


def _expanded(line: str) -> str:
    indent = _indent(line)
    return indent.replace('\t', '  ') + line[len(indent) :]
