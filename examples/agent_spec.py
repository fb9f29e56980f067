"""An agent from a YAML file: `python examples/agent_spec.py`."""

from __future__ import annotations

import os
from pathlib import Path

from offline import choose_model, load, parse_args, run
from pydantic_ai import Agent

from pydantic_ai_skills import SkillsCapability

os.chdir(Path(__file__).parent)  # agent.yaml names the folder `skills`
model = choose_model(
    parse_args().model,
    load('csv-profiler'),
    run('csv-profiler', 'scripts/profile.py', ['assets/sample.csv', 'price']),
)
agent = Agent.from_file('agent.yaml', model=model, custom_capability_types=[SkillsCapability])

print(agent.run_sync('What did people pay in assets/sample.csv of the profiler?').output)
