"""Reading a library the way a view needs it: each package's id and the text of its `SKILL.md`, or why it is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..catalog import read_catalog
from ..codes import SHADOWED, UNREADABLE, Finding
from ..diagnostics import SkillDiagnostic
from ..digest import package_digest
from ..discovery import FoundPackage, Library, find_packages, read_skill_file
from ..frontmatter import split_frontmatter
from ..info import SkillInfo
from ..repair import repair


@dataclass(frozen=True)
class PackageText:
    """A package whose `SKILL.md` could be read, and might be a skill; harness has the last word when it is loaded."""

    found: FoundPackage
    """Where it is."""

    name: str
    """Its id."""

    text: str
    """Its `SKILL.md` as it is; mended where its frontmatter could not be found otherwise."""


def read_package(found: FoundPackage) -> PackageText | SkillDiagnostic:
    """The id and text of one package, or a diagnostic that says why it is left out."""
    try:
        raw = read_skill_file(found)
    except OSError as error:
        return Finding(UNREADABLE, f'SKILL.md cannot be read: {error.strerror or error}.').about(found.skill_file)
    repaired = repair(raw, found.folder)
    if repaired.text is None:
        return repaired.findings[-1].about(found.skill_file)
    text = raw.decode('utf-8')
    return PackageText(found, repaired.id, text if split_frontmatter(text) is not None else repaired.text)


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
                package = _repeated(first, found, package.name)
        yield package


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
            yield _repeated(first, item.found, item.name)
        else:
            yield item.info


def same_package(first: PackageText, second: PackageText) -> bool:
    """Whether two packages have the same files."""
    try:
        digests = [package_digest(item.found.directory, item.found.library.boundary) for item in (first, second)]
    except OSError:
        return False
    return digests[0] == digests[1]


def _repeated(first: FoundPackage, second: FoundPackage, name: str) -> SkillDiagnostic:
    message = (
        f'The folders {first.folder!r} and {second.folder!r} are both the skill {name!r}; {first.folder!r} is used.'
    )
    return SkillDiagnostic(second.skill_file, 'warning', SHADOWED, message, 'Rename one of them.')
