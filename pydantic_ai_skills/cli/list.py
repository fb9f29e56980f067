"""`list`: which skills there are, where they come from, and what is wrong with them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from .console import console, one_line, print_json, show
from .errors import FINDINGS, exit_code, note, sentence
from .options import JsonOption, SourcesArgument


def list_skills(sources: SourcesArgument = None, json: JsonOption = False) -> None:
    """Show the skills of some sources, and what is wrong with them."""
    from .locations import locations

    rows, failures = _collect(locations(sources))
    if json:
        failed = [{'source': text, 'error': sentence(error)} for text, error in failures]
        print_json({'skills': [row.as_dict() for row in rows], 'failed_sources': failed})
    else:
        if rows or not failures:
            _show(rows)
        for text, error in failures:
            note(f'{one_line(text)}: {sentence(error)}')
    codes = [exit_code(error) for _, error in failures] + [FINDINGS for row in rows if row.left_out]
    if codes:
        raise typer.Exit(max(codes))


@dataclass
class Row:
    """One skill, or one package that is none."""

    name: str
    description: str
    source: str
    directory: Path | None
    files: int = 0
    scripts: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    left_out: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The row for `--json`."""
        return {
            'name': self.name,
            'description': self.description,
            'files': self.files,
            'scripts': self.scripts,
            'source': self.source,
            'directory': None if self.directory is None else str(self.directory),
            'left_out': self.left_out,
            'problems': self.problems,
        }


def _collect(wanted: Any) -> tuple[list[Row], list[tuple[str, Exception]]]:
    from .sources import FailedSource, open_sources

    rows: list[Row] = []
    failures: list[tuple[str, Exception]] = []
    first: dict[str, Row] = {}
    for source in open_sources(wanted):
        if isinstance(source, FailedSource):
            failures.append((source.location.text, source.error))
            continue
        for text in source.notes:
            note(text)
        for row in _rows(source):
            earlier = first.setdefault(row.name, row) if not row.left_out else row
            if earlier is not row and not _add_shadowed(row, earlier):
                continue
            rows.append(row)
    return rows, failures


def _rows(source: Any) -> list[Row]:
    from .reports import problem_dict
    from .sources import diagnostics_of, folder_of

    capability = source.capability
    rows: list[Row] = []
    shown: set[Path | None] = set()
    for info in capability.skills:
        package = capability.packages.get(info.name)
        row = Row(info.name, info.description, source.text, info.directory)
        if package is not None:
            row.files = len(package.resources) + len(package.assets) + len(package.scripts)
            row.scripts = len(package.scripts)
        row.problems = [problem_dict(item) for item in diagnostics_of(source, info.directory)]
        shown.add(info.directory)
        rows.append(row)
    for item in capability.diagnostics:
        folder = folder_of(item)
        if folder not in shown and item.severity != 'info':
            name = os.path.basename(os.path.dirname(item.path)) if folder else str(item.path)
            rows.append(Row(name, '', source.text, folder, problems=[problem_dict(item)], left_out=True))
    return rows


def _add_shadowed(row: Row, earlier: Row) -> bool:
    """Say that an earlier source has a skill of this name; `False` where it is the very same skill."""
    from ..digest import package_digest

    if row.directory == earlier.directory:
        return False
    if row.directory and earlier.directory and package_digest(row.directory) == package_digest(earlier.directory):
        return False
    message = f'The skill {row.name!r} of {earlier.source} comes first.'
    row.problems.append({'severity': 'warning', 'code': 'shadowed', 'message': message, 'hint': None})
    return True


def _show(rows: list[Row]) -> None:
    out = console()
    if not rows:
        out.print('No skills.')
        return
    fits = out.is_terminal
    table = Table(box=None, padding=(0, 2, 0, 0), header_style='bold', expand=fits)
    table.add_column('NAME', style='cyan', no_wrap=True, overflow='ellipsis', max_width=30 if fits else None)
    table.add_column('DESCRIPTION', no_wrap=True, overflow='ellipsis', ratio=1 if fits else None)
    table.add_column('FILES', justify='right', no_wrap=True)
    table.add_column('SOURCE', no_wrap=True, overflow='ellipsis', max_width=16 if fits else None)
    table.add_column('PROBLEMS', no_wrap=True, overflow='ellipsis', max_width=16 if fits else None)
    for row in rows:
        problems = Text(', '.join(dict.fromkeys(item['code'] for item in row.problems)))
        problems.stylize('red' if row.left_out else 'yellow')
        description = '(left out)' if row.left_out else one_line(row.description)
        files = '' if row.left_out else str(row.files)
        table.add_row(Text(one_line(row.name)), Text(description), files, Text(one_line(row.source)), problems)
    show(out, table)
    for row in rows:
        for item in row.problems:
            text = ' '.join(part for part in (item['message'], item['hint']) if part)
            style = {'error': 'red', 'warning': 'yellow', 'info': 'dim'}[item['severity']]
            note_line = Text(f'{item["severity"]}: ', style=style).append(one_line(text), style='default')
            out.print(note_line, soft_wrap=True)
