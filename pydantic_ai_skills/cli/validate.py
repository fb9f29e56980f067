"""`validate`: what is wrong with skills, for their authors and for CI."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from .console import console, counted, near, one_line, printable
from .errors import FINDINGS, WrongUseError, note

if TYPE_CHECKING:
    from rich.console import Console

    from ..checks.fixes import Fix
    from ..checks.problem import Problem
    from ..discovery import FoundPackage


class Format(StrEnum):
    """How findings are written."""

    text = 'text'
    json = 'json'
    sarif = 'sarif'
    github = 'github'


def validate(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='PATH',
            help='Skills, or folders with skills in them; .agents/skills and .claude/skills unless given.',
            show_default=False,
        ),
    ] = None,
    fix: Annotated[bool, typer.Option('--fix', help='Mend what is safe to mend, and show the change.')] = False,
    format: Annotated[Format, typer.Option('--format', '-f', help='How to write the findings.')] = Format.text,
    json: Annotated[bool, typer.Option('--json', help='The same as --format json.')] = False,
) -> None:
    """Check skills: what loads, what the format says, what works."""
    from .reports import REPORTS

    packages, closed = _packages(paths)
    fixes, failed = _fix(packages) if fix else ([], False)
    if fixes:
        packages, closed = _packages(paths)
    problems = [*closed, *_check(packages)]
    chosen = Format.json if json else format
    if chosen is Format.text:
        _show(packages, problems, fixes)
    elif report := REPORTS[chosen.value](len(packages), problems, fixes):
        typer.echo(report)
    if failed or any(problem.severity != 'info' for problem in problems):
        raise typer.Exit(FINDINGS)


def _packages(paths: Sequence[str] | None) -> tuple[list[FoundPackage], list[Problem]]:
    """The skills to check, and the folders that may hide others."""
    from ..checks.package_checks import closed_folder, found_packages
    from ..skill_folders import find_skill_folders
    from .locations import FolderLocation, locations

    folders: dict[Path, Path] = {}
    closed: dict[Path, Problem] = {}
    for location in locations(paths):
        if not isinstance(location, FolderLocation):
            raise WrongUseError(
                f'{location.text} is no folder: sync it into one first, with `pydantic-ai-skills sync`.'
            )
        path = location.path
        if not path.exists():
            raise WrongUseError(f'There is nothing at {location.text}.')
        path = path.parent if path.name.lower() == 'skill.md' and path.is_file() else path
        if not path.is_dir():
            raise WrongUseError(f'{location.text} is a file, neither a SKILL.md nor a folder.')
        found = list(
            find_skill_folders(path, lambda folder, error: closed.update({folder: closed_folder(folder, error)}))
        )
        if not found and not closed:
            raise WrongUseError(f'There is no SKILL.md at or below {location.text}.')
        for folder in found:
            real = folder.resolve()
            if real not in folders or folder == real:  # by its own name rather than a link's
                folders[real] = folder
    return found_packages(folders.values()), list(closed.values())


def _check(packages: Sequence[FoundPackage]) -> list[Problem]:
    from ..checks.package_checks import check_packages

    return [problem for _, problems in check_packages(packages) for problem in problems]


def _fix(packages: Sequence[FoundPackage]) -> tuple[list[Fix], bool]:
    """Mend what can be; the mended files, and whether another could not be written."""
    from ..catalog import read_packages
    from ..checks.fixes import fixes_for

    fixes = {fix.path: fix for item in read_packages(packages) for fix in fixes_for(item)}
    written: list[Fix] = []
    for fix in fixes.values():
        try:
            fix.write()
        except OSError as error:
            note(f'{fix.path} was not mended: {error.strerror or error}.')
        else:
            written.append(fix)
    return written, len(written) < len(fixes)


def _show_change(out: Console, text: str) -> None:
    if not out.is_terminal:
        out.print(Text(text), soft_wrap=True)
        return
    from rich.syntax import Syntax

    out.print(Syntax(text, 'diff', background_color='default'), soft_wrap=True)


def _show(packages: Sequence[FoundPackage], problems: Sequence[Problem], fixes: Sequence[Fix]) -> None:
    out = console()
    for fix in fixes:
        _show_change(out, printable(fix.diff()).rstrip('\n'))
    for problem in problems:
        place = near(problem.path) + ('' if problem.line is None else f':{problem.line}')
        message = str(problem).removeprefix(f'{problem.path}').removeprefix(':').strip()
        style = {'error': 'bold red', 'warning': 'yellow', 'info': 'dim'}[problem.severity]
        line = Text(f'{one_line(place)}: ').append(problem.severity, style=style)
        out.print(
            line.append(f' {problem.code}: ', style='dim').append(one_line(message), style='none'), soft_wrap=True
        )
    counts = [
        counted(sum(problem.severity == severity for problem in problems), severity)
        for severity in ('error', 'warning', 'info')
        if any(problem.severity == severity for problem in problems)
    ]
    summary = f'{counted(len(packages), "skill")} checked: {", ".join(counts) or "no problems"}'
    mended = f'; {counted(len(fixes), "file")} mended' if fixes else ''
    out.print(f'{summary}{mended}.', style='bold' if problems else 'bold green')
