"""A FastAPI service in which each tenant has skills of its own: `python examples/tenants_service.py [--serve 8000]`.

One agent and one capability serve everybody; `select` decides at the start of each run which skills exist for it. What
is not selected is in no catalog, cannot be loaded by its name, and none of its files can be read.

Without `--serve` the example sends itself a request of each tenant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException
from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent, RunContext

from pydantic_ai_skills import Skill, SkillInfo, SkillsCapability

TENANTS = {'key-of-acme': 'acme', 'key-of-globex': 'globex'}


@dataclass
class Tenant:
    name: str


def make_skill(name: str, description: str, tenants: list[str]) -> Skill:
    skill = Skill(name, description, 'Run `figures`.', metadata={'tenants': tenants})

    @skill.script
    def figures(ctx: RunContext[Tenant]) -> str:
        """The figures of the tenant who asks."""
        return f'{name}: figures of {ctx.deps.name}'

    return skill


def belongs(ctx: RunContext[Tenant], info: SkillInfo) -> bool:
    return ctx.deps.name in info.metadata.get('tenants', ())


def authenticate(x_api_key: Annotated[str, Header()]) -> Tenant:
    if x_api_key not in TENANTS:
        raise HTTPException(401, 'Unknown key.')
    return Tenant(TENANTS[x_api_key])


args = parse_args(serve='a port to serve on')
skills = SkillsCapability(
    skills=[
        make_skill('sales', 'Sales figures. Use it for questions about sales.', ['acme', 'globex']),
        make_skill('mergers', 'Figures on mergers. Use it for questions about mergers.', ['acme']),
    ],
    select=belongs,
)
agent = Agent(
    choose_model(args.model, load('mergers'), run('mergers', 'figures')), deps_type=Tenant, capabilities=[skills]
)
app = FastAPI()


@app.post('/ask')
async def ask(question: str, tenant: Annotated[Tenant, Depends(authenticate)]) -> dict[str, str]:
    result = await agent.run(question, deps=tenant)
    return {'tenant': tenant.name, 'answer': result.output}


def try_both() -> None:
    from fastapi.testclient import TestClient

    client = TestClient(app)
    for key in (*TENANTS, 'no-key-of-ours'):
        answer = client.post('/ask', params={'question': 'What about mergers?'}, headers={'x-api-key': key})
        print(answer.status_code, answer.json())


if args.serve:
    import uvicorn

    uvicorn.run(app, port=int(args.serve))
else:
    try_both()
