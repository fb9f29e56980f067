"""How long a person waits for the commands of the quick start, on a machine that does nothing else."""

from __future__ import annotations

from .libraries import library
from .measure import ROOT, measure
from .rows import Row

_WITHOUT_THE_FRAMEWORK = ('--help', 'new')
_OVER_THREE_SKILLS = ('list', 'show', 'validate', 'run', 'read', 'demo')


def rows() -> list[Row]:
    """Four rows, each command in a fresh process; of several the slowest. A command without a network may take 2 s.

    Importing Pydantic AI and harness is most of each but `--help` and `new`.
    """
    times = measure('commands', ROOT / 'examples', library(1_000, 14), sides=['ours'])['ours']
    return [
        Row(_work(*_WITHOUT_THE_FRAMEWORK), max(times[name] for name in _WITHOUT_THE_FRAMEWORK), reach_seconds=0.7),
        Row(_work(*_OVER_THREE_SKILLS), max(times[name] for name in _OVER_THREE_SKILLS), reach_seconds=2),
        Row('The command `list` over 1,000 skills with 14 files each', times['list, 1,000'], reach_seconds=2.5),
        Row('The command `validate` over the same', times['validate, 1,000'], reach_seconds=15),
    ]


def _work(*names: str) -> str:
    return f'The slowest of the commands {", ".join(f"`{name}`" for name in names)}'
