"""The command `pydantic-ai-skills`: its options, and its commands in the order of the help."""

from __future__ import annotations

from typing import Annotated

import typer

from .chat import chat
from .demo import demo
from .errors import ErrorsInOneSentence
from .list import list_skills
from .new import new
from .read import read
from .run import run
from .show import show
from .sync import sync
from .validate import validate

app = typer.Typer(
    cls=ErrorsInOneSentence,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help='Agent Skills for Pydantic AI: look at them, check them, run them.',
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version('pydantic-ai-skills'))
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option('--debug', help='Show a traceback when a command fails.')] = False,
    version: Annotated[
        bool, typer.Option('--version', callback=_version, is_eager=True, help='Show the version.')
    ] = False,
) -> None:
    """Options of all commands."""


# In the order of the help: what one does first comes first.
app.command('list')(list_skills)
app.command('show')(show)
app.command('validate')(validate)
app.command('new')(new)
app.command('run')(run)
app.command('read')(read)
app.command('sync')(sync)
app.command('chat')(chat)
app.command('demo')(demo)
