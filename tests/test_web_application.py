"""A web application's shape: one agent, two tenants, stored conversations, a person who approves, refreshes meanwhile."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pydantic_ai_skills import LocalSkillScriptExecutor, LocalSkillsRegistry, SkillInfo, SkillsCapability, SkillScript

from .support import make_library, skill_text

# 600 requests of the one tenant are a run each, 200 of the other are two each, with an approval between them.
REQUESTS = {'acme': 600, 'bolt': 200}
RUNS = 1_000
PAYS_EVERY = 6
"""Of the tenant whose scripts need no approval every sixth request runs one: a process takes longer than all the rest."""
REFRESHES = 10
AT_ONCE = 100
"""As many as a server takes on at a time; all of them would starve the event loop that scripts are watched by."""
REQUESTS_JSON: TypeAdapter[DeferredToolRequests] = TypeAdapter(DeferredToolRequests)


@dataclass
class User:
    tenant: str
    must_approve: bool


def pays(tenant: str, number: int) -> bool:
    return tenant == 'bolt' or number % PAYS_EVERY == 0


def tenant_skill(tenant: str, name: str, description: str, body: str) -> str:
    return skill_text(f'{tenant}-{name}', description, body, extra=f'metadata:\n  tenant: {tenant}\n')


def publish(library: Path, version: int) -> None:
    """What the tenants' people do all the time: news that change, and a skill that comes and goes."""
    for tenant in REQUESTS:
        news = tenant_skill(tenant, 'news', f'News of {tenant.upper()}, version {version}.', f'Version {version}.')
        make_library(library, {f'{tenant}-news/SKILL.md': news})
        passing = library / f'{tenant}-extra/SKILL.md'
        if version % 2:
            make_library(library, {f'{tenant}-extra/SKILL.md': tenant_skill(tenant, 'extra', 'Passes.', '')})
        else:
            passing.unlink(missing_ok=True)


def make_payments(library: Path) -> None:
    for tenant in REQUESTS:
        files = {
            'SKILL.md': tenant_skill(tenant, 'pay', f'Pays for {tenant.upper()}.', 'Run pay.sh.'),
            'notes.md': f'Notes of {tenant.upper()}.',
            'pay.sh': f'echo paid by {tenant.upper()}: $1\n',
        }
        make_library(library / f'{tenant}-pay', files)


@dataclass
class Application:
    """The host: an agent made once, a store of conversations, two routes."""

    library: Path
    stored: dict[int, bytes] = field(default_factory=dict[int, bytes])
    asked: dict[int, bytes] = field(default_factory=dict[int, bytes])
    runs: Counter[str] = field(default_factory=Counter[str])
    seen: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """By request, all text that its model was sent."""

    def __post_init__(self) -> None:
        def select(ctx: RunContext[User], info: SkillInfo) -> bool:
            return info.metadata.get('tenant') == ctx.deps.tenant

        def approval(ctx: RunContext[User], script: SkillScript, args: Any) -> bool:
            return ctx.deps.must_approve

        self.skills: SkillsCapability[User] = SkillsCapability(
            registries=[LocalSkillsRegistry(self.library)],
            # A hundred at once on a machine of two cores take their time.
            script_executor=LocalSkillScriptExecutor(timeout=None),
            select=select,
            approval=approval,
        )
        self.agent: Agent[User, Any] = Agent(
            FunctionModel(self.respond),
            deps_type=User,
            output_type=[str, DeferredToolRequests],
            capabilities=[self.skills],
        )

    def respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent = [part for message in messages for part in message.parts]
        prompt = next(str(part.content) for part in sent if part.part_kind == 'user-prompt' and part.content)
        tenant, number = prompt.split()
        texts = [str(getattr(part, 'content', '')) for part in sent]
        self.seen.setdefault(int(number), []).append('\n'.join([info.instructions or '', *texts]))
        if sum(isinstance(message, ModelResponse) for message in messages):
            return ModelResponse(parts=[TextPart('done')])
        names = {'skill_name': f'{tenant}-pay'}
        other = next(name for name in REQUESTS if name != tenant)
        others = ToolCallPart('read_skill_resource', {'skill_name': f'{other}-pay', 'resource_name': 'notes.md'})
        if not pays(tenant, int(number)):
            return ModelResponse(parts=[ToolCallPart('load_capability', {'id': f'{tenant}-news'}), others])
        return ModelResponse(
            parts=[
                ToolCallPart('load_capability', {'id': f'{tenant}-pay'}),
                others,
                ToolCallPart('read_skill_resource', {**names, 'resource_name': 'notes.md'}),
                ToolCallPart('run_skill_script', {**names, 'script_name': 'pay.sh', 'args': [number]}),
            ]
        )

    async def ask(self, user: User, number: int) -> str:
        """The route that a user posts to."""
        result = await self.agent.run(f'{user.tenant} {number}', deps=user)
        return self.answer(user, number, result)

    async def decide(self, user: User, number: int, approved: bool) -> str:
        """The route that whoever approves posts to; it has nothing but what was stored."""
        requests = REQUESTS_JSON.validate_json(self.asked.pop(number))
        approvals: dict[str, Any] = {call.tool_call_id: approved for call in requests.approvals}
        results = DeferredToolResults(approvals=approvals, metadata=requests.metadata)
        history = ModelMessagesTypeAdapter.validate_json(self.stored[number])
        result = await self.agent.run(message_history=history, deferred_tool_results=results, deps=user)
        return self.answer(user, number, result)

    def answer(self, user: User, number: int, result: Any) -> str:
        self.runs[user.tenant] += 1
        self.stored[number] = ModelMessagesTypeAdapter.dump_json(result.all_messages())
        if isinstance(result.output, DeferredToolRequests):
            self.asked[number] = REQUESTS_JSON.dump_json(result.output)
            return 'asked'
        return result.output

    def answers(self, number: int) -> list[str]:
        parts = [part for message in json.loads(self.stored[number]) for part in message['parts']]
        return [part['content'] for part in parts if part['part_kind'] in ('tool-return', 'retry-prompt')]


