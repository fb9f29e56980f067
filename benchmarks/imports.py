"""What importing the package costs, and what it must not bring with it."""

from __future__ import annotations

from .measure import measure
from .rows import Row


def rows() -> list[Row]:
    """One row: the import, where Pydantic AI and harness are imported already."""
    best = measure('import_time')
    ours = best['ours']
    brought = [name for name, value in ours.items() if name.startswith('imports ') and value]
    work = '`import pydantic_ai_skills` on top of harness'
    return [Row(work, ours['import'], best['yardstick']['import'], reach_seconds=0.020, failures=tuple(brought))]
