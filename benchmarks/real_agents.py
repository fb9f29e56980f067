"""What the capability costs an agent in each arrangement, and what selecting, refreshing, approving and tracing add."""

from __future__ import annotations

import importlib.util

from .libraries import library
from .measure import measure
from .rows import Row, Unavailable

_ARRANGEMENTS = {
    'prefixed': ('in `PrefixTools`', 'one'),
    'a function': ('returned by a function', 'one'),
    'two': ('by two capabilities', 'one'),
    'two with ids': ('by two capabilities with ids', 'one'),
    'refreshed': ('after a refresh', 'one'),
    'for the run': ('by one capability of the run', 'one beside another of the run'),
    'one and one for the run': ("by the agent's and one of the run", 'one beside another of the run'),
}
_SKILLS = 1_000
_SLACK = 1.3
"""Where a run's capabilities are others than those the agent was made with, the framework asks all of them anew for
what they contribute: measured, 1 to 2 ms for 1,000. A run that adds any capability has a pass more over all."""


def rows() -> list[Row]:
    """Rows for 1,000 skills; 2.1.0 has none of this."""
    if importlib.util.find_spec('opentelemetry.sdk') is None:
        raise Unavailable('the OpenTelemetry SDK is not installed (pip install opentelemetry-sdk)')
    best = measure('real_agents', library(_SKILLS, 14), 15, sides=['ours'])['ours']
    one, bare = best['one'], best['none']
    added = [
        Row(
            f'What `select` over {_SKILLS:,} skills adds to a run',
            max(best['select'] - one, 0),
            reach_seconds=0.005,
        ),
        Row(
            f'What an async `select` over {_SKILLS:,} skills adds to a run',
            max(best['select, async'] - one, 0),
            reach_seconds=0.005,
        ),
        Row(
            f'`refresh()` of {_SKILLS:,} unchanged skills',
            best['refresh'],
            reach=1 / 10,
            reference=best['construction'],
            reference_name='construction',
        ),
        Row(
            'What approval and tracing together add to a call of a script',
            max(best['call, approved and traced'] - best['call'], 0),
            reach_seconds=0.001,
        ),
    ]
    arrangements = [
        Row(
            f'What a run costs more with {_SKILLS:,} skills {words} than with none',
            best[name] - bare,
            reach=_SLACK,
            reference=best[reference] - bare,
            reference_name={'one': 'one capability'}.get(reference, reference),
        )
        for name, (words, reference) in _ARRANGEMENTS.items()
    ]
    return [*added, *arrangements]
