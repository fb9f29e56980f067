"""Constructing over two sizes, in a process that has constructed a small one before: CPU seconds, and the memory it takes."""

import json
import resource
import sys
from time import process_time

from pydantic_ai_skills import SkillsCapability


def seconds(library: str, count: int) -> float:
    """CPU seconds of constructing over a library of so many skills."""
    start = process_time()
    capability = SkillsCapability(library)
    taken = process_time() - start
    assert len(capability.skill_names) == count
    return taken


SkillsCapability(sys.argv[1])
few = seconds(sys.argv[2], int(sys.argv[3]))
many = seconds(sys.argv[4], int(sys.argv[5]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 2**10)
print(json.dumps({'few': few, 'many': many, 'megabytes': peak}))
