"""`run`: run a script of a skill, and get what the model would get."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import print_json, print_verbatim
from .errors import FINDINGS, WrongUseError, note
from .options import Executor, ExecutorOption, JsonOption, SkillArgument, SourceOption

if TYPE_CHECKING:
    from .lookup import Chosen

_STARTS = {False: 'in the folder of the skill', True: 'in a sandbox, which does not see it'}


def run(
    skill: SkillArgument,
    script: Annotated[str, typer.Argument(metavar='SCRIPT', help='Its name, as `show` lists it.', show_default=False)],
    args: Annotated[
        list[str] | None, typer.Argument(metavar='ARGS', help='Its command line; put -- before it.', show_default=False)
    ] = None,
    source: SourceOption = None,
    executor: ExecutorOption = None,
    stdin: Annotated[
        Path | None, typer.Option(metavar='FILE', help='What it reads from standard input; - for this one.')
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a script and print exactly what the model would get."""
    import asyncio

    from .lookup import choose_skill
    from .script_call import call_script
    from .sources import executor_choice

    choose = executor_choice(None if executor is None else _name(executor))
    chosen = choose_skill(skill, source, choose)
    call = asyncio.run(call_script(chosen.offered(), script, args, _text(stdin)))
    if json:
        print_json(call.as_dict())
    else:
        print_verbatim(call.output)
    if not call.succeeded:
        sandboxed = choose(chosen.source.location) == 'bubblewrap'
        if unseen := _files_of_here(chosen, args or (), sandboxed=sandboxed):
            way = 'use --stdin' if sandboxed else f'pass its whole path, {os.path.abspath(unseen[0])}'
            note(f'{unseen[0]} is a file here, but scripts start {_STARTS[sandboxed]}: {way}.')
        raise typer.Exit(FINDINGS)


def _name(executor: Executor) -> Any:
    return executor.value


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        raw = sys.stdin.buffer.read() if str(path) == '-' else path.read_bytes()
        return raw.decode()
    except UnicodeDecodeError as error:
        raise WrongUseError(f'What a model sends to a script is text, and {path} is not UTF-8.') from error
    except OSError as error:
        raise WrongUseError(f'{path} cannot be read: {error.strerror}.') from error


def _files_of_here(chosen: Chosen, args: Sequence[str], *, sandboxed: bool) -> list[str]:
    """Arguments that name files here which the script cannot see: it starts elsewhere, or in a sandbox."""
    folder = chosen.info.directory or Path()
    return [arg for arg in args if os.path.isfile(arg) and (sandboxed or not os.path.isfile(folder / arg))]