@pytest.fixture
def application(tmp_path: Path) -> Application:
    make_payments(tmp_path / 'library')
    publish(tmp_path / 'library', 0)
    return Application(tmp_path / 'library')


async def serve(application: Application) -> int:
    """All requests, many at once, while the skills change under them; how many refreshes there were."""
    numbers = iter(range(sum(REQUESTS.values())))
    users = [User(tenant, tenant == 'bolt') for tenant, count in REQUESTS.items() for _ in range(count)]
    finished = asyncio.Event()
    workers = asyncio.Semaphore(AT_ONCE)

    async def request(user: User, number: int) -> None:
        async with workers:
            output = await application.ask(user, number)
        if user.must_approve:
            assert output == 'asked'
            async with workers:
                output = await application.decide(user, number, approved=True)
        assert output == 'done'

    async def keep_publishing() -> int:
        version = 0
        while version < REFRESHES or not finished.is_set():
            version += 1
            done = sum(application.runs.values())
            publish(application.library, version)
            assert await application.skills.refresh() is True
            # The next one when some more requests have been served.
            while sum(application.runs.values()) < done + RUNS // (REFRESHES * 2) and not finished.is_set():
                await asyncio.sleep(0.01)
        return version

    publisher = asyncio.ensure_future(keep_publishing())
    await asyncio.gather(*(request(user, number) for user, number in zip(users, numbers, strict=True)))
    finished.set()
    return await publisher


def check_request(application: Application, tenant: str, other: str, number: int) -> None:
    texts = application.seen[number]
    assert texts
    for text in texts:
        # The conversation itself names the other one once, where the model tried its file.
        assert other.upper() not in text
        assert text.replace(f"There is no skill '{other}-pay'", '').find(f'{other}-') == -1
    catalog = [line for line in texts[0].splitlines() if line.startswith('- ')]
    names = {line.split(':')[0] for line in catalog}
    assert (
        {f'- {tenant}-pay', f'- {tenant}-news'} <= names <= {f'- {tenant}-{name}' for name in ('pay', 'news', 'extra')}
    )
    # A run has one snapshot: what it loads is of the version that its catalog says, and so is what passes by.
    [version] = {int(found) for line in catalog for found in re.findall(r'version (\d+)\.', line)}
    assert (f'- {tenant}-extra' in names) == bool(version % 2)
    _, others, *rest = application.answers(number)
    assert others.startswith(f"There is no skill '{other}-pay'. The skills are: {tenant}-")
    if pays(tenant, number):
        assert rest == [f'Notes of {tenant.upper()}.', f'paid by {tenant.upper()}: {number}']
    else:
        assert f'Version {version}.' in texts[-1]


def test_two_tenants_and_a_thousand_runs(application: Application) -> None:
    versions = asyncio.run(serve(application))
    assert versions >= REFRESHES
    assert application.runs == {'acme': REQUESTS['acme'], 'bolt': 2 * REQUESTS['bolt']}
    assert sum(application.runs.values()) == RUNS
    assert not application.asked
    for number in range(sum(REQUESTS.values())):
        tenant, other = ('acme', 'bolt') if number < REQUESTS['acme'] else ('bolt', 'acme')
        check_request(application, tenant, other, number)
