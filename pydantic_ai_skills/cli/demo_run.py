"""What `demo` runs: an agent over the skills that Pydantic AI, harness and this package bring."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import Model, infer_model
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..capability import SkillsCapability
from ..executors import LocalSkillScriptExecutor
from .demo_model import QUESTION, scripted_model
from .errors import WrongUseError
from .run_view import show_run

_PACKAGES = ('pydantic_ai', 'pydantic_ai_harness')


def run_demo(model: str | None, question: str | None) -> None:
    """Run the demo in this terminal.

    Args:
        model: A live model, or `None` for the scripted one.
        question: What to ask it; `None` for the question that the scripted model knows.

    Raises:
        WrongUseError: the model cannot be had, or does not know the question.
        RuntimeError: it failed.
    """
    os.environ.setdefault('PYDANTIC_AI_NO_BANNER', '1')  # Pydantic AI's, which would stand in the middle of the run
    try:
        chosen = scripted_model() if model is None else infer_model(model)
    except (UserError, ImportError) as error:
        raise WrongUseError(f'{str(error).rstrip(".")}. The demo runs with {sys.executable}.') from error
    if model is None and question not in (None, QUESTION):
        raise WrongUseError('The scripted model knows one question only; pass --model for others.')
    try:
        asyncio.run(_run(Console(), chosen, question or QUESTION))
    except (AgentRunError, UserError) as error:
        raise RuntimeError(f'The model failed: {error}') from error


async def _run(console: Console, model: Model, question: str) -> None:
    # The executor is named so that it is plain: these scripts run here, and their skills came with installed packages.
    skills = SkillsCapability(list(_libraries()), script_executor=LocalSkillScriptExecutor())
    agent = Agent(model, instructions='Answer briefly.', capabilities=[skills])
    console.rule('Level 1: the catalog, sent with every request', align='left')
    console.print(_catalog(skills), Text())
    console.rule('The run', align='left')
    console.print(Text.assemble(('Question: ', 'bold'), question))
    console.print()
    async with agent.iter(question) as run:
        await show_run(console, run)
    sent, everything = _sent(run.all_messages()) // 4, _available(skills) // 4  # about four characters a token
    text = f'\nThe last request was about {sent:,} tokens; with all {len(skills.skill_names)} skills and their files '
    console.print(f'{text}it would have been {everything:,}.', style='dim', highlight=False)


def _libraries() -> Iterator[Path]:
    for package in _PACKAGES:
        spec = find_spec(package)
        for location in (spec and spec.submodule_search_locations) or ():
            if (library := Path(location, '.agents', 'skills')).is_dir():
                yield library
    yield demo_skills()


def demo_skills() -> Path:
    """Our own example skills: inside the package where it is installed, in `examples/` in a working copy."""
    installed = Path(__file__).parent / 'skills'
    return installed if installed.is_dir() else Path(__file__).parents[2] / 'examples' / 'skills'


def _catalog(skills: SkillsCapability) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
    table.add_column('Skill', style='bold', no_wrap=True)
    table.add_column('Description', no_wrap=True, overflow='ellipsis', ratio=1)
    table.add_column('Files', justify='right')
    table.add_column('Scripts', justify='right')
    for info in skills.skills:
        package = skills.packages[info.name]
        files = len(package.resources) + len(package.assets)
        table.add_row(info.name, info.description, str(files or ''), str(len(package.scripts) or ''))
    return table


def _sent(messages: Sequence[ModelMessage]) -> int:
    """The characters of the last request: instructions and all messages before it."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    parts = [part for message in messages[:-1] for part in message.parts]
    return len(requests[-1].instructions or '') + sum(len(str(getattr(part, 'content', ''))) for part in parts)


def _available(skills: SkillsCapability) -> int:
    """The characters of everything that the model could ask for: instructions, resources and scripts."""
    paths = [info.directory / 'SKILL.md' for info in skills.skills if info.directory is not None]
    for package in skills.packages.values():
        paths += [Path(member.uri) for member in (*package.resources, *package.scripts) if member.uri is not None]
    return sum(path.stat().st_size for path in paths)
