"""Where an approved script runs, and other processes, agents and streams that it is approved in."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

from pydantic_ai_skills import (
    CallableSkillScriptExecutor,
    LocalSkillScriptExecutor,
    LocalSkillsRegistry,
    SkillsCapability,
    SkillScript,
)
from pydantic_ai_skills.shown import ShownRequests

from ..support import Seen, load, make_library, run, script
from .helpers import ASKS, CANNOT_ASK, decide, ran, request, resume


@pytest.fixture
def registry(library: Path) -> LocalSkillsRegistry:
    return LocalSkillsRegistry(library, layout='tree')


def test_a_registrys_package_runs_from_an_exact_copy(registry: LocalSkillsRegistry, library: Path) -> None:
    make_library(library, {'demo/scripts/where.py': 'import os\nprint(os.getcwd(), sorted(os.listdir(".")))'})
    executor = LocalSkillScriptExecutor()
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=executor)
    seen = run(capability, [load(), script('where.py')], agent=ASKS)
    assert request(seen)['source'] == repr(registry)
    approved = resume(capability, seen, decide(seen))
    folder, _, names = approved.last.partition(' ')
    assert names == "['SKILL.md', 'a.md', 'scripts']"
    assert not Path(folder).exists()
    assert not Path(folder).is_relative_to(capability.packages['demo'].directory or '')


def test_a_registrys_package_that_has_changed_is_asked_again(registry: LocalSkillsRegistry) -> None:
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=LocalSkillScriptExecutor())
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    directory = capability.packages['demo'].directory
    assert directory is not None
    (directory / 'scripts/x.py').write_text('print("other")')
    again = resume(capability, seen, decide(seen))
    assert request(again)['digest'] != request(seen)['digest']


def test_a_refresh_between_asking_and_approval(library: Path, registry: LocalSkillsRegistry) -> None:
    """The same content in another generation is the same package; another content is another."""
    capability = SkillsCapability(registries=[registry], approval='scripts', script_executor=LocalSkillScriptExecutor())
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    asyncio.run(capability.refresh())
    assert resume(capability, seen, decide(seen)).last == 'it ran []'
    (library / 'demo/scripts/x.py').write_text('print("version two")')
    asyncio.run(capability.refresh())
    again = resume(capability, seen, decide(seen))
    assert request(again)['digest'] != request(seen)['digest']
    assert resume(capability, again, decide(again)).last == 'version two'


def test_an_executor_of_ones_own_is_called_only_with_what_was_approved(library: Path) -> None:
    calls: list[str] = []

    def execute(script: SkillScript, args: Any) -> str:
        calls.append(script.name)
        return 'queued'

    capability = SkillsCapability(library, approval='scripts', script_executor=CallableSkillScriptExecutor(execute))
    seen = run(capability, [load(), script('x.py')], agent=ASKS)
    (library / 'demo/a.md').write_text('other')
    again = resume(capability, seen, decide(seen))
    assert calls == []
    assert resume(capability, again, decide(again)).last == 'queued'
    assert calls == ['scripts/x.py']


OTHER_PROCESS = """
import json, sys
from pathlib import Path
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_skills import SkillsCapability

stored = json.loads(Path(sys.argv[2]).read_text())
agent = Agent(
    FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('done')])),
    output_type=[str, DeferredToolRequests],
    capabilities=[SkillsCapability(sys.argv[1], approval='scripts')],
)
result = agent.run_sync(
    message_history=ModelMessagesTypeAdapter.validate_python(stored['messages']),
    deferred_tool_results=TypeAdapter(DeferredToolResults).validate_python(stored['results']),
)
parts = [part for message in result.all_messages() for part in message.parts]
answers = [part.content for part in parts if isinstance(part, ToolReturnPart)]
print(json.dumps([type(result.output).__name__, answers[-1]]))
"""


@pytest.mark.parametrize('metadata', [True, False])
def test_approved_in_another_process(library: Path, tmp_path: Path, metadata: bool) -> None:
    """Everything is stored as JSON between the two; without the metadata that process has nothing to compare with."""
    capability = SkillsCapability(library, approval='scripts')
    seen = run(capability, [load(), script('x.py', ['a'])], agent=ASKS)
    results = decide(seen, metadata=metadata)
    messages = ModelMessagesTypeAdapter.dump_python(seen.result.all_messages(), mode='json')
    stored = {'messages': messages, 'results': {'approvals': results.approvals, 'metadata': results.metadata}}
    (tmp_path / 'stored.json').write_text(json.dumps(stored))
    command = [sys.executable, '-c', OTHER_PROCESS, str(library), str(tmp_path / 'stored.json')]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    output, answer = json.loads(done.stdout)
    if metadata:
        assert (output, answer) == ('str', "it ran ['a']")
    else:
        assert output == 'DeferredToolRequests'
    assert ran(library) == (["['a']"] if metadata else [])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, library: Path) -> None:
    monkeypatch.setattr('pydantic_ai_skills.shown._REMEMBERED', 3)
    capability = SkillsCapability(library, approval='scripts')
    for _ in range(5):
        run(capability, [load(), script('x.py')], agent=ASKS)
    assert len(ShownRequests._shown) == 3


def test_an_agent_that_is_called_by_another(library: Path) -> None:
    """What the inner agent can ask is its own matter, not the outer one's."""
    capability = SkillsCapability(library, approval='scripts')
    inner_seen: list[Seen] = []

    async def delegate() -> str:
        from ..support import arun

        inner_seen.append(await arun(capability, [load(), script('x.py')]))
        return 'delegated'

    seen = run([], [[('delegate', {})]], agent={**ASKS, 'tools': [delegate]})
    assert (seen.last, inner_seen[0].last) == ('delegated', CANNOT_ASK)


def test_streaming(library: Path) -> None:
    capability = SkillsCapability(library, approval='scripts')
    seen = Seen()

    async def stream() -> Any:
        from ..support import scripted

        agent = Agent(scripted([load(), script('x.py')], seen), capabilities=[capability], **ASKS)
        async with agent.run_stream('go') as result:
            return await result.get_output(), result.all_messages()

    output, messages = asyncio.run(stream())
    assert isinstance(output, DeferredToolRequests)
    assert isinstance(messages[-1], ModelResponse)
    assert [metadata['script'] for metadata in output.metadata.values()] == ['scripts/x.py']
