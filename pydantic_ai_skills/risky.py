"""Names that a skill may have by the format, and that are default ids of other capabilities."""

from __future__ import annotations

RISKY_NAMES = frozenset(
    [
        'advisor',
        'caching',
        'citations',
        'instrumentation',
        'localstack',
        'macroscope',
        'memory',
        'planning',
        'skills',
        'thinking',
    ]
)
"""Default ids of Pydantic AI's and harness's own capabilities that are legal skill names.

An agent that has both such a capability and a skill of its name is refused by the framework.
"""
