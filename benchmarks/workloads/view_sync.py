"""A prefixed view of a local library: the first sync, and one with nothing changed."""

import json
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from pydantic_ai_skills.registries import LocalSkillsRegistry, PrefixedRegistry

library, skills = Path(sys.argv[1]), int(sys.argv[2])
os.environ['PYDANTIC_AI_SKILLS_CACHE'] = tempfile.mkdtemp(dir=sys.argv[3])
tempfile.tempdir = os.environ['PYDANTIC_AI_SKILLS_CACHE']
times = {}
# Another prefix first, so that neither side pays for its imports.
PrefixedRegistry(LocalSkillsRegistry(library), 'warm-').sync()
view = PrefixedRegistry(LocalSkillsRegistry(library), 'acme-')
for name in ('first', 'unchanged'):
    os.sync()  # or the first to flush pays for what the other has left
    start = perf_counter()
    staged = view.sync()
    times[name] = perf_counter() - start
    assert len([child for child in Path(staged).iterdir() if child.name.startswith('acme-')]) == skills
print(json.dumps(times), flush=True)
os._exit(0)  # 2.1.0 removes what it staged, and ext4 is slow to make files where many have just been removed
