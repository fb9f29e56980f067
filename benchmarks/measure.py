"""Runs one workload under our Python and under the yardstick's, a process each, and keeps the best times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

Side: TypeAlias = Literal['ours', 'yardstick']
"""This package, or `pydantic-ai-skills` 2.1.0."""

Times: TypeAlias = dict[str, float]
"""Seconds by name, as a workload printed them."""

ROOT = Path(__file__).resolve().parents[1]
_WORKLOADS = Path(__file__).parent / 'workloads'


def rounds() -> int:
    """How many processes a workload gets a side: `BENCH_ROUNDS`, 5 unless given."""
    return int(os.environ.get('BENCH_ROUNDS', '5'))


def measure(workload: str, *args: str | Path, sides: Sequence[Side] = ('ours', 'yardstick')) -> dict[Side, Times]:
    """The least seconds that `workloads/<workload>.py` printed under each name, over `rounds()` processes a side.

    The sides take turns, so that whatever else the machine does falls on both.

    Raises:
        RuntimeError: a process failed; the message ends with what it wrote.
    """
    best: dict[Side, Times] = {side: {} for side in sides}
    for _ in range(rounds()):
        for side in sides:
            for name, seconds in _once(side, workload, [str(arg) for arg in args]).items():
                best[side][name] = min(seconds, best[side].get(name, seconds))
    return best


def _once(side: Side, workload: str, args: Sequence[str]) -> Times:
    environment = {**os.environ, 'PYTHONWARNINGS': 'ignore', 'PYTHONHASHSEED': '0'}
    for name in ('PYTHONPATH', 'PYTHONDONTWRITEBYTECODE'):  # an installed package has its bytecode: so must ours
        environment.pop(name, None)
    if side == 'ours':
        environment['PYTHONPATH'] = str(ROOT)
    command = [_python(side), str(_WORKLOADS / f'{workload}.py'), *args]
    done = subprocess.run(command, env=environment, cwd=scratch(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'{workload} failed for {side} with exit code {done.returncode}:\n{done.stderr[-2000:]}')
    return json.loads(done.stdout.splitlines()[-1])


def _python(side: Side) -> str:
    return sys.executable if side == 'ours' else os.environ['BENCH_YARDSTICK_PYTHON']


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix='bench-')


def scratch() -> Path:
    """A folder that goes when the run ends."""
    return Path(_scratch().name)
