"""Importing the package where Pydantic AI and harness already are."""

import json
import sys
from time import perf_counter

import pydantic_ai  # noqa: F401
import pydantic_ai_harness.skills  # noqa: F401

before = set(sys.modules)
start = perf_counter()
import pydantic_ai_skills  # noqa: E402, F401

seconds = perf_counter() - start
heavy = {'git', 'boto3', 'rich', 'typer'} & (set(sys.modules) - before)
start = perf_counter()
from pydantic_ai_skills import SkillsCapability  # noqa: E402, F401

first_use = seconds + perf_counter() - start
print(json.dumps({'import': seconds, 'first use': first_use, **{f'imports {name}': 1.0 for name in sorted(heavy)}}))
