"""Reading a library the way a view needs it: each package's id and the text of its `SKILL.md`, or why it has none.

Whether a text is a skill is for harness to say, through the catalog; this only finds out what cannot be staged.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ..catalog import read_catalog
from ..diagnostics import SkillDiagnostic
from ..digest import package_digest
from ..discovery import FoundPackage, Library, find_packages
from ..files import read_inside
from ..frontmatter import split_frontmatter
from ..info import SkillInfo
from ..names import is_legal_name, normalize_name
from ..repair import repair

MAX_SKILL_FILE_BYTES = 16 * 2**20
"""How long a `SKILL.md` may be: fifty times the longest that was measured; more is no skill but an accident."""


@dataclass(frozen=True)
class PackageText:
    """A package whose `SKILL.md` could be read."""

    found: FoundPackage
    """Where it is."""

    name: str
    """Its id."""

    text: str
    """Its `SKILL.md`, line ends and a byte order mark as they are; mended where its frontmatter was not to be found."""


def read_package(found: FoundPackage) -> PackageText | SkillDiagnostic:
    """The id and text of one package, or a diagnostic that says why it cannot be staged."""
    limit = found.library.boundary or os.path.dirname(os.path.realpath(found.path))
    try:
        raw = read_inside(limit, found.path, MAX_SKILL_FILE_BYTES + 1)
    except OSError as error:
        return left_out(found, 'unreadable', f'cannot be read ({error.strerror or error})')
    if len(raw) > MAX_SKILL_FILE_BYTES:
        return left_out(found, 'too-long', f'has more than {MAX_SKILL_FILE_BYTES:,} bytes')
    try:
        text = raw.decode('utf-8')
    except UnicodeDecodeError as error:
        problem = f'is not UTF-8 (byte {error.start} is {raw[error.start]:#04x})'
        return left_out(found, 'not-utf8', problem, 'Save it as UTF-8.')
    if split_frontmatter(text) is None:
        mended = repair(raw, found.folder).text
        if mended is None or split_frontmatter(mended) is None:
            hint = 'Begin it with a line `---`, then `name:` and `description:`, and a line `---` again.'
            return left_out(found, 'no-frontmatter', 'has no frontmatter', hint)
        text = mended
    name = package_name(found.folder, text)
    if not name:
        return left_out(found, 'no-name', 'gives no name: neither its folder nor its frontmatter has letters or digits')
    return PackageText(found, name, text)


def package_name(folder: str, text: str) -> str:
    """The id of a package: its frontmatter is parsed only where the folder's name is no legal one."""
    if is_legal_name(folder):
        return normalize_name(folder)
    return repair(text.encode('utf-8'), folder).id


def read_infos(library: Library) -> Iterator[SkillInfo | SkillDiagnostic]:
    """Each skill of a library as the catalog has it, and a diagnostic for what is left out or repeats an id.

    Raises:
        OSError: the library cannot be listed.
    """
    taken: dict[str, FoundPackage] = {}
    for item in read_catalog([library]):
        if item.info is None:
            yield from (diagnostic for diagnostic in item.diagnostics if diagnostic.severity == 'error')
        elif (first := taken.setdefault(item.name, item.found)) is not item.found:
            yield repeated(first, item.found, item.name)
        else:
            yield item.info


def read_packages(library: Library) -> Iterator[PackageText | SkillDiagnostic]:
    """Each package of a library that can be staged, by folder name, and a diagnostic for each other one.

    Raises:
        OSError: the library cannot be listed.
    """
    taken: dict[str, FoundPackage] = {}
    for found in find_packages(library):
        package = read_package(found)
        if isinstance(package, PackageText):
            first = taken.setdefault(package.name, found)
            if first is not found:
                package = repeated(first, found, package.name)
        yield package


def same_package(first: PackageText, second: PackageText) -> bool:
    """Whether two packages have the same files."""
    try:
        digests = [package_digest(item.found.directory, item.found.library.boundary) for item in (first, second)]
    except OSError:
        return False
    return digests[0] == digests[1]


def repeated(first: FoundPackage, second: FoundPackage, name: str) -> SkillDiagnostic:
    """The finding that two folders of one library are the same skill."""
    message = (
        f'The folders {first.folder!r} and {second.folder!r} are both the skill {name!r}; {first.folder!r} is used.'
    )
    return SkillDiagnostic(second.skill_file, 'warning', 'duplicate-name', message, 'Rename one of them.')


def left_out(found: FoundPackage, code: str, problem: str, hint: str | None = None) -> SkillDiagnostic:
    """The finding that a package is left out because of its `SKILL.md`."""
    message = f'The skill in {found.folder!r} is left out: {found.path} {problem}.'
    return SkillDiagnostic(found.skill_file, 'error', code, message, hint)
