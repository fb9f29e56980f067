"""Which calls ask, and agents that cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    DeferredToolRequests,
    RunContext,
)

from pydantic_ai_skills import (
    SkillsCapability,
    SkillScript,
)

from ..support import Seen, load, run, script
from .helpers import ASKS, CANNOT_ASK, asked, ran


@pytest.mark.parametrize('kind', ['sync', 'async'])
def test_a_predicate_decides_call_by_call(library: Path, kind: str) -> None:
    asked_for: list[tuple[Any, str, Any]] = []

    def policy(ctx: RunContext[str], script: SkillScript, args: Any) -> bool:
        asked_for.append((ctx.deps, script.name, args))
        return script.name.endswith('x.py')

    async def later(ctx: RunContext[str], script: SkillScript, args: Any) -> bool:
        await asyncio.sleep(0)
        return policy(ctx, script, args)

    capability = SkillsCapability(library, approval=policy if kind == 'sync' else later)
    agent = {**ASKS, 'deps_type': str}
    seen = run(capability, [load(), [*script('safe.py'), *script('x.py', ['5'])]], agent=agent, deps='alice')
    assert seen.last == 'safe ran'
    assert [call.args_as_dict()['script_name'] for call in asked(seen).approvals] == ['x.py']
    assert sorted(asked_for, key=str) == [('alice', 'scripts/safe.py', None), ('alice', 'scripts/x.py', ['5'])]


@pytest.mark.parametrize('error', [LookupError('no rights'), PermissionError('no rights'), TimeoutError('no rights')])
@pytest.mark.parametrize('agent', [ASKS, {}])
def test_a_predicate_that_raises_ends_the_run(library: Path, error: Exception, agent: dict[str, Any]) -> None:
    def policy(ctx: RunContext[Any], script: SkillScript, args: Any) -> bool:
        raise error

    with pytest.raises(type(error), match='no rights'):
        run(SkillsCapability(library, approval=policy), [load(), script('x.py')], agent=agent)
    assert ran(library) == []


def test_what_is_no_policy_is_refused(library: Path) -> None:
    for wrong in ('always', True, None, ['x.py']):
        with pytest.raises(ValueError, match="approval must be 'never', 'scripts' or a function"):
            SkillsCapability(library, approval=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize('output_type', [str, list[str], str | None])
def test_an_agent_that_cannot_ask_gets_a_sentence(library: Path, output_type: Any) -> None:
    seen = Seen()
    steps = [load(), script('x.py')]
    if output_type != list[str]:
        seen = run(SkillsCapability(library, approval='scripts'), steps, agent={'output_type': output_type})
    else:
        steps.append([('final_result', {'response': []})])
        seen = run(SkillsCapability(library, approval='scripts'), steps, agent={'output_type': output_type})
    assert CANNOT_ASK in seen.answers
    assert ran(library) == []


@pytest.mark.parametrize(
    'output_type', [[str, DeferredToolRequests], (str, DeferredToolRequests), str | DeferredToolRequests]
)
def test_every_way_to_say_that_an_agent_returns_requests(library: Path, output_type: Any) -> None:
    seen = run(
        SkillsCapability(library, approval='scripts'), [load(), script('x.py')], agent={'output_type': output_type}
    )
    assert len(asked(seen).approvals) == 1


def test_an_output_type_of_one_run_is_not_seen(library: Path) -> None:
    """Nothing public tells a tool of it, so the agent has to name it (the documentation says so)."""
    seen = run(
        SkillsCapability(library, approval='scripts'),
        [load(), script('x.py')],
        output_type=[str, DeferredToolRequests],
    )
    assert seen.last == CANNOT_ASK
