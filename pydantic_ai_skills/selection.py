"""Which skills exist for one run: the host's predicate, asked at its start."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability

from .access import unwrap_entry
from .entry import SkillEntry
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
        if entry is None or await is_selected(select, ctx, entry):
            shown.append(leaf)
    return shown


async def is_selected(select: SelectSkill | None, ctx: RunContext[Any], entry: SkillEntry) -> bool:
    """Whether `select` lets one skill in."""
    if select is None:
        return True
    verdict = select(ctx, entry.info)
    return bool(await verdict if inspect.isawaitable(verdict) else verdict)
