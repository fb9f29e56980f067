"""What the tests share: libraries made on the fly, and agents whose model follows a script."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

Step = Sequence[tuple[str, Mapping[str, Any]]]


def skill_text(
    name: str = 'demo', description: str = 'Shows things. Use it to show.', body: str = 'Do it.', extra: str = ''
) -> str:
    return f'---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}\n'


def make_library(root: Path, files: Mapping[str, str | bytes], modes: Mapping[str, int] | None = None) -> Path:
    """Write `files` (path to content) below `root` and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for name, mode in (modes or {}).items():
        (root / name).chmod(mode)
    return root


@dataclass
class Seen:
    """One run as its model and its host saw it."""

    catalogs: list[str] = field(default_factory=list)
    """The instructions of each request."""
    tools: list[list[str]] = field(default_factory=list)
    """The names of the tools offered in each request, sorted."""
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)
    """What each tool call came to, in order."""
    everything: str = ''
    """All text that the model was sent."""
    result: Any = None
    warnings: list[str] = field(default_factory=list)

    @property
    def last(self) -> str:
        return self.answers[-1] if isinstance(self.answers[-1], str) else repr(self.answers[-1])

    def skills(self, request: int = 0) -> list[str]:
        """The ids in the catalog of a request."""
        lines = self.catalogs[request].splitlines()
        return sorted(line[2:].split(':')[0] for line in lines if line.startswith('- '))


def scripted(steps: Iterable[Step], seen: Seen) -> FunctionModel:
    """A model that makes one step of tool calls a turn, then says `done`; streaming or not."""
    remaining = iter(steps)

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.tools.append(sorted(tool.name for tool in info.function_tools))
        seen.schemas.update({tool.name: tool.parameters_json_schema for tool in info.function_tools})
        seen.descriptions.update({tool.name: tool.description or '' for tool in info.function_tools})
        seen.catalogs.append(info.instructions or '')
        sent = '\n'.join(str(getattr(part, 'content', '')) for message in messages for part in message.parts)
        seen.everything = f'{info.instructions or ""}\n{sent}'
        calls = next(remaining, None)
        if calls is None:
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=[ToolCallPart(name, dict(args)) for name, args in calls])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        from pydantic_ai.models.function import DeltaToolCall

        for part in respond(messages, info).parts:
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str())}

    return FunctionModel(respond, stream_function=stream)


async def arun(given: Any, steps: Iterable[Step] = (), *, agent: Mapping[str, Any] | None = None, **run: Any) -> Seen:
    """Run an agent with these capabilities; an exception of the run is the caller's."""
    seen = Seen()
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        made = Agent(scripted(steps, seen), capabilities=listed, **(agent or {}))
        seen.result = await made.run('go', **run)
    # The loop that an earlier `run_sync` left open may be collected meanwhile.
    seen.warnings = [str(item.message) for item in caught if item.category is not ResourceWarning]
    collect(seen, seen.result.all_messages())
    return seen


def run(given: Any, steps: Iterable[Step] = (), **options: Any) -> Seen:
    return asyncio.run(arun(given, steps, **options))


def collect(seen: Seen, messages: Sequence[ModelMessage]) -> None:
    seen.answers = [
        part.content
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolReturnPart, RetryPromptPart)) and part.tool_name
    ]


def load(name: str = 'demo') -> Step:
    return [('load_capability', {'id': name})]


def read(resource: str, skill: str = 'demo', args: Any = None, tool: str = 'read_skill_resource') -> Step:
    call: dict[str, Any] = {'skill_name': skill, 'resource_name': resource}
    return [(tool, call if args is None else {**call, 'args': args})]


def script(name: str, args: Any = None, skill: str = 'demo', tool: str = 'run_skill_script', **more: Any) -> Step:
    call: dict[str, Any] = {'skill_name': skill, 'script_name': name, **more}
    return [(tool, call if args is None else {**call, 'args': args})]


DBOS_TROUBLE = (
    f'DBOS on Python 3.12 and newer needs SQLite 3.42 (unixepoch with subsec), and this Python has {sqlite3.sqlite_version}'
    if sys.version_info >= (3, 12) and sqlite3.sqlite_version_info < (3, 42)
    else ''
)
"""Why DBOS cannot make its tables here; empty where it can."""


def need_dbos() -> None:
    """Skip the test where DBOS cannot run, and say why."""
    pytest.importorskip('dbos')
    if DBOS_TROUBLE:
        pytest.skip(DBOS_TROUBLE)
