"""`demo`: an agent over the skills that Pydantic AI, harness and this package bring, with every step shown."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    model: Annotated[
        str | None, typer.Option(help='A live model such as openai:gpt-5, instead of the scripted one.', metavar='NAME')
    ] = None,
    question: Annotated[str | None, typer.Option(help='What to ask it.', metavar='TEXT')] = None,
) -> None:
    """Watch an agent find a skill, load it, read a file, run a script."""
    from .demo_run import run_demo

    run_demo(model, question)
