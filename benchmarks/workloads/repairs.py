"""Constructing over a sound library and over one of which a part needs repairs, in turns, in CPU seconds."""

import json
import sys
from time import process_time

from pydantic_ai_skills import SkillsCapability

warm_up, skills, *pairs = sys.argv[1:]
SkillsCapability(warm_up)
times = {'sound': float('inf'), 'mended': float('inf')}
while pairs:
    for kind, library in zip(times, pairs[:2], strict=True):
        start = process_time()
        capability = SkillsCapability(library)
        times[kind] = min(times[kind], process_time() - start)
        assert len(capability.skill_names) == int(skills)
        assert bool(capability.diagnostics) == (kind == 'mended')
    del pairs[:2]
print(json.dumps(times))
