"""The smallest agent with skills: `python examples/smallest_agent.py [--model openai:gpt-5]`."""

from __future__ import annotations

from pathlib import Path

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent

from pydantic_ai_skills import LocalSkillScriptExecutor, SkillsCapability

HERE = Path(__file__).parent

# Scripts start in their skill's folder unless told otherwise; here they are to find the user's files.
skills = SkillsCapability(HERE / 'skills', script_executor=LocalSkillScriptExecutor(cwd=HERE))
model = choose_model(
    parse_args().model,
    load('csv-profiler'),
    run('csv-profiler', 'scripts/profile.py', ['orders.csv', 'price']),
)
agent = Agent(model, capabilities=[skills])

print(agent.run_sync('What is in orders.csv?').output)
