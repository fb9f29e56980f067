"""What indexing bundled files costs."""

from __future__ import annotations

from .libraries import library
from .measure import measure
from .rows import Row


def rows() -> list[Row]:
    """One row: a whole library at once."""
    best = measure('index_libraries', library(300, 14), 300)
    work = '`index_libraries` over 300 skills with 14 files each'
    return [Row(work, best['ours']['index'], best['yardstick']['index'], reach=1 / 3)]
