"""How long a person waits for each command of the quick start, on a machine that does nothing else."""

from __future__ import annotations

from .libraries import library
from .measure import ROOT, measure
from .rows import Row

_REACH = {'--help': 0.7, 'new': 0.7, 'list, 1,000': 2.5, 'validate, 1,000': 15.0}
"""Seconds; 2 for all others, since a command that uses no network is to take no longer."""

_NAMES = {'list, 1,000': 'list` over 1,000 skills', 'validate, 1,000': 'validate` over 1,000 skills with 11 pages each'}


def rows() -> list[Row]:
    """A row a command, each in a fresh process; importing Pydantic AI and harness is most of all but the first two."""
    times = measure('commands', ROOT / 'examples', library(1_000, 14), sides=['ours'])['ours']
    return [
        Row(f'`pydantic-ai-skills {_NAMES.get(name, f"{name}`")}', seconds, reach_seconds=_REACH.get(name, 2.0))
        for name, seconds in times.items()
    ]
