"""`run`: run a script of a skill, and get what the model would get."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import print_json, print_verbatim
from .errors import FINDINGS, WrongUseError
from .options import Executor, ExecutorOption, JsonOption, SkillArgument, SourceOption


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

    chosen = choose_skill(skill, source, executor_choice(None if executor is None else _name(executor)))
    call = asyncio.run(call_script(chosen.offered(), script, args, _text(stdin)))
    if json:
        print_json(call.as_dict())
    else:
        print_verbatim(call.output)
    if not call.succeeded:
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
