"""`read`: read a file of a skill, and get what the model would get."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .console import print_json, print_verbatim
from .options import JsonOption, SkillArgument, SourceOption


def read(
    skill: SkillArgument,
    file: Annotated[str, typer.Argument(metavar='FILE', help='Its name, as `show` lists it.', show_default=False)],
    offset: Annotated[int | None, typer.Option(metavar='LINE', help='First line to give.', show_default=False)] = None,
    limit: Annotated[int | None, typer.Option(metavar='LINES', help='Lines at most.', show_default=False)] = None,
    linked_from: Annotated[
        str | None,
        typer.Option('--from', metavar='FILE', help='The file that names it by a link.', show_default=False),
    ] = None,
    source: SourceOption = None,
    json: JsonOption = False,
) -> None:
    """Read a file and print exactly what the model would get."""
    import asyncio

    from .lookup import choose_skill
    from .script_call import read_file

    given: dict[str, Any] = {'offset': offset, 'limit': limit, 'from': linked_from}
    args = {key: value for key, value in given.items() if value is not None}
    entry = choose_skill(skill, source).offered()
    content = asyncio.run(read_file(entry, file, args))
    if json:
        print_json({'skill': entry.name, 'file': file, 'content': content})
    else:
        print_verbatim(str(content))
