"""Importing the package where Pydantic AI and harness already are."""

import json
import sys
from time import perf_counter

import pydantic_ai  # noqa: F401
import pydantic_ai_harness.skills  # noqa: F401

start = perf_counter()
import pydantic_ai_skills  # noqa: E402, F401

seconds = perf_counter() - start
heavy = ('git', 'boto3', 'rich', 'typer')
print(json.dumps({'import': seconds, **{f'imports {name}': float(name in sys.modules) for name in heavy}}))
