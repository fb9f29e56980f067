"""What goes into traces: attributes of the tool's span, and spans for reading, syncing and refreshing."""

from __future__ import annotations

from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Tracer
from pydantic_ai import RunContext

from .entry import SkillEntry
from .members import SkillAsset, SkillResource, SkillScript
from .spans import tool_span


def tracer() -> Tracer:
    """The tracer for what happens outside a run: construction, sync and refresh."""
    return trace.get_tracer('pydantic_ai_skills')


def note_member(ctx: RunContext[Any], entry: SkillEntry, member: SkillResource | SkillScript | SkillAsset) -> None:
    """Say on the tool's span which skill and which file a call is about; never any content."""
    span = tool_span(ctx)
    if not span.is_recording():
        return
    span.set_attribute('gen_ai.skill.name', entry.name)
    span.set_attribute('gen_ai.skill.description', entry.info.description)
    span.set_attribute('gen_ai.skill.source.uri', str(entry.info.directory or entry.info.source or ''))
    span.set_attribute('gen_ai.skill.resource.name', member.name)
    try:
        digest = entry.info.digest
    except OSError:
        digest = None
    if digest is not None:
        span.set_attribute('pydantic_ai_skills.package.digest', digest)
