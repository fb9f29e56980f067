from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opentelemetry import trace
from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from pydantic_ai_skills.executors import LocalSkillScriptExecutor
from pydantic_ai_skills.tracing import tool_call


class Recorded(trace.NonRecordingSpan):
    """A span that keeps what is set on it; the SDK is no dependency of ours."""

    def __init__(self) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.attributes: dict[str, Any] = {}

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value


def traced(package: Any, name: str, executor: LocalSkillScriptExecutor, *, instrumented: bool = True) -> dict[str, Any]:
    span = Recorded()
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), messages=[])
    if instrumented:
        ctx.tracer = trace.ProxyTracer('tests')
    script = package.script(name, executor=executor)

    async def run() -> None:
        with trace.use_span(span, record_exception=False, set_status_on_exception=False), tool_call(ctx):
            await script.run(ctx)

    try:
        asyncio.run(run())
    except TimeoutError:
        span.attributes['timed out'] = True
    seconds = span.attributes.pop('pydantic_ai_skills.script.seconds', None)
    assert seconds is None or seconds >= 0
    return {key.removeprefix('pydantic_ai_skills.script.'): value for key, value in span.attributes.items()}


def test_exit_code_and_whether_output_was_cut(package: Any) -> None:
    package.write('x.py', 'import sys\nprint("x" * 100)\nsys.exit(3)')
    assert traced(package, 'x.py', LocalSkillScriptExecutor()) == {'exit_code': 3, 'output_cut': False}
    assert traced(package, 'x.py', LocalSkillScriptExecutor(max_output_chars=10)) == {
        'exit_code': 3,
        'output_cut': True,
    }


def test_a_script_that_did_not_end_has_no_exit_code(package: Any) -> None:
    package.write('x.sh', 'sleep 60')
    assert traced(package, 'x.sh', LocalSkillScriptExecutor(timeout=0.2)) == {'output_cut': False, 'timed out': True}
    package.write('y.py', 'print("x" * 12_000_000)')
    assert traced(package, 'y.py', LocalSkillScriptExecutor()) == {'output_cut': True}


@pytest.mark.parametrize('name', ['x.py', 'gone.py'])
def test_the_span_of_an_application_is_not_ours(package: Any, name: str) -> None:
    package.write('x.py', 'print(1)')
    assert traced(package, name, LocalSkillScriptExecutor(), instrumented=False) == {}
