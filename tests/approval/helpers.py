"""What the tests of `approval` share: a skill whose script leaves a trace, and what host and person do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_ai import (
    DeferredToolRequests,
    DeferredToolResults,
)

from pydantic_ai_skills.shown import ShownRequests

from ..support import Seen, run

ASKS: dict[str, Any] = {'output_type': [str, DeferredToolRequests]}
WRITES = (
    'import pathlib, sys\npathlib.Path("ran").open("a").write(f"{sys.argv[1:]}\\n")\nprint("it ran", sys.argv[1:])\n'
)


def forget() -> None:
    ShownRequests._shown.clear()


def ran(library: Path, skill: str = 'demo') -> list[str]:
    mark = library / skill / 'ran'
    return mark.read_text().splitlines() if mark.exists() else []


def asked(seen: Seen) -> DeferredToolRequests:
    assert isinstance(seen.result.output, DeferredToolRequests), seen.result.output
    return seen.result.output


def decide(seen: Seen, decision: Any = True, *, metadata: bool | Mapping[str, Any] = True) -> DeferredToolResults:
    """What a person decided about all that was asked."""
    requests = asked(seen)
    given: Any = requests.metadata if metadata is True else metadata or {}
    return DeferredToolResults(approvals={call.tool_call_id: decision for call in requests.approvals}, metadata=given)


def resume(capability: Any, seen: Seen, results: DeferredToolResults, **options: Any) -> Seen:
    options = {'agent': ASKS, 'message_history': seen.result.all_messages(), **options}
    return run(capability, deferred_tool_results=results, **options)


def request(seen: Seen) -> dict[str, Any]:
    [metadata] = asked(seen).metadata.values()
    return metadata


CANNOT_ASK = (
    'scripts/x.py was not run: it needs the approval of a person, and this agent has no way to ask for one. '
    'Go on without it.'
)
