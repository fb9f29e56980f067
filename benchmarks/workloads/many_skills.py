"""Constructing once, in a process that has constructed a small one before: CPU seconds, and the memory it takes."""

import json
import resource
import sys
from time import process_time

from pydantic_ai_skills import SkillsCapability

SkillsCapability(sys.argv[1])
start = process_time()
capability = SkillsCapability(sys.argv[2])
seconds = process_time() - start
assert len(capability.skill_names) == int(sys.argv[3])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 2**10)
print(json.dumps({'construction': seconds, 'megabytes': peak}))
