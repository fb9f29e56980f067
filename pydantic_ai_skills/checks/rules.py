"""What is checked beyond the runtime's own diagnostics, code by code; the documentation and SARIF are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .. import codes
from ..diagnostics import Severity

MAX_COMPATIBILITY_LENGTH = 500
"""Characters in `compatibility` at most: the format's limit."""

MAX_BODY_LINES = 500
"""Lines of instructions that are good practice at most (agentskills.io); the rest belongs into references."""

BREAKS_FORMAT = frozenset(
    [
        codes.BYTE_ORDER_MARK,
        codes.DESCRIPTION_LONG,
        codes.DUPLICATE_KEY,
        codes.FENCE_BLANKS,
        codes.FIELD_INVALID,
        codes.FILE_TOO_LARGE,
        codes.FRONTMATTER_INVALID,
        codes.FRONTMATTER_TOO_DEEP,
        codes.FRONTMATTER_TOO_LARGE,
        codes.FRONTMATTER_UNCLOSED,
        codes.NAME_MENDED,
        codes.NOT_UTF8,
        codes.NO_DESCRIPTION,
        codes.NO_FRONTMATTER,
        codes.NO_NAME,
        codes.REFUSED,
        codes.TABS_EXPANDED,
        codes.TEXT_ABOVE_FRONTMATTER,
        codes.UNREADABLE,
        codes.VALUE_QUOTED,
    ]
)
"""Codes of the runtime for what the format forbids; other clients may refuse what this one mends."""


@dataclass(frozen=True)
class Rule:
    """One rule."""

    severity: Severity
    kind: Literal['format', 'practice']
    """Whether agentskills.io forbids it, or experience does."""
    meaning: str
    remedy: str


def _format(severity: Severity, meaning: str, remedy: str) -> Rule:
    return Rule(severity, 'format', meaning, remedy)


def _practice(severity: Severity, meaning: str, remedy: str) -> Rule:
    return Rule(severity, 'practice', meaning, remedy)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        'name-missing': _format(
            'error',
            'The frontmatter has no `name`, which the format requires. Here the skill goes by the name of its folder.',
            'Add `name:` with the name of the folder.',
        ),
        'field-unknown': _format(
            'error',
            'The frontmatter has a field that the format does not know.',
            'Move it into `metadata`, or remove it.',
        ),
        'field-extension': _practice(
            'info',
            'The frontmatter has a field that is none of the format, but that this package and Claude Code understand.',
            'Keep it if those are who reads the skill.',
        ),
        'compatibility-long': _format(
            'error',
            f'`compatibility` has more than {MAX_COMPATIBILITY_LENGTH} characters.',
            'Name only what the skill needs around it.',
        ),
        'compatibility-invalid': _format(
            'error', '`compatibility` is empty, or no text.', 'Write it as text, or remove it.'
        ),
        'metadata-invalid': _format(
            'error',
            '`metadata` is no mapping of names to text.',
            'Write it as `metadata:` with `key: value` lines below.',
        ),
        'metadata-not-text': _practice(
            'info',
            'A value in `metadata` is a list or a mapping, where the format has text.',
            'Write it as text if other clients read it.',
        ),
        'allowed-tools-list': _format(
            'warning',
            '`allowed-tools` is a list, where the format has one text with blanks between the tools.',
            'Write the tools in one line with blanks between them.',
        ),
        'description-when': _practice(
            'warning',
            'The description does not say when to use the skill, and it is all that the model sees when it chooses.',
            'Add a sentence such as "Use it when the user asks for …".',
        ),
        'body-long': _practice(
            'warning',
            f'The instructions have more than {MAX_BODY_LINES} lines, all of which every use of the skill pays for.',
            'Move what is not always needed into files in `references/`, and say when to read them.',
        ),
        'body-empty': _practice(
            'warning', 'The skill has no instructions below its frontmatter.', 'Say what to do, step by step.'
        ),
        'line-ends': _practice(
            'info', 'SKILL.md has the line ends of Windows (CRLF).', 'Save it with line feeds, or use --fix.'
        ),
        'link-broken': _practice(
            'warning', 'A link in bundled Markdown leads to no file.', 'Mend the link, or add the file.'
        ),
        'link-hidden': _practice(
            'warning',
            'A link in bundled Markdown leads to a file that is never shown to a model, such as a secret or a cache.',
            'Give the file another name if the model should read it.',
        ),
        'link-from-root': _practice(
            'info',
            'A link resolves only from the root of the skill, not from the folder of the file that it stands in.',
            'Write it relative to its own file, as Markdown readers take it.',
        ),
        'link-outside': _practice(
            'info',
            'A link leads out of the skill, where the model cannot follow with the tools for its files.',
            'Name the other skill instead, or copy the file into this one.',
        ),
        'file-left-out': _practice(
            'warning',
            'A file is not offered to the model: a link that leads out of the skill, or a name that is not UTF-8.',
            'Put a regular file in its place.',
        ),
        'script-untyped': _practice(
            'warning',
            'A script has neither a known extension nor a first line (#!) that says what runs it.',
            'Add a first line such as `#!/usr/bin/env python3`, or an extension.',
        ),
        'script-first-line': _practice(
            'warning',
            'The first line (#!) of a script cannot be used as it is: it ends in CRLF, or stands behind a byte order mark.',
            'Save the file as UTF-8 without a byte order mark and with line feeds, or use --fix.',
        ),
        'script-syntax': _practice('warning', 'A Python script cannot be parsed.', 'Mend its syntax.'),
        'script-missing': _practice(
            'warning', 'The instructions name a script that the skill has not got.', 'Mend the name, or add the script.'
        ),
        'script-arguments': _practice(
            'warning',
            'The instructions call a script in a way that its argument parser refuses.',
            'Mend the call, or the script.',
        ),
        'script-not-executable': _practice(
            'info',
            'The instructions call a script by its path alone, and it cannot be executed so elsewhere.',
            'Make it executable (chmod +x) with a first line (#!), or write the interpreter before it.',
        ),
    }
)
"""Our own rules by code."""


def explained(code: str) -> tuple[str, str]:
    """What a code means and how to mend it, one of ours or of the runtime's."""
    rule = RULES.get(code) or codes.CODES[code]
    return rule.meaning, rule.remedy
