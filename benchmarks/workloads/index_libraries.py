"""Indexing every package of a library."""

import json
import sys
from time import perf_counter

from pydantic_ai_skills.packages import index_libraries

start = perf_counter()
packages = index_libraries([sys.argv[1]])
seconds = perf_counter() - start
assert len(packages) == int(sys.argv[2])
print(json.dumps({'index': seconds}))
