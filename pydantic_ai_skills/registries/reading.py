"""Reading a library the way a registry needs it: each package's id, `SKILL.md` and frontmatter, or why it is no skill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ..diagnostics import SkillDiagnostic
from ..discovery import FoundPackage, Library, find_packages
from ..files import open_inside
from ..frontmatter import frontmatter_fields, split_frontmatter, text_field
from ..info import SkillInfo, skill_info
from ..names import skill_id

MAX_SKILL_FILE_BYTES = 16 * 2**20
"""How long a `SKILL.md` may be: fifty times the longest that was measured; more is no skill but an accident."""


@dataclass(frozen=True)
class ReadPackage:
    """A package whose `SKILL.md` could be read."""

    found: FoundPackage
    """Where it is."""

    text: str
    """Its `SKILL.md`, line ends and a byte order mark as they are."""

    info: SkillInfo
    """Its id and what its frontmatter says."""


def read_library(library: Library) -> Iterator[ReadPackage | SkillDiagnostic]:
    """Each package of a library by folder name, or a diagnostic for one that is no skill or repeats an id.

    Raises:
        OSError: the library cannot be listed.
    """
    taken: dict[str, FoundPackage] = {}
    for found in find_packages(library):
        package = read_package(found)
        if isinstance(package, SkillDiagnostic):
            yield package
        elif (first := taken.setdefault(package.info.name, found)) is not found:
            yield SkillDiagnostic(
                found.skill_file,
                'warning',
                'duplicate-name',
                f'The folders {first.folder!r} and {found.folder!r} are both the skill {package.info.name!r}; '
                f'{first.folder!r} is used.',
                'Rename one of them.',
            )
        else:
            yield package


def read_package(found: FoundPackage) -> ReadPackage | SkillDiagnostic:
    """One package's `SKILL.md` and frontmatter, or a diagnostic that says why it is no skill."""
    file = found.skill_file
    try:
        limit = found.library.boundary or os.path.dirname(os.path.realpath(file))
        with open(open_inside(limit, file), 'rb') as opened:
            content = opened.read(MAX_SKILL_FILE_BYTES + 1)
    except OSError as error:
        return _left_out(found, 'unreadable', f'cannot be read ({error.strerror or error})')
    if len(content) > MAX_SKILL_FILE_BYTES:
        return _left_out(found, 'too-long', f'has more than {MAX_SKILL_FILE_BYTES:,} bytes')
    try:
        text = content.decode('utf-8')
    except UnicodeDecodeError as error:
        problem = f'is not UTF-8 (byte {error.start} is {content[error.start]:#04x})'
        return _left_out(found, 'not-utf8', problem, 'Save it as UTF-8.')
    return _judged(found, text)


def _judged(found: FoundPackage, text: str) -> ReadPackage | SkillDiagnostic:
    plain = text.removeprefix('\ufeff')
    if split_frontmatter(plain) is None:
        hint = 'Begin it with a line `---`, then `name:` and `description:`, and a line `---` again.'
        return _left_out(found, 'no-frontmatter', 'has no frontmatter', hint)
    fields = frontmatter_fields(plain)
    name = skill_id(found.folder, text_field(fields, 'name'))
    if not name:
        return _left_out(
            found, 'no-name', 'gives no name: neither its folder nor its frontmatter has letters or digits'
        )
    if not (text_field(fields, 'description') or '').strip():
        hint = 'Say in one sentence what the skill does and when to use it.'
        return _left_out(found, 'no-description', 'has no description', hint)
    source = found.library.source or str(found.library.path)
    info = skill_info(name, fields, found.directory, source=source, boundary=found.library.boundary)
    return ReadPackage(found, text, info)


def _left_out(found: FoundPackage, code: str, problem: str, hint: str | None = None) -> SkillDiagnostic:
    message = f'The skill in {found.folder!r} is left out: {found.skill_file} {problem}.'
    return SkillDiagnostic(found.skill_file, 'error', code, message, hint)
