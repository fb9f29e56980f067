"""What the examples share: `--model`, and a model that follows a script where none is named.

The scripted model needs neither a network nor a key. It calls the tools that it was told to call, in order, and then
answers with the last thing that a tool returned, so that what you see is what the skills did.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.function import AgentInfo, FunctionModel

Call = tuple[str, Mapping[str, Any]]


def parse_args(**more: str) -> argparse.Namespace:
    """The command line: `--model`, and options of an example's own with their help."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--model', help='a live model such as openai:gpt-5; a scripted one unless given')
    for name, text in more.items():
        parser.add_argument(f'--{name}', help=text)
    return parser.parse_args()


def choose_model(name: str | None, *script: Call) -> Model:
    """The live model of this name, or one that makes the calls of `script`, one each turn."""
    return infer_model(name) if name else scripted(*script)


def scripted(*script: Call) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(script):
            tool, args = script[turn]
            return ModelResponse(parts=[ToolCallPart(tool, dict(args), tool_call_id=f'call-{len(messages)}')])
        returned = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        return ModelResponse(parts=[TextPart(str(returned[-1].content) if returned else 'I have no skill for that.')])

    return FunctionModel(respond, model_name='scripted')


def load(skill: str) -> Call:
    """The call that loads a skill."""
    return 'load_capability', {'id': skill}


def run(skill: str, script: str, args: Any = None) -> Call:
    """The call that runs a script."""
    return 'run_skill_script', {'skill_name': skill, 'script_name': script, 'args': args}
