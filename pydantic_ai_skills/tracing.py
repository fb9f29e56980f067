"""What goes into traces: attributes of the tool's span, and spans for reading, syncing and refreshing.

On the span of a call of a file tool, where the agent is instrumented: `gen_ai.skill.name`, `gen_ai.skill.description`,
`gen_ai.skill.source.uri` (its folder, or `skill://<name>` for one in Python), `gen_ai.skill.resource.name` (the file or
script), `pydantic_ai_skills.package.digest`, and of a script that ran `pydantic_ai_skills.script.exit_code`, `.seconds`
and `.output_cut`. The content of a file or an output is never among them: that is the framework's own attribute, which
the agent's `include_content` decides on.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from opentelemetry import trace
from opentelemetry.trace import INVALID_SPAN, NoOpTracer, Span, Tracer
from pydantic_ai import RunContext
from pydantic_ai.exceptions import UserError

if TYPE_CHECKING:
    from .entry import SkillEntry
    from .members import SkillAsset, SkillResource, SkillScript

_tool_span: ContextVar[Span] = ContextVar('skill_tool_span', default=INVALID_SPAN)


def tracer() -> Tracer:
    """The tracer for what happens outside a run: construction, sync and refresh."""
    return trace.get_tracer('pydantic_ai_skills')


@contextmanager
def tool_call(ctx: RunContext[Any]) -> Generator[None]:
    """While a file tool of the run is called, `tool_span` is the span of that call.

    Without instrumentation the current span is the application's own, which is not ours to write on; neither is one
    that a durable engine opens for its step.
    """
    token = _tool_span.set(trace.get_current_span() if _is_instrumented(ctx) else INVALID_SPAN)
    try:
        yield
    finally:
        _tool_span.reset(token)


def tool_span() -> Span:
    """The span of the tool call that is being carried out; one that records nothing where there is none."""
    return _tool_span.get()


async def note_member(entry: SkillEntry, member: SkillResource | SkillScript | SkillAsset) -> None:
    """Say on the tool's span which skill and which file a call is about."""
    span = tool_span()
    if not span.is_recording():
        return
    span.set_attribute('gen_ai.skill.name', entry.name)
    span.set_attribute('gen_ai.skill.description', entry.info.description)
    span.set_attribute('gen_ai.skill.source.uri', str(entry.info.directory or entry.info.source or ''))
    span.set_attribute('gen_ai.skill.resource.name', member.name)
    try:
        digest = await anyio.to_thread.run_sync(lambda: entry.info.digest)
    except OSError:  # the call itself says what is wrong with the files
        return
    if digest is not None:
        span.set_attribute('pydantic_ai_skills.package.digest', digest)


def note_process(seconds: float, exit_code: int | None, output_cut: bool | None) -> None:
    """Say on the tool's span how a script's process went; `None` for what is not known."""
    span = tool_span()
    span.set_attribute('pydantic_ai_skills.script.seconds', round(seconds, 3))
    if exit_code is not None:
        span.set_attribute('pydantic_ai_skills.script.exit_code', exit_code)
    if output_cut is not None:
        span.set_attribute('pydantic_ai_skills.script.output_cut', output_cut)


def _is_instrumented(ctx: RunContext[Any]) -> bool:
    try:
        return not isinstance(ctx.tracer, NoOpTracer)
    except UserError:  # a context that crossed a process boundary has no tracer
        return False
