"""Prefect in its local mode: a flow that is tried again does not run a script again.

Prefect brings some fifty packages, so the project's own environment is without it and skips this file. To run it:
`pip install prefect`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pydantic_ai_skills import Skill, SkillsCapability

from ..support import Step, load, make_library, read, script, skill_text
from .conftest import count

prefect = pytest.importorskip('prefect', reason='prefect is not installed')


@pytest.fixture(scope='module', autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    from prefect.settings import PREFECT_HOME, PREFECT_LOGGING_LEVEL, temporary_settings
    from prefect.testing.utilities import prefect_test_harness

    settings = {PREFECT_HOME: tmp_path_factory.mktemp('prefect'), PREFECT_LOGGING_LEVEL: 'ERROR'}
    with temporary_settings(settings), prefect_test_harness(server_startup_timeout=120):
        yield


def make_agent(name: str, steps: list[Step], *capabilities: Any, fail_at: int = 0, **options: Any) -> Agent[Any, Any]:
    from pydantic_ai.durable_exec.prefect import PrefectDurability

    failures = [fail_at]

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn + 1 in failures:
            failures.clear()
            raise ConnectionError('the first try fails here')
        if turn >= len(steps):
            return ModelResponse(parts=[TextPart(', '.join(sorted(tool.name for tool in info.function_tools)))])
        calls = enumerate(steps[turn])
        return ModelResponse(parts=[ToolCallPart(tool, dict(args), f'{turn}-{index}') for index, (tool, args) in calls])

    return Agent(FunctionModel(respond), name=name, capabilities=[PrefectDurability(), *capabilities], **options)


def answers(messages: list[ModelMessage]) -> list[Any]:
    parts = [part for message in messages for part in message.parts]
    return [part.content for part in parts if isinstance(part, ToolReturnPart)]


def test_a_flow_that_is_tried_again_does_not_run_the_script_again(library: Path, tmp_path: Path) -> None:
    other = make_library(tmp_path / 'other', {'other/SKILL.md': skill_text('other'), 'other/o.sh': 'echo other'})
    steps = [[*load(), *load('other')], read('a.md'), script('x.py', ['a']), script('o.sh', skill='other')]
    capabilities = [SkillsCapability(library), SkillsCapability(other)]
    agent = make_agent('tried-again', steps, *capabilities, fail_at=5)
    tries: list[int] = []

    @prefect.flow(name='tried again', retries=1, persist_result=True)
    async def work() -> list[Any]:
        tries.append(1)
        return answers((await agent.run('go')).all_messages())

    assert asyncio.run(work())[2:] == ['ALPHA', "it ran ['a']", 'other']
    assert (len(tries), count(library)) == (2, 1)


def test_an_approval_between_two_runs_of_a_flow(library: Path) -> None:
    asks: dict[str, Any] = {'output_type': [str, DeferredToolRequests]}
    capability = SkillsCapability(library, approval='scripts')
    agent = make_agent('approving', [load(), script('x.py', ['a'])], capability, **asks)

    @prefect.flow(name='approving', persist_result=True)
    async def work() -> list[Any]:
        asked = await agent.run('go')
        assert isinstance(asked.output, DeferredToolRequests)
        assert count(library) == 0
        results = asked.output.build_results(approve_all=True, metadata=asked.output.metadata)
        assert isinstance(results, DeferredToolResults)
        approved = await agent.run(message_history=asked.all_messages(), deferred_tool_results=results)
        return answers(approved.all_messages())

    assert asyncio.run(work())[-1] == "it ran ['a']"
    assert count(library) == 1


def test_what_is_not_selected_or_not_loaded_is_shut_in_a_flow(library: Path) -> None:
    make_library(library, {'two/SKILL.md': skill_text('two'), 'two/b.md': 'BETA'})
    capability = SkillsCapability(library, select=lambda ctx, info: info.name in ctx.deps, max_retries=5)
    steps = [read('a.md'), read('b.md', 'two'), load(), read('a.md')]
    agent = make_agent('selecting', steps, capability, deps_type=list)

    @prefect.flow(name='selecting', persist_result=True)
    async def work() -> list[Any]:
        return answers((await agent.run('go', deps=['demo'])).all_messages())

    shut, unknown, _, opened = asyncio.run(work())
    assert 'load_capability' in shut
    assert "There is no skill 'two'. The skills are: demo." in unknown
    assert opened == 'ALPHA'


def test_a_python_function_with_a_result_that_cannot_be_stored() -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay(amount: int) -> Any:
        return {'paid': amount, 'by': asyncio.Lock()}

    agent = make_agent('paying', [load('bank'), script('pay', {'amount': 5}, 'bank')], SkillsCapability(skills=[bank]))

    @prefect.flow(name='paying', persist_result=True)
    async def work() -> list[Any]:
        return answers((await agent.run('go')).all_messages())

    answer = asyncio.run(work())[-1]
    assert (answer['paid'], 'Lock' in answer['by']) == (5, True)


@pytest.mark.parametrize('inside', [True, False])
def test_time_refreshes_nothing_inside_a_flow(library: Path, monkeypatch: pytest.MonkeyPatch, inside: bool) -> None:
    capability = SkillsCapability(library, refresh_every=60)
    agent = make_agent('fresh', [load('new')], capability)
    make_library(library, {'new/SKILL.md': skill_text('new')})
    before = capability.skill_names

    async def run() -> None:
        await agent.run('go')

    work: Callable[[], Any] = prefect.flow(name='fresh', persist_result=True)(run) if inside else run
    monkeypatch.setattr('pydantic_ai_skills.state.time.monotonic', lambda: float('inf'))
    asyncio.run(work())
    assert before == ['demo']
    assert capability.skill_names == (['demo'] if inside else ['demo', 'new'])
