"""The span that a tool call's attributes are written on."""

from __future__ import annotations

from typing import Any

from opentelemetry import trace
from opentelemetry.trace import INVALID_SPAN, NoOpTracer, Span
from pydantic_ai import RunContext


def tool_span(ctx: RunContext[Any] | None) -> Span:
    """The span of the tool call in `ctx`, or one that records nothing where the agent is not instrumented.

    Without instrumentation the current span is the application's own, which is not ours to write on.
    """
    tracer = getattr(ctx, 'tracer', None)  # executors are also called with a context of the caller's own making
    if tracer is None or isinstance(tracer, NoOpTracer):
        return INVALID_SPAN
    return trace.get_current_span()
