"""What importing the package costs, and what it must not bring with it."""

from __future__ import annotations

from .measure import measure
from .rows import Row


def rows() -> list[Row]:
    """Two rows: the import, where Pydantic AI and harness are imported already, and what its first use imports."""
    best = measure('import_time')
    ours = best['ours']
    brought = tuple(name for name in ours if name.startswith('imports '))
    work = '`import pydantic_ai_skills` on top of harness'
    return [
        Row(work, ours['import'], best['yardstick']['import'], reach_seconds=0.020, failures=brought),
        Row('… and `SkillsCapability` out of it', ours['first use'], best['yardstick']['first use']),
    ]
