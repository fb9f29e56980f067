"""What a run costs in each arrangement of the same skills, and what selecting, refreshing, approving and tracing add."""

import asyncio
import json
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from time import perf_counter

from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks, PrefixTools, Thinking
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from pydantic_ai_skills import CallableSkillScriptExecutor, SkillsCapability
from pydantic_ai_skills.digest import package_digest

LIBRARY = sys.argv[1]
ROUNDS = int(sys.argv[2])


def _answer(messages, info):
    return ModelResponse(parts=[TextPart('done')])


async def _runs(agents):
    """The least seconds of a run with each agent; they take turns, so that all see the same of the machine."""
    best = {}
    for _ in range(ROUNDS):
        for name, (agent, options) in agents.items():
            start = perf_counter()
            await agent.run('go', **options)
            seconds = perf_counter() - start
            best[name] = min(seconds, best.get(name, seconds))
    return best


def _agent(*capabilities):
    return Agent(FunctionModel(_answer), capabilities=capabilities)


def _yes(ctx, info):
    return True


async def _later(ctx, info):
    return True


def _arrangements():
    whole = SkillsCapability(LIBRARY)
    names = whole.skill_names
    halves = [{'include': names[0::2]}, {'include': names[1::2]}]
    one, two = (SkillsCapability(LIBRARY, **half) for half in halves)
    mine, other = (SkillsCapability(LIBRARY, id=id, **half) for id, half in zip('ab', halves, strict=True))
    refreshed = SkillsCapability(LIBRARY)
    return refreshed, {
        'none': (_agent(), {}),
        'one': (_agent(whole), {}),
        'prefixed': (_agent(PrefixTools(wrapped=whole, prefix='ns')), {}),
        'a function': (_agent(lambda ctx: whole), {}),
        'two': (_agent(one, two), {}),
        'two with ids': (_agent(mine, other), {}),
        'one beside another of the run': (_agent(whole), {'capabilities': [Thinking()]}),
        'for the run': (_agent(), {'capabilities': [whole]}),
        'one and one for the run': (_agent(mine), {'capabilities': [other]}),
        'refreshed': (_agent(refreshed), {}),
        'select': (_agent(SkillsCapability(LIBRARY, select=_yes)), {}),
        'select, async': (_agent(SkillsCapability(LIBRARY, select=_later)), {}),
    }


async def _refresh():
    start = perf_counter()
    capability = SkillsCapability(LIBRARY)
    best = {'construction': perf_counter() - start}
    for _ in range(5):
        start = perf_counter()
        assert await capability.refresh() is False
        seconds = perf_counter() - start
        best['refresh'] = min(seconds, best.get('refresh', seconds))
    return best


async def _calls():
    """A call of `run_skill_script` whose executor does nothing, as the framework makes it."""
    captured = []

    async def capture(ctx, *, call, tool_def, args, handler):
        if call.tool_name == 'run_skill_script':
            captured.append((ctx, ctx.tool_manager.tools[call.tool_name].toolset))
        return await handler(args)

    name = 'skill-00000'
    turns = iter([('load_capability', {'id': name}), ('run_skill_script', CALL)])

    def respond(messages, info):
        step = next(turns, None)
        return ModelResponse(parts=[TextPart('done') if step is None else ToolCallPart(*step)])

    def nothing(script, args):
        return 'done'

    capability = SkillsCapability(LIBRARY, include=[name], script_executor=CallableSkillScriptExecutor(nothing))
    asking = SkillsCapability(
        LIBRARY, include=[name], script_executor=CallableSkillScriptExecutor(nothing), approval='scripts'
    )
    best = {}
    tracer = TracerProvider().get_tracer('bench')
    shown = {'skill': name, 'script': 'scripts/script-2.py', 'argv': [], 'source': '', 'stdin': None}
    shown['digest'] = package_digest(capability.packages[name].directory)
    cases = {'plain': (capability, False), 'both': (asking, True)}
    tools = {}
    for case, (made, _) in cases.items():
        turns = iter([('load_capability', {'id': name}), ('run_skill_script', CALL)])
        agent = Agent(FunctionModel(respond), capabilities=[made, Hooks(tool_execute=capture)])
        await agent.run('go')
        tools[case] = captured[-1]
    for _ in range(ROUNDS * 20):
        for case, (_, both) in cases.items():
            ctx, toolset = tools[case]
            span = nullcontext()
            if both:
                ctx = replace(ctx, tool_call_approved=True, tool_call_metadata=shown, tracer=tracer)
                span = tracer.start_as_current_span('execute_tool')
            while not hasattr(toolset, 'run_skill_script'):
                toolset = toolset.wrapped
            with span:
                start = perf_counter()
                result = await toolset.run_skill_script(ctx, **CALL)
                seconds = perf_counter() - start
            assert result == 'done', result
            best[case] = min(seconds, best.get(case, seconds))
    return {'call': best['plain'], 'call, approved and traced': best['both']}


CALL = {'skill_name': 'skill-00000', 'script_name': 'scripts/script-2.py'}


async def _main():
    best = await _refresh()
    refreshed, agents = _arrangements()
    await _runs({name: agents[name] for name in ('one', 'none')})  # whatever is imported late
    skill = next(iter(refreshed.skills)).directory / 'SKILL.md'
    skill.write_text(f'{skill.read_text().split("<!--")[0]}<!-- {time.time_ns()} -->')
    assert await refreshed.refresh() is True
    best |= await _runs(agents)
    best |= await _calls()
    print(json.dumps(best))


asyncio.run(_main())
