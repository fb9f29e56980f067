"""What constructing a capability costs."""

from __future__ import annotations

from .libraries import library
from .measure import measure
from .rows import Row


def rows() -> list[Row]:
    """Two rows: the first time in a process and the second."""
    best = measure('construction', library(1_000, 14), 1_000)
    ours, yardstick = best['ours'], best['yardstick']
    work = 'Constructing over 1,000 skills with 14 files each'
    return [
        Row(work, ours['first'], yardstick['first'], reach=2 / 3),
        Row(f'{work}, a second time in the process', ours['second'], yardstick['second'], reach=1 / 50),
    ]
