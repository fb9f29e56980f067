"""All checks of some packages, in the order in which an author mends things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..catalog import CatalogItem, read_packages
from ..codes import DESCRIPTION_LONG, DUPLICATE, NAME_MENDED, NAME_RISKY, NO_DESCRIPTION, UNREADABLE
from ..discovery import FoundPackage, Library, find_packages
from .bundled_links import check_links
from .called_scripts import check_called_scripts
from .checked import CheckedPackage
from .fields import check_fields
from .problem import Problem, as_problem, problem
from .script_files import check_script_files
from .writing import check_writing


def found_packages(folders: Iterable[Path]) -> list[FoundPackage]:
    """The packages in these folders, each of which holds a `SKILL.md`.

    Raises:
        OSError: the parent of one cannot be listed.
    """
    listed: dict[Path, dict[str, FoundPackage]] = {}
    packages: list[FoundPackage] = []
    for folder in folders:
        if folder.parent not in listed:
            listed[folder.parent] = {found.folder: found for found in find_packages(Library(folder.parent))}
        packages.append(listed[folder.parent][folder.name])
    return packages


def closed_folder(folder: Path, error: OSError) -> Problem:
    """What to say of a folder that may hold skills, and cannot be looked into."""
    message = f'{folder} cannot be looked into: {error.strerror or error}.'
    return Problem(folder, 'error', UNREADABLE, message, 'Let this process read it, or name the skills beside it.')


_FIELDS = {
    NAME_MENDED: 'name',
    NAME_RISKY: 'name',
    DESCRIPTION_LONG: 'description',
    NO_DESCRIPTION: 'description',
}
"""The fields that diagnostics of the runtime are about, to say their lines."""


def check_packages(packages: Sequence[FoundPackage]) -> Iterator[tuple[CatalogItem, list[Problem]]]:
    """Each package as it was read, with all that is to be said about it."""
    kept: dict[tuple[Path, str], CatalogItem] = {}
    for item in read_packages(packages):
        problems = list(check_package(item))
        if item.definition is not None:
            first = kept.setdefault((item.found.library.path, item.name), item)
            if first is not item:
                problems.append(_duplicate(first, item))
        yield item, sorted(problems, key=lambda found: _place(item, found))


def _place(item: CatalogItem, found: Problem) -> tuple[bool, str, int]:
    """What puts findings in the order of reading: `SKILL.md` from its beginning, then the other files by name."""
    return found.path != item.found.skill_file, str(found.path), found.line or 0


def check_package(item: CatalogItem) -> Iterator[Problem]:
    """All that is to be said about one package."""
    package = CheckedPackage(item)
    for diagnostic in item.diagnostics:
        field = _FIELDS.get(diagnostic.code)
        yield as_problem(diagnostic, None if field is None else package.field_line(field))
    yield from check_fields(package)
    yield from check_writing(package)
    yield from check_links(package)
    for message in package.left_out:
        yield problem('file-left-out', package.skill_file, message, hint='')
    yield from check_script_files(package)
    yield from check_called_scripts(package)


def _duplicate(first: CatalogItem, second: CatalogItem) -> Problem:
    path = second.found.skill_file
    message = f'{path}: the folder {first.found.folder!r} beside it is the skill {second.name!r} too.'
    return Problem(path, 'error', DUPLICATE, message, 'Rename one of them.')
