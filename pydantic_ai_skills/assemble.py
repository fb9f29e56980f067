"""From libraries and skills in Python to a snapshot: who is selected, who wins a name, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_ai import RunContext

from .budget import fit_descriptions
from .catalog import CatalogItem, read_catalog
from .codes import CATALOG_CUT, CODES, DUPLICATE, NAME_RISKY, SHADOWED
from .diagnostics import SkillDiagnostic
from .discovery import Library
from .encoding import encodable
from .entry import SkillEntry, indented
from .excludes import ResourceFilter
from .executors import may_stage, staged_directory
from .info import SkillInfo
from .members import SkillScriptExecutor
from .names import DEFAULT_CAPABILITY_IDS, normalize_name
from .options import SkillsOptions
from .owned import owned_toolset
from .packages import file_kinds, file_stamp, index_package
from .placeholders import resolve_placeholders
from .skills import Skill
from .sources import empty_finding
from .state import Snapshot


def assemble(
    options: SkillsOptions,
    libraries: Sequence[Library],
    skills: Sequence[Skill],
    executor: SkillScriptExecutor,
    noted: Iterable[SkillDiagnostic] = (),
) -> Snapshot:
    """Read the libraries and make the snapshot.

    Args:
        options: What is selected and what counts as an error.
        libraries: Where packages are, in order of precedence.
        skills: Skills written in Python; they win over packages.
        executor: What runs the scripts.
        noted: What was noticed while the libraries were found.

    Raises:
        ValueError: an unknown name in include or exclude, or two different packages of one name.
    """
    items = read_catalog(libraries, strict=options.strict)
    filled = {item.found.library for item in items}
    noted = [
        *noted,
        *(empty_finding(library) for library in libraries if library not in filled and not library.from_registry),
    ]
    folders = {normalize_name(item.found.folder) for item in items}
    _check_names(options, {item.name for item in items if item.name} | {skill.name for skill in skills}, folders)
    wanted = [item for item in items if options.selects(item.name, normalize_name(item.found.folder))]
    selected = [item for item in wanted if item.name]
    diagnostics = [*noted, *(found for item in wanted for found in item.diagnostics)]
    by_name = _one_per_name(options, selected, diagnostics)
    hidden_files = options.hidden
    entries = {name: _disk_entry(options, item, executor, hidden_files) for name, item in by_name.items()}
    infos = {name: item.info for name, item in by_name.items() if item.info is not None}
    for skill in (skill for skill in skills if options.selects(skill.name)):
        if (shadowed := infos.get(skill.name)) is not None:
            diagnostics.append(_shadowed(skill.name, shadowed))
        entry = _python_entry(options, skill, executor)
        entries[skill.name], infos[skill.name] = entry, entry.info
    diagnostics += [
        _risky(info) for info in infos.values() if info.directory is None and info.name in DEFAULT_CAPABILITY_IDS
    ]
    invocable = {name: entry for name, entry in entries.items() if entry.info.model_invocable}
    diagnostics += _fit(options, invocable)
    hidden = {name: entry for name, entry in entries.items() if name not in invocable}
    return Snapshot(invocable, tuple(infos[name] for name in sorted(infos)), tuple(diagnostics), hidden)


def _check_names(options: SkillsOptions, available: set[str], folders: set[str]) -> None:
    if options.unknown_names == 'skip':
        return
    for option, names in (('include', options.include), ('exclude', options.exclude)):
        if unknown := sorted((names or frozenset()) - available - folders):
            raise ValueError(
                f'{option} names {", ".join(map(repr, unknown))}, which no library and no Python skill has. '
                f'There is: {", ".join(sorted(available)) or "nothing"}. Mend the name, or pass unknown_names="skip".'
            )


def _one_per_name(
    options: SkillsOptions, items: Iterable[CatalogItem], diagnostics: list[SkillDiagnostic]
) -> dict[str, CatalogItem]:
    kept: dict[str, CatalogItem] = {}
    for item in items:
        if item.definition is None:
            continue
        first = kept.setdefault(item.name, item)
        if first is item or _same(first, item):
            continue
        message = f'Two different skills are called {item.name!r}: {first.found.directory} and {item.found.directory}.'
        if options.duplicate_names == 'error':
            raise ValueError(
                f'{message} Rename or exclude one, or pass duplicate_names="keep_first" to keep the earlier library\'s.'
            )
        hint = 'The first one is used. Rename or exclude one of them to have both.'
        diagnostics.append(SkillDiagnostic(item.found.skill_file, 'warning', DUPLICATE, message, hint))
    return kept


def _same(one: CatalogItem, other: CatalogItem) -> bool:
    """Whether two packages are one skill: the same folder, or the same digest over all their files."""
    if one.found.directory == other.found.directory:
        return True
    assert one.info is not None and other.info is not None
    try:
        return one.info.digest == other.info.digest
    except OSError:
        return False


def _disk_entry(
    options: SkillsOptions, item: CatalogItem, executor: SkillScriptExecutor, hidden_files: ResourceFilter
) -> SkillEntry:
    assert item.definition is not None and item.info is not None
    written, found = item.definition.body, item.found
    here = encodable(str(item.info.directory))
    has_places = options.resolve_skill_dir and ('$' in written or '{' in written)
    body = resolve_placeholders(written, here) if has_places else written

    async def staged(ctx: RunContext[Any]) -> str:
        place = await staged_directory(
            executor, found.directory, item.name, ctx, boundary=found.library.boundary, origin=found.library.origin
        )
        return resolve_placeholders(written, place or here)

    return SkillEntry(
        item.info,
        body,
        lambda: index_package(item.name, found, executor, hidden_files),
        options.files,
        lambda: file_kinds(found, hidden_files),
        staged=staged if body != written and may_stage(executor) else None,
        identity=(found, found.signature),
        stamp=lambda: file_stamp(found),
    )


def _python_entry(options: SkillsOptions, skill: Skill, executor: SkillScriptExecutor) -> SkillEntry:
    info = SkillInfo(
        skill.name, skill.description, None, skill.license, skill.compatibility, skill.metadata or {}, skill.uri
    )
    entry = SkillEntry(info, skill.content.strip(), lambda: skill.package(executor), options.files)
    entry.identity = (info, skill.content, tuple(skill.resources), tuple(skill.scripts), skill.metadata)
    entry.toolset = owned_toolset(entry, skill.brought_toolset)
    return entry


def _shadowed(name: str, other: SkillInfo) -> SkillDiagnostic:
    place = f'the package {other.directory}' if other.directory else 'an earlier Python skill'
    return SkillDiagnostic(
        other.directory or f'skill://{name}',
        'warning',
        SHADOWED,
        f'The Python skill {name!r} is used instead of {place}.',
        'Rename or exclude one of them to have both.',
    )


def _fit(options: SkillsOptions, entries: Mapping[str, SkillEntry]) -> list[SkillDiagnostic]:
    """Shorten what the catalog says of these skills to the budget, and say so where that cut anything."""
    if options.catalog_budget is None:
        return []
    # As the catalog has them: the blanks that indent their lines are paid for too.
    whole = {name: indented(entry.info.description) for name, entry in entries.items()}
    fitted = fit_descriptions(whole, options.catalog_budget)
    cut = [name for name in whole if fitted[name] != whole[name]]
    for name in cut:
        entries[name].shown_description = fitted[name].replace('\n  ', '\n')
    if not cut:
        return []
    message = (
        f'The descriptions of all {len(entries):,} skills have {sum(map(len, whole.values())):,} characters; '
        f'{len(cut):,} were shortened to fit catalog_budget={options.catalog_budget:,}.'
    )
    return [SkillDiagnostic('catalog', 'warning', CATALOG_CUT, message, CODES[CATALOG_CUT].remedy)]


def _risky(info: SkillInfo) -> SkillDiagnostic:
    message = f'The Python skill {info.name!r} has the name that a capability of Pydantic AI has by default.'
    return SkillDiagnostic(info.source or info.name, 'info', NAME_RISKY, message, CODES[NAME_RISKY].remedy)
