"""Libraries in, definitions and diagnostics out. Harness judges each `SKILL.md`; what it refuses is mended and tried again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import time_ns
from typing import Any

from pydantic_ai_harness.skills import SkillDefinition

from .definitions import parse_definitions
from .diagnostics import SkillDiagnostic
from .discovery import FoundPackage, Library, find_packages, read_skill_file
from .frontmatter import frontmatter_fields, text_field
from .info import SkillInfo, skill_info
from .names import is_legal_name, normalize_name, skill_id
from .repair import repair

MAX_DESCRIPTION_LENGTH = 1_024
"""Characters in a description at most by the format; longer ones are kept and noted. Measured: up to 1,434."""

_CACHED_PACKAGES = 50_000
_SETTLED_NS = 100_000_000
"""A file changed more recently than this is not cached: another change could leave all its stamps as they are."""


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
    if any(found.code == 'unreadable' for found in item.diagnostics):
        return  # it may be readable the next time, with all its stamps as they are
    if time_ns() - max(item.found.signature[1:3]) < _SETTLED_NS:
        return
    with _lock:
        _cache[item.found.path, item.found.signature, strict] = item
        while len(_cache) > _CACHED_PACKAGES:
            _cache.popitem(last=False)


@dataclass
class _Reading:
    """A package while it is being read."""

    found: FoundPackage
    raw: bytes = b''
    name: str = ''
    definition: SkillDefinition | None = None
    refusal: str | None = None
    findings: list[SkillDiagnostic] | None = None

    def note(self, severity: Any, code: str, message: str, hint: str | None = None) -> None:
        """Add a finding about the `SKILL.md`."""
        self.findings = [*(self.findings or ()), SkillDiagnostic(self.found.skill_file, severity, code, message, hint)]


def _read(packages: Sequence[FoundPackage], strict: bool) -> list[CatalogItem]:
    readings = [_open(found, strict) for found in packages]
    open_ones = [reading for reading in readings if reading.refusal is None]
    _judge(open_ones, {id(reading): reading.raw for reading in open_ones})
    if not strict:
        _mend([reading for reading in open_ones if reading.definition is None])
    return [_item(reading) for reading in readings]


def _open(found: FoundPackage, strict: bool) -> _Reading:
    reading = _Reading(found)
    if strict or is_legal_name(found.folder):
        reading.name = normalize_name(found.folder)
    try:
        reading.raw = read_skill_file(found)
    except OSError as error:
        reading.name = reading.name or skill_id(found.folder)
        reading.refusal = 'unreadable'
        reading.note(
            'error', 'unreadable', f'Skipping {found.skill_file}: it cannot be read ({error.strerror or error}).'
        )
        return reading
    if not reading.name:
        fields = frontmatter_fields(reading.raw.decode('utf-8-sig', errors='replace'))
        reading.name = skill_id(found.folder, text_field(fields, 'name'))
    if strict and found.skill_file.name != 'SKILL.md':
        reading.refusal = 'case-mended'
        message = f'Skipping {found.skill_file}: the file must be called SKILL.md.'
        reading.note('error', 'case-mended', message, 'Rename it to SKILL.md.')
    elif not reading.name:
        reading.refusal = 'no-name'
        message = f'Skipping {found.skill_file}: neither the folder nor the frontmatter gives it a name.'
        reading.note('error', 'no-name', message, 'Name the folder with lowercase letters, numbers and hyphens.')
    return reading


def _judge(readings: Sequence[_Reading], texts: Mapping[int, bytes]) -> None:
    """Let harness judge these texts; readings of one id go to it in different batches, since it keeps one of a name."""
    batches: list[dict[str, _Reading]] = []
    for reading in readings:
        batch = next((batch for batch in batches if reading.name not in batch), None)
        if batch is None:
            batches.append(batch := {})
        batch[reading.name] = reading
    for batch in batches:
        judged = parse_definitions({name: texts[id(reading)] for name, reading in batch.items()})
        for name, reading in batch.items():
            verdict = judged[name]
            reading.definition = None if isinstance(verdict, str) else verdict
            reading.refusal = verdict if isinstance(verdict, str) else None


def _mend(readings: Sequence[_Reading]) -> None:
    mended: dict[int, bytes] = {}
    findings: dict[int, list[tuple[str, str, str | None]]] = {}
    for reading in readings:
        repaired = repair(reading.raw, reading.name)
        findings[id(reading)] = [(item.code, item.message, item.hint) for item in repaired.findings]
        if repaired.text is not None:
            mended[id(reading)] = repaired.text.encode()
    _judge([reading for reading in readings if id(reading) in mended], mended)
    for reading in readings:
        for code, message, hint in findings[id(reading)]:
            if reading.definition is not None:
                reading.note('warning', code, f'{reading.found.skill_file}: {message}', hint)
            else:
                reading.note('error', code, f'Skipping {reading.found.skill_file}: {message}', hint)


def _item(reading: _Reading) -> CatalogItem:
    found, definition = reading.found, reading.definition
    path = found.skill_file
    if definition is None:
        if not reading.findings:
            reading.note('error', 'invalid', f'Skipping {path}: {reading.refusal}')
        return CatalogItem(found, reading.name, None, None, tuple(reading.findings or ()))
    _note_advice(reading, definition)
    fields = frontmatter_fields(reading.raw.decode('utf-8-sig', errors='replace'))
    info = replace(
        skill_info(reading.name, fields, found.directory, source=found.library.source, boundary=found.library.boundary),
        description=definition.description,
        model_invocable=definition.model_invocable,
        user_invocable=definition.user_invocable,
    )
    return CatalogItem(found, reading.name, definition, info, tuple(reading.findings or ()))


def _note_advice(reading: _Reading, definition: SkillDefinition) -> None:
    path, folder = reading.found.skill_file, reading.found.folder
    if path.name != 'SKILL.md':
        reading.note('warning', 'case-mended', f'{path} is read as SKILL.md.', 'Rename it to SKILL.md.')
    if reading.name != normalize_name(folder):
        message = f'{path}: the folder {folder!r} is no legal skill name; the skill goes by {reading.name!r}.'
        reading.note('warning', 'name-mended', message, f'Rename the folder to {reading.name!r}.')
    if (length := len(definition.description)) > MAX_DESCRIPTION_LENGTH:
        message = f'{path}: the description has {length:,} characters, more than the {MAX_DESCRIPTION_LENGTH:,} of the format.'
        reading.note(
            'info', 'description-long', message, 'Say what it does and when to use it, and leave the rest to the body.'
        )
    if fields := definition.ignored_behavioral_fields:
        message = f'{path}: these frontmatter fields have no effect here: {", ".join(fields)}.'
        reading.note('info', 'fields-ignored', message)
