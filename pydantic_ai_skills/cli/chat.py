"""`chat`: Pydantic AI's own command-line loop, over an agent with the skills of some sources."""

from __future__ import annotations

from typing import Annotated

import typer

from .console import counted
from .errors import WRONG_USE, WrongUseError, note
from .options import ExecutorOption, SourcesArgument

DEFAULT_MODEL = 'openai:gpt-5'
"""What is asked unless something else is named: the model of Pydantic AI's own examples' provider."""


def chat(
    sources: SourcesArgument = None,
    model: Annotated[
        str, typer.Option('--model', '-m', metavar='NAME', help='The model, as provider:name.')
    ] = DEFAULT_MODEL,
    instructions: Annotated[
        str | None, typer.Option(metavar='TEXT', help='Instructions beside the skills.', show_default=False)
    ] = None,
    executor: ExecutorOption = None,
) -> None:
    """Talk to an agent that has these skills."""
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    from .locations import locations
    from .sources import executor_choice, open_all

    try:
        chosen = infer_model(model)
    except (UserError, ImportError, ValueError) as error:
        raise WrongUseError(f'The model {model!r} cannot be used: {error}') from error
    opened = open_all(locations(sources), executor_choice(None if executor is None else executor.value))
    names = sorted({name for source in opened for name in source.capability.skill_names})
    if not names:
        raise WrongUseError(f'There is no skill in {", ".join(source.text for source in opened)}.')
    # Of two skills with one name the later capability's is used, and the earlier source is to win.
    agent = Agent(chosen, instructions=instructions, capabilities=[source.capability for source in reversed(opened)])
    note(f'{counted(len(names), "skill")}: {", ".join(names)}. /exit ends the conversation.')
    try:
        agent.to_cli_sync(prog_name='skills')
    except UserError as error:
        note(str(error))
        raise typer.Exit(WRONG_USE) from None
