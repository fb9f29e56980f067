"""The demo's model: it answers from what the tools returned, and needs neither a network nor a key."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

QUESTION = 'Here is assets/sample.csv of the CSV profiler. What did people pay, and can I trust the prices?'
"""What the demo asks unless it is told otherwise."""

_SKILL = 'csv-profiler'
_STEPS: Sequence[tuple[str, str, dict[str, object]]] = (
    ('The catalog has a skill for tables. I load it.', 'load_capability', {'id': _SKILL}),
    (
        'Its instructions say to read a reference before drawing conclusions.',
        'read_skill_resource',
        {'skill_name': _SKILL, 'resource_name': 'references/reading-the-report.md'},
    ),
    (
        'Now the script, with the file and two columns as positional arguments.',
        'run_skill_script',
        {
            'skill_name': _SKILL,
            'script_name': 'scripts/profile.py',
            'args': ['assets/sample.csv', 'product', 'price', '--top', '2'],
        },
    ),
)
_FIGURES = re.compile(r'min (?P<min>\S+), median (?P<median>\S+), mean (?P<mean>\S+), max (?P<max>\S+)')


def scripted_model() -> FunctionModel:
    """A model that always takes the same three steps, and puts the figures it was given into its answer."""
    return FunctionModel(_respond, model_name='scripted')


def _respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    returned = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if len(returned) < len(_STEPS):
        thought, tool, arguments = _STEPS[len(returned)]
        return ModelResponse(parts=[TextPart(thought), ToolCallPart(tool, arguments)])
    return ModelResponse(parts=[TextPart(_answer(str(returned[-1].content)))])


def _answer(report: str) -> str:
    figures = _FIGURES.search(report)
    if figures is None:
        return f'The script gave no figures:\n\n{report}'
    repeated = '\n- One row is there twice, so sums count it twice.' if 'the same as an earlier' in report else ''
    return (
        f'People typically paid **{figures["median"]}** (the median), from {figures["min"]} up.\n\n'
        f'Do not trust the prices as they are:\n\n'
        f'- The highest is {figures["max"]}, far above the rest: probably a lost decimal point. It alone lifts the mean '
        f'to {figures["mean"]}.{repeated}'
    )
