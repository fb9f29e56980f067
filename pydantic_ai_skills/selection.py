"""Which skills exist for one run: the host's predicate, asked at its start."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability

from .access import unwrap_entry
from .info import SelectSkill


async def selected(
    select: SelectSkill | None, ctx: RunContext[Any], leaves: Sequence[AbstractCapability[Any]]
) -> Sequence[AbstractCapability[Any]]:
    """The leaves that `select` lets in; all where there is none. What it raises ends the run: nothing is let in by a fault."""
    if select is None:
        return leaves
    shown: list[AbstractCapability[Any]] = []
    for leaf in leaves:
        entry = unwrap_entry(leaf)
        if entry is not None:
            verdict = select(ctx, entry.info)
            if inspect.isawaitable(verdict):
                verdict = await verdict
            if not verdict:
                continue
        shown.append(leaf)
    return shown
