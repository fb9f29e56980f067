"""Whether a run is a durable engine's, which records what it does and, after a crash, plays that back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability

if TYPE_CHECKING:
    from pydantic_ai.durable_exec import BaseDurabilityCapability


def is_durable(ctx: RunContext[Any]) -> bool:
    """Whether the run is inside a workflow, whose replay must see what the first time saw.

    False in an activity or step, which is recorded as a whole, and for an agent that runs outside any workflow.
    """
    return any(capability.in_durable_context for capability in _durability(ctx))


def is_recorded(ctx: RunContext[Any]) -> bool:
    """Whether an engine may record what the run's tools return, so that it has to be plain data."""
    return bool(_durability(ctx))


def _durability(ctx: RunContext[Any]) -> list[BaseDurabilityCapability[Any]]:
    # An agent cannot have such a capability before somebody has imported what all of them derive from.
    if ctx.agent is None or 'pydantic_ai.durable_exec' not in sys.modules:
        return []
    from pydantic_ai.durable_exec import BaseDurabilityCapability

    found: list[BaseDurabilityCapability[Any]] = []

    def look(capability: AbstractCapability[Any]) -> None:
        while isinstance(capability, WrapperCapability):
            capability = capability.wrapped
        if isinstance(capability, BaseDurabilityCapability):
            found.append(capability)

    ctx.agent.root_capability.apply(look)
    return found
