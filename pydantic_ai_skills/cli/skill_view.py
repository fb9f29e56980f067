"""One skill with all that `show` says of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..access import find_resource
from ..checks.documents import codes
from ..checks.shell_calls import shell_calls
from ..diagnostics import SkillDiagnostic
from ..discovery import Library, find_packages, read_skill_file
from ..entry import SkillEntry
from ..excludes import ResourceFilter
from ..executors import LocalSkillScriptExecutor
from ..frontmatter import frontmatter_fields
from ..info import SkillInfo
from ..members import SkillAsset, SkillScript
from ..packages import SkillPackage, index_package
from ..resources import size_text
from ..toolset import READ_TOOL, RUN_TOOL
from .lookup import Chosen
from .sources import diagnostics_of


@dataclass(frozen=True)
class ToolCall:
    """A call as the model makes it."""

    tool: str
    arguments: Mapping[str, Any]

    def as_text(self) -> str:
        """The call on one line."""
        given = (f'{key}={json.dumps(value, ensure_ascii=False)}' for key, value in self.arguments.items())
        return f'{self.tool}({", ".join(given)})'

    def as_dict(self) -> dict[str, Any]:
        """The call for `--json`."""
        return {'tool': self.tool, 'arguments': dict(self.arguments)}


@dataclass(frozen=True)
class FileView:
    """One bundled file."""

    name: str
    kind: str
    """`resource`, `script`, `asset`, or `resource and script` for one outside the folders of scripts."""
    size: int
    calls: tuple[ToolCall, ...]

    @property
    def size_text(self) -> str:
        """Its size for people."""
        return size_text(self.size)


@dataclass(frozen=True)
class SkillView:
    """One skill."""

    name: str
    directory: str | None
    source: str
    digest: str | None
    offered: bool
    frontmatter: Mapping[str, Any]
    catalog_entry: str
    instructions: str
    files: Sequence[FileView]
    problems: Sequence[SkillDiagnostic]


def skill_view(chosen: Chosen) -> SkillView:
    """Everything about a skill."""
    info, capability = chosen.info, chosen.source.capability
    if chosen.entry is not None:
        instructions, package = chosen.entry.instructions, capability.packages[info.name]
    else:
        instructions, package = capability.render(info.name), _package(info)
    return SkillView(
        name=info.name,
        directory=None if info.directory is None else str(info.directory),
        source=chosen.source.text,
        digest=info.digest,
        offered=chosen.entry is not None,
        frontmatter=_frontmatter(info),
        catalog_entry=catalog_entry(chosen.entry, info),
        instructions=instructions,
        files=file_views(package, written_args(instructions, package), offered=chosen.entry is not None),
        problems=diagnostics_of(chosen.source, info.directory),
    )


def catalog_entry(entry: SkillEntry | None, info: SkillInfo) -> str:
    """The lines that the catalog has for a skill, as Pydantic AI writes them; nothing for one the model is not offered."""
    if entry is None:
        return ''
    description = '\n  '.join(entry.description.splitlines())
    return f'- {info.name}: {description}'


def _frontmatter(info: SkillInfo) -> Mapping[str, Any]:
    found = _found(info)
    return {} if found is None else frontmatter_fields(read_skill_file(found).decode('utf-8-sig', errors='replace'))


def _found(info: SkillInfo) -> Any:
    if info.directory is None:
        return None
    library = Library(info.directory.parent)
    return next((found for found in find_packages(library) if found.folder == info.directory.name), None)


def _package(info: SkillInfo) -> SkillPackage:
    found = _found(info)
    assert found is not None
    return index_package(info.name, found, LocalSkillScriptExecutor(), ResourceFilter())


def written_args(instructions: str, package: SkillPackage) -> Mapping[str, Sequence[str]]:
    """The arguments with which the instructions call each script for the first time."""
    scripts = {script.name for script in (*package.scripts, *package.unlisted_scripts)}
    written: dict[str, Sequence[str]] = {}
    for code in codes(instructions):
        for call in shell_calls(code):
            if call.script in scripts and call.is_call:
                written.setdefault(call.script, call.args)
    return written


def file_views(package: SkillPackage, written: Mapping[str, Sequence[str]], *, offered: bool) -> list[FileView]:
    """The files of a package by name, each with the calls that the model can make.

    Args:
        package: The files.
        written: Arguments of scripts as the instructions have them.
        offered: Whether the model can load the skill at all.
    """
    runnable = {script.name for script in (*package.scripts, *package.unlisted_scripts)}
    views: list[FileView] = []
    for name in sorted({*runnable, *(item.name for item in (*package.resources, *package.assets))}):
        member = find_resource(package, name)
        calls: list[ToolCall] = []
        if name in runnable:
            arguments: dict[str, Any] = {'skill_name': package.name, 'script_name': name}
            if written.get(name):
                arguments['args'] = list(written[name])
            calls.append(ToolCall(RUN_TOOL, arguments))
        if not isinstance(member, SkillScript):
            calls.append(ToolCall(READ_TOOL, {'skill_name': package.name, 'resource_name': name}))
        kind = (
            'script' if isinstance(member, SkillScript) else 'asset' if isinstance(member, SkillAsset) else 'resource'
        )
        if kind == 'resource' and name in runnable:
            kind = 'resource and script'
        size = os.stat(member.uri).st_size if member.uri else 0
        views.append(FileView(name, kind, size, tuple(calls) if offered else ()))
    return views
