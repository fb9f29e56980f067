"""Constructing a capability, the first and the second time in a process."""

import json
import sys
from time import perf_counter

from pydantic_ai_skills import SkillsCapability

times = []
for _ in range(2):
    start = perf_counter()
    capability = SkillsCapability(sys.argv[1])
    times.append(perf_counter() - start)
    assert len(capability.skill_names) == int(sys.argv[2])
print(json.dumps({'first': times[0], 'second': times[1]}))
