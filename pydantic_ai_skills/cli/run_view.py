"""An agent's run in a terminal, as it happens: what the model says, what it calls, what comes back."""

from __future__ import annotations

import json
from typing import Any

from pydantic_ai import AgentRun, CallToolsNode, ModelRequestNode
from pydantic_ai.messages import (
    InstructionDeltaPart,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

HEAD_LINES, TAIL_LINES = 10, 5
"""Lines of what the model is given that are shown, from its beginning and its end; the model sees all."""

_LEVELS = {'load_capability': 'level 2', 'read_skill_resource': 'level 3', 'run_skill_script': 'level 3'}


async def show_run(console: Console, run: AgentRun[Any, Any]) -> None:
    """Carry out `run`, showing each of its steps."""
    async for node in run:
        if isinstance(node, ModelRequestNode):
            for part in node.request.parts:
                _show_returned(console, part)
        elif isinstance(node, CallToolsNode):
            for part in _last_request(run).parts:  # what a loaded skill says is added when the request is sent
                if isinstance(part, InstructionDeltaPart):
                    _show_given(console, str(part.content))
            _show_response(console, node.model_response)


def _last_request(run: AgentRun[Any, Any]) -> ModelRequest:
    return next(message for message in reversed(run.all_messages()) if isinstance(message, ModelRequest))


def _show_response(console: Console, response: ModelResponse) -> None:
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if text := '\n'.join(part.content for part in response.parts if isinstance(part, TextPart)).strip():
        if calls:
            console.print(Text(text, style='italic'))
        else:
            answer = Panel(Markdown(text), title='Answer', title_align='left', border_style='green', padding=(1, 2))
            console.print(answer)
    for call in calls:
        _show_call(console, call)


def _show_call(console: Console, call: ToolCallPart) -> None:
    arguments = ', '.join(
        f'{name}={json.dumps(value, ensure_ascii=False)}' for name, value in call.args_as_dict().items()
    )
    level = _LEVELS.get(call.tool_name)
    prefix = (f'{level} ', 'dim') if level else ''
    console.print(Text.assemble(prefix, ('→ ', 'bold cyan'), (call.tool_name, 'bold cyan'), f'({arguments})'))


def _show_returned(console: Console, part: ModelRequestPart) -> None:
    if not isinstance(part, ToolReturnPart):
        return
    if part.outcome != 'success':
        _show_given(console, part.model_response_str(), style='red')
    elif part.tool_name != 'load_capability':  # that says only that it is loaded
        _show_given(console, part.model_response_str())


def _show_given(console: Console, text: str, style: str = 'dim') -> None:
    shown = Text('\n'.join(_cut(text.splitlines())), style=style, no_wrap=True, overflow='ellipsis')
    console.print(Padding(Panel(shown, border_style=style), (0, 0, 1, 2)))


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - HEAD_LINES - TAIL_LINES
    if more <= 1:
        return lines
    return [*lines[:HEAD_LINES], f'… {more} more lines …', *lines[-TAIL_LINES:]]
