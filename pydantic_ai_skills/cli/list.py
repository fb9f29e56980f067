"""`list`: which skills there are, where they come from, and what is wrong with them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .console import console, one_line, print_json
from .errors import FINDINGS, exit_code, note, sentence, show_error
from .options import JsonOption, SourcesArgument

if TYPE_CHECKING:
    from .sources import FailedSource


def list_skills(sources: SourcesArgument = None, json: JsonOption = False) -> None:
    """Show the skills of some sources, and what is wrong with them."""
    from .locations import locations

    rows, failures = _collect(locations(sources))
    if json:
        failed = [{'source': item.location.text, 'error': sentence(item.error)} for item in failures]
        print_json({'skills': [row.as_dict() for row in rows], 'failed_sources': failed})
    else:
        if rows or not failures:
            _show(rows)
        for item in failures:
            show_error(item.sentence())
    codes = [exit_code(item.error) for item in failures] + [FINDINGS for row in rows if row.left_out]
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


def _collect(wanted: Any) -> tuple[list[Row], list[FailedSource]]:
    from .sources import FailedSource, open_sources

    rows: list[Row] = []
    failures: list[FailedSource] = []
    first: dict[str, Row] = {}
    for source in open_sources(wanted):
        if isinstance(source, FailedSource):
            failures.append(source)
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
    from ..packages import file_counts
    from .reports import problem_dict
    from .sources import folder_of

    by_folder: dict[Path | None, list[Any]] = {}
    for item in source.capability.diagnostics:
        by_folder.setdefault(folder_of(item), []).append(item)
    rows: list[Row] = []
    for info in source.capability.skills:
        row = Row(info.name, info.description, source.text, info.directory)
        try:
            row.files, row.scripts = file_counts(info.directory, info.boundary)
        except OSError as error:
            note(f'{info.directory} cannot be listed: {error.strerror}.')
        row.problems = [problem_dict(item) for item in by_folder.pop(info.directory, ())]
        rows.append(row)
    for folder, items in by_folder.items():
        for item in items:
            if item.severity != 'info':
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
    from rich.text import Text

    from .columns import Column, Columns

    out = console()
    if not rows:
        out.print('No skills.')
        return
    table = Columns(
        NAME=Column('cyan', most=30),
        DESCRIPTION=Column(takes_the_rest=True),
        FILES=Column(right=True),
        SOURCE=Column(most=16),
        PROBLEMS=Column(most=16),
    )
    for row in rows:
        problems = Text(', '.join(dict.fromkeys(item['code'] for item in row.problems)))
        problems.stylize('red' if row.left_out else 'yellow')
        description = '(left out)' if row.left_out else one_line(row.description)
        files = '' if row.left_out else str(row.files)
        table.add(Text(one_line(row.name)), Text(description), Text(files), Text(one_line(row.source)), problems)
    table.print(out)
    for row in rows:
        for item in row.problems:
            text = ' '.join(part for part in (item['message'], item['hint']) if part)
            style = {'error': 'red', 'warning': 'yellow', 'info': 'dim'}[item['severity']]
            note_line = Text(f'{item["severity"]}: ', style=style).append(one_line(text), style='default')
            out.print(note_line, soft_wrap=True)
