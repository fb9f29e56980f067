"""Runs each command of the quick start once, in a process of its own, as a person does.

Processor time of the command and of what it starts: what it takes on a machine that does nothing else, whatever this
one is doing meanwhile.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

examples, big = Path(sys.argv[1]), sys.argv[2]
profile = ['csv-profiler', 'scripts/profile.py', '--source', 'skills', '--', 'assets/sample.csv', 'price']


def spent() -> float:
    """Processor seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


with tempfile.TemporaryDirectory() as folder:
    commands = {
        '--help': ['--help'],
        'new': ['new', 'invoices', '--into', folder],
        'list': ['list', 'skills'],
        'show': ['show', 'csv-profiler', '--source', 'skills'],
        'validate': ['validate', 'skills'],
        'run': ['run', *profile],
        'read': ['read', 'csv-profiler', 'references/reading-the-report.md', '--source', 'skills'],
        'demo': ['demo'],
        'list, 1,000': ['list', big],
        'validate, 1,000': ['validate', big],
    }
    times: dict[str, float] = {}
    for name, args in commands.items():
        start = spent()
        subprocess.run(
            [sys.executable, '-m', 'pydantic_ai_skills', *args],
            cwd=examples,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        times[name] = spent() - start
print(json.dumps(times))
