"""A durable application, to be run as a process of its own: `python -m tests.durable.application CONFIG.json`.

It starts the workflows of the configuration. Each stops at the moment that its `hold_at` names; when all have, the one
called `last` is started, whose script kills this process, as `kill -9` does. Run again with `recover`, it lets DBOS
recover them all and prints as JSON what became of each.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from itertools import count
from pathlib import Path
from typing import Any

from dbos import DBOS, SetWorkflowID
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pydantic_ai_skills import SkillsCapability

CONFIG: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
ASKS: Any = [str, DeferredToolRequests]
held: set[str] = set()


async def hold(workflow: str, moment: str) -> None:
    if not CONFIG['recover'] and CONFIG['workflows'][workflow].get('hold_at') == moment:
        held.add(workflow)
        await asyncio.Event().wait()


def answers(messages: list[ModelMessage]) -> list[str]:
    parts = [part for message in messages for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]


def make_agent(workflow: str, config: dict[str, Any]) -> Agent[None, Any]:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """The step that the conversation is at: a process that recovers has no other memory."""
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        await hold(workflow, f'request {turn + 1}')
        if turn >= len(config['steps']):
            return ModelResponse(parts=[TextPart('done')])
        calls = enumerate(config['steps'][turn])
        return ModelResponse(parts=[ToolCallPart(name, args, f'{turn}-{number}') for number, (name, args) in calls])

    skills = [SkillsCapability(path, approval=config.get('approval', 'never')) for path in config['libraries']]
    return Agent(FunctionModel(respond), name=workflow, output_type=ASKS, capabilities=[DBOSDurability(), *skills])


@DBOS.workflow()
async def work(workflow: str) -> list[str]:
    agent = agents[workflow]
    result = await agent.run('go')
    for number in count():
        if not isinstance(result.output, DeferredToolRequests):
            break
        await hold(workflow, 'waiting')
        decision = await DBOS.recv_async(f'decision {number}', timeout_seconds=60)
        approvals = {call.tool_call_id: decision for call in result.output.approvals}
        results = DeferredToolResults(approvals=approvals)
        result = await agent.run(message_history=result.all_messages(), deferred_tool_results=results)
    return answers(result.all_messages())


async def start(workflow: str) -> None:
    with SetWorkflowID(workflow):
        await DBOS.start_workflow_async(work, workflow)
    await send_decisions(workflow)


async def send_decisions(workflow: str) -> None:
    decisions = CONFIG['workflows'][workflow].get('decisions', {}).get(str(CONFIG['recover']), ())
    for number, decision in enumerate(decisions):
        # A topic each: of two messages that were sent in one millisecond, DBOS on SQLite receives only one.
        await DBOS.send_async(workflow, decision, f'decision {number}')


async def until_killed() -> None:
    others = set(CONFIG['workflows']) - {'last'}
    for workflow in others:
        await start(workflow)
    while held != others:
        await asyncio.sleep(0.01)
    Path(CONFIG['pid']).write_text(str(os.getpid()))
    await start('last')
    await asyncio.sleep(60)


async def recovered() -> None:
    outcome: dict[str, Any] = {}
    for workflow in CONFIG['workflows']:
        await send_decisions(workflow)
    for workflow in CONFIG['workflows']:
        handle: Any = await DBOS.retrieve_workflow_async(workflow)
        result = await handle.get_result(polling_interval_sec=0.05)
        steps = [step['function_name'] for step in await DBOS.list_workflow_steps_async(workflow)]
        outcome[workflow] = {'answers': result, 'steps': steps}
    print(json.dumps(outcome))
    DBOS.destroy()


DBOS(
    config={
        'name': 'skills',
        'system_database_url': f'sqlite:///{CONFIG["database"]}',
        'run_admin_server': False,
        'application_version': 'one',
    }
)
agents = {workflow: make_agent(workflow, config) for workflow, config in CONFIG['workflows'].items()}


async def main() -> None:
    DBOS.launch()
    await (recovered() if CONFIG['recover'] else until_killed())


asyncio.run(main())
