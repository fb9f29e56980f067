"""What commands write: tables and text for people, JSON for programs, and nothing that could play with a terminal."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, RenderableType

PIPED_WIDTH = 100_000
"""Columns where no terminal says how many: nothing is cut, so that `grep` finds it."""


def console() -> Console:
    """Standard output: colours and the terminal's width on a terminal, plain whole lines in a pipe."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out.width = PIPED_WIDTH
    return out


def show(out: Console, renderable: RenderableType) -> None:
    """Write a table or a tree; into a pipe without the blanks that fill its lines up."""
    if out.is_terminal:
        out.print(renderable)
        return
    with out.capture() as captured:
        out.print(renderable)
    typer.echo('\n'.join(line.rstrip() for line in captured.get().splitlines()))


def error_console() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


def print_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write `value` as JSON, in ASCII, so that every terminal and every file name can take it."""
    typer.echo(json.dumps(value, indent=2, default=str))


def printable(text: str) -> str:
    """`text` without characters that a terminal would act on, or that reorder what is read: they become U+FFFD."""
    return ''.join(
        character if character in '\n\t' or unicodedata.category(character) not in ('Cc', 'Cf', 'Cs') else '\ufffd'
        for character in text
    )


def one_line(text: str) -> str:
    """`text` on one line, for a table."""
    return ' '.join(printable(text).split())


def near(path: str | Path) -> str:
    """A path as a person would write it here: relative below the working directory, `~` in the home folder."""
    whole = Path(path)
    for base, prefix in ((Path.cwd(), ''), (Path.home(), '~/')):
        if whole.is_relative_to(base):
            return prefix + str(whole.relative_to(base))
    return str(path)


def print_verbatim(text: str) -> None:
    """Write text exactly as it is to a pipe, and without control characters to a terminal."""
    typer.echo(printable(text) if sys.stdout.isatty() else text.encode('utf-8', 'replace').decode())


def counted(number: int, noun: str) -> str:
    """`1 skill`, `2 skills`."""
    return f'{number:,} {noun}{"" if number == 1 or noun == "info" else "s"}'
