"""Practice in writing: a description that says when, instructions that are there and not too long."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frontmatter import text_field
from ..lines import split_lines
from .checked import CheckedPackage
from .problem import Problem, problem
from .rules import MAX_BODY_LINES

_SAYS_WHEN = re.compile(
    r'\b(when|whenever|if|before|after|while|during|where|trigger\w*|invoke\w*|should be used|must be used'
    r'|us(?:e|ed|ing|eful) (?:this|it|for|to|as|in|on|with|by|only|proactively|the|any)|for (?:use|any|all|tasks?|questions?)'
    r'|(?:asks?|wants?|needs?|mentions?|requests?) )\b',
    re.IGNORECASE,
)


def check_writing(package: CheckedPackage) -> Iterator[Problem]:
    """Check the description and the length of the instructions."""
    path = package.skill_file
    description = (text_field(package.fields, 'description') or '').strip()
    if description and _is_english(description) and not _SAYS_WHEN.search(description):
        line = package.field_line('description')
        yield problem(
            'description-when', path, f'{path}: the description does not say when to use the skill.', line=line
        )
    if package.item.definition is None:
        return
    lines = len(split_lines(package.body.rstrip()))
    if not package.body.strip():
        yield problem('body-empty', path, f'{path}: there are no instructions.')
    elif lines > MAX_BODY_LINES:
        message = f'{path}: the instructions have {lines:,} lines, more than {MAX_BODY_LINES}.'
        yield problem('body-long', path, message, line=package.body_line)
    if b'\r\n' in package.raw:
        yield problem('line-ends', path, f'{path} has the line ends of Windows.')


def _is_english(text: str) -> bool:
    """Whether the words for "when" are worth looking for: not in another script, where nothing can be said."""
    letters = [character for character in text if character.isalpha()]
    return bool(letters) and sum(character.isascii() for character in letters) / len(letters) > 0.9
