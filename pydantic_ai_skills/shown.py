"""What was shown to a person for approval: as the host hands it back, else as this process remembers it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, TypeGuard

from pydantic_ai import RunContext

_KEYS = {'skill', 'script', 'argv', 'source', 'digest'}
_REMEMBERED = 10_000  # calls; the oldest are forgotten, which asks again


class ShownRequests:
    """The metadata of requests for approval, by tool call.

    One memory for the process, since a web application may make an agent for each request. It decides nothing by
    itself: an id that two conversations share is a request that does not fit, which is asked again.
    """

    _shown: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
    _lock = Lock()

    @classmethod
    def remember(cls, ctx: RunContext[Any], metadata: object) -> None:
        """Keep what is shown for the call in `ctx`, if it is a request of ours and not one of a skill's function."""
        if ctx.tool_call_id is None or not is_request(metadata):
            return
        with cls._lock:
            cls._shown[ctx.tool_call_id] = metadata
            cls._shown.move_to_end(ctx.tool_call_id)
            while len(cls._shown) > _REMEMBERED:
                cls._shown.popitem(last=False)

    @classmethod
    def recall(cls, ctx: RunContext[Any]) -> Mapping[str, Any] | None:
        """What was shown for the call in `ctx`: as its metadata say, else as remembered; `None` if neither knows."""
        if is_request(ctx.tool_call_metadata):
            return ctx.tool_call_metadata
        with cls._lock:
            return cls._shown.get(ctx.tool_call_id or '')


def is_request(metadata: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the metadata of a deferred call are those of a script that a person must approve."""
    return isinstance(metadata, Mapping) and metadata.keys() >= _KEYS
