"""The model of the documentation's examples: it knows what they ask, makes the calls, and answers with what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

Calls = Sequence[tuple[str, Mapping[str, Any]]]


def using(skill: str, script: str, args: Any) -> Calls:
    return [
        ('load_capability', {'id': skill}),
        ('run_skill_script', {'skill_name': skill, 'script_name': script, 'args': args}),
    ]


CALLS: Mapping[str, Calls] = {
    'What is in orders.csv?': using('csv-profiler', 'scripts/profile.py', ['orders.csv', 'price']),
    'Profile the sample of the profiler.': using('csv-profiler', 'scripts/profile.py', ['assets/sample.csv', 'price']),
    'How much was invoice 42?': using('billing', 'invoice', {'number': 42}),
    'Load the skill for salaries.': using('salaries', 'none', None)[:1],
    'Which skills do you have?': (),
}


def documented_model(folder: str) -> FunctionModel:
    """A model for examples that run in `folder`. Fails on a question that it does not know."""
    calls = {
        **CALLS,
        f'How many rows has {folder}/orders.csv?': using(
            'csv-profiler', 'scripts/profile.py', [f'{folder}/orders.csv', 'price']
        ),
    }

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
        question = next(str(part.content) for part in parts if isinstance(part, UserPromptPart))
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        steps = calls[question]
        if turn < len(steps):
            tool, args = steps[turn]
            return ModelResponse(parts=[ToolCallPart(tool, dict(args), tool_call_id=f'call-{turn}')])
        returned = [part for part in parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
        return ModelResponse(parts=[TextPart(str(returned[-1].content) if returned else _catalog(info))])

    return FunctionModel(respond, model_name='documented')


def _catalog(info: AgentInfo) -> str:
    lines = (info.instructions or '').splitlines()
    return ', '.join(sorted(line[2:].split(':')[0] for line in lines if line.startswith('- ')))
