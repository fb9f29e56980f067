"""What a run of an agent takes with the skills of a library, and with none."""

import asyncio
import json
import sys
from time import perf_counter

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from pydantic_ai_skills import SkillsCapability


def _answer(messages, info):
    return ModelResponse(parts=[TextPart('done')])


async def _best(agent):
    """The least of at least five runs: short ones are repeated for three seconds, since anything disturbs them."""
    best, begun, count = float('inf'), perf_counter(), 0
    while count < 5 or (perf_counter() - begun < 3 and count < 200):
        start = perf_counter()
        await agent.run('go')
        best = min(best, perf_counter() - start)
        count += 1
    return best


async def _main():
    bare = Agent(FunctionModel(_answer))
    skilled = Agent(FunctionModel(_answer), capabilities=[SkillsCapability(sys.argv[1])])
    await bare.run('go')
    await skilled.run('go')
    without, with_skills = await _best(bare), await _best(skilled)
    print(json.dumps({'overhead': with_skills - without}))


asyncio.run(_main())
