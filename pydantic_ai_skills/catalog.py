"""Libraries in, definitions and diagnostics out, each package read once per process for as long as it does not change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import time_ns

from pydantic_ai_harness.skills import SkillDefinition

from .codes import CASE_MENDED, CODES, UNREADABLE, Finding
from .diagnostics import SkillDiagnostic
from .digest import SETTLED_NS
from .discovery import FoundPackage, Library, find_packages, read_skill_file
from .info import SkillInfo, skill_info
from .names import skill_id
from .reading import ReadSkill, SkillSource, read_skills

_CACHED_PACKAGES = 50_000


@dataclass(frozen=True)
class CatalogItem:
    """One package of a library as it was read."""

    found: FoundPackage
    name: str
    """Its id; empty where neither folder nor frontmatter gives one."""

    definition: SkillDefinition | None
    """What harness made of it, or `None` where the skill is left out."""

    info: SkillInfo | None
    """What else is known of it; `None` where it is left out."""

    diagnostics: tuple[SkillDiagnostic, ...] = ()


_CacheKey = tuple[str, tuple[int, int, int, int], bool]
_cache: OrderedDict[_CacheKey, CatalogItem] = OrderedDict()
_lock = Lock()


def read_catalog(libraries: Iterable[Library], *, strict: bool = False) -> list[CatalogItem]:
    """Every package of these libraries, in their order and then by name, the broken ones too.

    Parsed once per process for as long as a `SKILL.md` keeps its path, size, times and inode.

    Args:
        libraries: Where to look.
        strict: Whether to refuse what needs a repair.

    Raises:
        OSError: a library cannot be listed.
    """
    return read_packages([found for library in libraries for found in find_packages(library)], strict=strict)


def read_packages(packages: Sequence[FoundPackage], *, strict: bool = False) -> list[CatalogItem]:
    """These packages, in their order; see `read_catalog`."""
    items: list[CatalogItem | None] = [_cached(found, strict) for found in packages]
    missing = [index for index, item in enumerate(items) if item is None]
    for index, item in zip(missing, _read([packages[index] for index in missing], strict), strict=True):
        items[index] = item
        _keep(item, strict)
    return [item for item in items if item is not None]


def _cached(found: FoundPackage, strict: bool) -> CatalogItem | None:
    key = (found.path, found.signature, strict)
    with _lock:
        if (item := _cache.get(key)) is None:
            return None
        _cache.move_to_end(key)
    library = found.library
    if item.found.library == library:
        return item
    info = None if item.info is None else replace(item.info, source=library.source, boundary=library.boundary)
    return replace(item, found=found, info=info)


def _keep(item: CatalogItem, strict: bool) -> None:
    if any(found.code == UNREADABLE for found in item.diagnostics):
        return  # it may be readable the next time, with all its stamps as they are
    if time_ns() - max(item.found.signature[1:3]) < SETTLED_NS:
        return
    with _lock:
        _cache[item.found.path, item.found.signature, strict] = item
        while len(_cache) > _CACHED_PACKAGES:
            _cache.popitem(last=False)


def _read(packages: Sequence[FoundPackage], strict: bool) -> list[CatalogItem]:
    opened = [_open(found, strict) for found in packages]
    sources = [
        SkillSource(found.folder, raw) for found, raw in zip(packages, opened, strict=True) if isinstance(raw, bytes)
    ]
    read = iter(read_skills(sources, strict=strict))
    return [
        _item(found, next(read)) if isinstance(raw, bytes) else _left_out(found, raw)
        for found, raw in zip(packages, opened, strict=True)
    ]


def _open(found: FoundPackage, strict: bool) -> bytes | Finding:
    name = found.skill_file.name
    if strict and name != 'SKILL.md':
        message = f'SKILL.md is called {name!r}, which strict=True does not take for it.'
        return Finding(CASE_MENDED, message, CODES[CASE_MENDED].remedy, 'error')
    try:
        return read_skill_file(found)
    except OSError as error:
        return Finding(UNREADABLE, f'SKILL.md cannot be read: {error.strerror or error}.', CODES[UNREADABLE].remedy)


def _left_out(found: FoundPackage, finding: Finding) -> CatalogItem:
    return CatalogItem(found, skill_id(found.folder), None, None, (finding.about(found.skill_file),))


def _item(found: FoundPackage, read: ReadSkill) -> CatalogItem:
    findings, definition, library = list(read.findings), read.definition, found.library
    if definition is not None and found.skill_file.name != 'SKILL.md':
        message = f'SKILL.md is called {found.skill_file.name!r} and read all the same.'
        findings.insert(0, Finding(CASE_MENDED, message, CODES[CASE_MENDED].remedy))
    diagnostics = tuple(finding.about(found.skill_file) for finding in findings)
    if definition is None:
        return CatalogItem(found, read.id, None, None, diagnostics)
    info = replace(
        skill_info(read.id, read.fields, found.directory, source=library.source, boundary=library.boundary),
        description=definition.description,
        model_invocable=definition.model_invocable,
        user_invocable=definition.user_invocable,
    )
    return CatalogItem(found, read.id, definition, info, diagnostics)
