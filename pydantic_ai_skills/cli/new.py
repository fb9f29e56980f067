"""`new`: a skill that validates and works, to write one's own into."""

from __future__ import annotations

import json as json_format
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from .console import console, near, print_json
from .errors import WrongUseError, naming


def new(
    name: Annotated[
        str, typer.Argument(metavar='NAME', help='Lower case, digits and single hyphens.', show_default=False)
    ],
    into: Annotated[Path, typer.Option(metavar='FOLDER', help='The folder of skills to put it in.')] = Path(
        '.agents/skills'
    ),
    description: Annotated[
        str | None, typer.Option(metavar='TEXT', help='What it does and when to use it.', show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option('--json', help='Write JSON.')] = False,
) -> None:
    """Make a skill that validates: a script, a reference, evals."""
    from .skill_template import skill_files

    folder = into.expanduser() / _checked(name)
    if (folder.parent / 'SKILL.md').exists():
        raise WrongUseError(f'{folder.parent} is itself a skill: name its parent by --into, or another folder.')
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise WrongUseError(f'{folder} is there already, and nothing in it was touched.') from None
    except NotADirectoryError:
        raise WrongUseError(f'{folder.parent} is no folder.') from None
    files = skill_files(name, None if description is None else ' '.join(description.split()))
    try:
        _write(folder, files)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise naming(error, folder) from error
    if json:
        print_json({'name': name, 'directory': str(folder.absolute()), 'files': list(files)})
        return
    out = console()
    for relative in files:
        out.print(near(folder / relative), markup=False, soft_wrap=True)
    shown = json_format.dumps(near(folder), ensure_ascii=False) if ' ' in str(folder) else near(folder)
    out.print(f'\nNow write it, then: pydantic-ai-skills validate {shown}', style='dim', markup=False, soft_wrap=True)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for relative, text in files.items():
        path = folder / relative
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        if path.suffix == '.py':
            path.chmod(0o755)


def _checked(name: str) -> str:
    from .skill_name import name_fault

    if (fault := name_fault(name)) is not None:
        raise WrongUseError(fault)
    return name
