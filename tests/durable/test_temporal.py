"""Temporal: agents are built, their activities are named, and what an activity does with a context that crossed to it.

A server cannot be had here, so nothing runs as a workflow. The activities are the real ones, run in Temporal's own
`ActivityEnvironment` with parameters that have been through its payload converter; only the dispatch is ours.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability, PrefixTools
from pydantic_ai.exceptions import ApprovalRequired

from pydantic_ai_skills import Skill, SkillsCapability

from ..support import Seen, Step, collect, load, make_library, read, script, scripted, skill_text
from .conftest import count

pytest.importorskip('temporalio', reason='temporalio is not installed')

from pydantic_ai.durable_exec.temporal import PydanticAIPayloadConverter, TemporalDurability
from temporalio.testing import ActivityEnvironment

PAIR = ['read_skill_resource', 'run_skill_script']


class InActivities(AbstractCapability[Any]):
    """Carries the calls of the file tools out in their activities, as a workflow would."""

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: dict[str, Any], handler: Any
    ) -> Any:
        if not call.tool_name.endswith(tuple(PAIR)):
            return await handler(args)
        assert ctx.agent is not None
        durability = TemporalDurability.from_agent(ctx.agent)
        assert durability is not None
        activity = activities(ctx.agent)[f'agent__durable__toolset__{tool_def.toolset_id}__call_tool']
        hints = get_type_hints(activity)
        params = hints['params'](
            name=next(name for name in PAIR if call.tool_name.endswith(name)),
            tool_args=args,
            serialized_run_context=durability.run_context_type.serialize_run_context(ctx),
            tool_def=tool_def,
            original_name=next(name for name in PAIR if call.tool_name.endswith(name)),
        )
        result: Any = await ActivityEnvironment().run(activity, _sent(params, hints['params']), ctx.deps)
        return _returned(_sent(result, hints['return']))


def _sent(value: Any, kind: Any) -> Any:
    converter = PydanticAIPayloadConverter()
    [payload] = converter.to_payloads([value])
    return converter.from_payloads([payload], [kind])[0]


def _returned(result: Any) -> Any:
    match result.kind:
        case 'model_retry':
            raise ModelRetry(result.message)
        case 'approval_required':
            raise ApprovalRequired(result.metadata)
        case _:
            return result.result


def activities(agent: Any) -> dict[str, Any]:
    durability = TemporalDurability.from_agent(agent)
    assert durability is not None
    named = [(item.__temporal_activity_definition.name, item) for item in durability.temporal_activities]
    assert len(dict(named)) == len(named)  # a worker refuses two of one name
    return dict(named)


def run(given: Any, steps: list[Step], **options: Any) -> Seen:
    seen = Seen()
    listed = given if isinstance(given, list) else [given]
    agent: Agent[Any, Any] = Agent(
        scripted(steps, seen),
        name='durable',
        capabilities=[TemporalDurability(), InActivities(), *listed],
        **options.pop('agent', {}),
    )
    seen.result = asyncio.run(agent.run('go', **options))
    collect(seen, seen.result.all_messages())
    return seen


@pytest.fixture
def two(tmp_path: Path) -> Path:
    files = {'two/SKILL.md': skill_text('two'), 'two/b.md': 'BETA', 'two/go.sh': 'echo two went'}
    return make_library(tmp_path / 'two', files)


def names(*capabilities: Any) -> list[str]:
    agent = Agent('test', name='durable', capabilities=[TemporalDurability(), *capabilities])
    return sorted(
        name.removeprefix('agent__durable__')
        for name in activities(agent)
        if ('skill' in name or 'mine' in name) and not name.endswith('__validate_args')
    )


TOOLSET = 'toolset__agent_skills__call_tool'
OPERATION = 'capability__agent_skills__run_skill_script'


def test_activities_have_the_same_names_each_time(library: Path, two: Path) -> None:
    assert names(SkillsCapability(library)) == names(SkillsCapability(two)) == [OPERATION, TOOLSET]
    mine = [name.replace('agent_skills', 'mine') for name in (OPERATION, TOOLSET)]
    assert names(SkillsCapability(library, id='mine')) == mine
    assert names(PrefixTools(wrapped=SkillsCapability(library), prefix='ns')) == [OPERATION, TOOLSET]


def test_activities_of_two_capabilities(library: Path, two: Path) -> None:
    assert names(SkillsCapability(library), SkillsCapability(two)) == [OPERATION, TOOLSET]
    prefixed = PrefixTools(wrapped=SkillsCapability(two), prefix='ns')
    assert names(SkillsCapability(library), prefixed) == [OPERATION, TOOLSET]
    assert names(prefixed, SkillsCapability(library)) == [OPERATION, TOOLSET]
    assert len(names(SkillsCapability(library, id='mine'), SkillsCapability(two))) == 4


def test_activities_of_tools_that_a_skill_brings(library: Path) -> None:
    def pay() -> str:
        return 'PAID'

    bank = Skill('bank', 'Pays.', tools=[pay])
    agent = Agent('test', name='durable', capabilities=[TemporalDurability(), SkillsCapability(skills=[bank])])
    assert 'agent__durable__toolset__bank_tools__call_tool' in activities(agent)


def test_a_skills_files_in_an_activity(library: Path, two: Path) -> None:
    given = [SkillsCapability(library), SkillsCapability(two)]
    steps = [
        load(),
        load('two'),
        read('a.md'),
        read('b.md', 'two'),
        script('x.py', ['a']),
        script('go.sh', skill='two'),
    ]
    assert run(given, steps).answers[2:] == ['ALPHA', 'BETA', "it ran ['a']", 'two went']


@pytest.mark.parametrize('ids', [('a', 'b'), (None, 'b')])
def test_with_ids(library: Path, two: Path, ids: tuple[str | None, str | None]) -> None:
    given = [SkillsCapability(library, id=ids[0]), SkillsCapability(two, id=ids[1])]
    steps = [load(), load('two'), read('a.md'), read('b.md', 'two')]
    assert run(given, steps).answers[2:] == ['ALPHA', 'BETA']


def test_prefixed(library: Path) -> None:
    given = PrefixTools(wrapped=SkillsCapability(library), prefix='ns')
    assert run(given, [load(), read('a.md', tool='ns_read_skill_resource')]).last == 'ALPHA'


def test_what_is_not_loaded_is_shut_in_an_activity(library: Path, two: Path) -> None:
    given = [SkillsCapability(library), SkillsCapability(two)]
    seen = run(given, [load('two'), read('a.md'), script('x.py')], agent={'retries': 5})
    assert 'load_capability' in seen.answers[1]
    assert 'Loaded are: two.' in seen.answers[1]
    assert "'demo' is not loaded" in seen.last
    assert count(library) == 0


@pytest.mark.parametrize('require_loaded', [True, False])
def test_what_is_not_selected_is_unreachable_in_an_activity(library: Path, two: Path, require_loaded: bool) -> None:
    capability = SkillsCapability(
        [library, two], require_loaded=require_loaded, select=lambda ctx, info: info.name in ctx.deps
    )
    steps = [load('two'), read('b.md', 'two'), read('a.md'), script('x.py')]
    seen = run(capability, steps, agent={'deps_type': list, 'retries': 5}, deps=['two'])
    assert seen.answers[1] == 'BETA'
    assert "'demo' is not loaded" in seen.answers[2] and "'demo' is not loaded" in seen.last
    assert ('ALPHA' in seen.everything, count(library)) == (False, 0)
    if not require_loaded:
        seen = run(capability, [read('b.md', 'two')], agent={'deps_type': list}, deps=['two'])
        assert seen.last == 'BETA'


def test_an_approval_is_asked_for_in_an_activity(library: Path) -> None:
    given = SkillsCapability(library, approval='scripts')
    steps = [load(), script('x.py', ['a'])]
    asked = run(given, steps, agent={'output_type': [str, DeferredToolRequests]}).result
    assert [metadata['argv'] for metadata in asked.output.metadata.values()] == [['a']]
    assert count(library) == 0
    results = asked.output.build_results(approve_all=True, metadata=asked.output.metadata)
    approved = run(
        given,
        [],
        agent={'output_type': [str, DeferredToolRequests]},
        message_history=asked.all_messages(),
        deferred_tool_results=results,
    )
    assert (approved.last, count(library)) == ("it ran ['a']", 1)


def test_an_agent_that_cannot_ask_gets_a_sentence_in_an_activity(library: Path) -> None:
    seen = run(SkillsCapability(library, approval='scripts'), [load(), script('x.py')])
    assert 'this agent has no way to ask for one' in seen.last
    assert count(library) == 0


def test_a_python_function_in_an_activity() -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay(amount: int) -> Any:
        return {'paid': amount, 'by': pay}

    seen = run(SkillsCapability(skills=[bank]), [load('bank'), script('pay', {'amount': 5}, 'bank')])
    assert seen.answers[-1]['paid'] == 5
    assert 'function' in seen.answers[-1]['by']


def test_a_skill_that_a_refresh_brought_in_an_activity(library: Path) -> None:
    capability = SkillsCapability(library)
    make_library(library, {'new/SKILL.md': skill_text('new'), 'new/n.md': 'NEW FILE'})
    asyncio.run(capability.refresh())
    assert run(capability, [load('new'), read('n.md', 'new')]).last == 'NEW FILE'
