"""What having many skills costs each run of an agent."""

from __future__ import annotations

from .libraries import library
from .measure import measure
from .rows import Row


def rows() -> list[Row]:
    """One row: 1,000 skills."""
    best = measure('run_overhead', library(1_000, 14))
    work = 'What an agent run costs more with 1,000 skills than with none'
    return [Row(work, best['ours']['overhead'], best['yardstick']['overhead'], reach=1 / 100)]
