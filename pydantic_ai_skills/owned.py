"""Tools that a skill in Python brings: they exist for the model only while that very skill is loaded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.exceptions import UserError
from pydantic_ai.toolsets import AbstractToolset, PreparedToolset

from .access import unwrap_entry
from .entry import SkillEntry


def owned_toolset(entry: SkillEntry, toolset: AbstractToolset[Any] | None) -> AbstractToolset[Any] | None:
    """`toolset` with its tools marked as those of the deferred capability that is the skill; `None` for `None`."""
    if toolset is None:
        return None

    def prepare(ctx: RunContext[Any], definitions: list[ToolDefinition]) -> list[ToolDefinition]:
        if not _is_in_run(ctx, entry):
            return []
        return [replace(tool, capability_id=entry.name, defer_loading=True) for tool in definitions]

    return PreparedToolset(toolset, prepare)


def _is_in_run(ctx: RunContext[Any], entry: SkillEntry) -> bool:
    """Whether the run's skill of this name is this one: not unselected, and not replaced by another of its name."""
    try:
        capability = ctx.capabilities.get(entry.name)
    except UserError:  # a context that crossed a process boundary: the tools were offered on its other side
        return True
    return capability is not None and unwrap_entry(capability) is entry
