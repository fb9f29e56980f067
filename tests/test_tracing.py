"""What goes into traces, seen by the OpenTelemetry SDK's in-memory exporter (contract, issue 4)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import ProxyTracerProvider
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings

from pydantic_ai_skills import LocalSkillScriptExecutor, LocalSkillsRegistry, Skill, SkillsCapability
from pydantic_ai_skills.digest import package_digest

from .support import Seen, load, make_library, read, run, script, scripted, skill_text

pytest.importorskip('opentelemetry.sdk', reason='the OpenTelemetry SDK is not installed')

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

SECRET = 'THE-CONTENT-OF-A-FILE'


@pytest.fixture(scope='session')
def exporter() -> InMemorySpanExporter:
    """OpenTelemetry lets a process set its provider only once, so all tests share one."""
    if isinstance(trace.get_tracer_provider(), ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    exporter.clear()
    return exporter


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {
        'demo/SKILL.md': skill_text(description='Shows things.', body=SECRET),
        'demo/a.md': SECRET,
        'demo/img.png': b'\x89PNG\r\n\x1a\n\0',
        'demo/scripts/x.py': f'import sys\nprint("{SECRET}", sys.stdin.read())\n',
        'demo/scripts/fails.py': 'import sys\nsys.exit(3)\n',
        'demo/scripts/long.py': 'print("x" * 100_000)\n',
    }
    return make_library(tmp_path / 'library', files)


def instrumented(content: bool = True) -> list[Any]:
    return [Instrumentation(InstrumentationSettings(include_content=content))]


def tool_spans(spans: InMemorySpanExporter, tool: str) -> list[dict[str, Any]]:
    return [
        dict(span.attributes or {})
        for span in spans.get_finished_spans()
        if (span.attributes or {}).get('gen_ai.tool.name') == tool
    ]


def ours(attributes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if key.startswith(('gen_ai.skill.', 'pydantic_ai_skills.'))}


def test_reading_a_file(spans: InMemorySpanExporter, library: Path) -> None:
    run([SkillsCapability(library), *instrumented()], [load(), read('a.md'), read('img.png'), read('x.py')])
    text, image, source = tool_spans(spans, 'read_skill_resource')
    common = {
        'gen_ai.skill.name': 'demo',
        'gen_ai.skill.description': 'Shows things.',
        'gen_ai.skill.source.uri': str(library / 'demo'),
        'pydantic_ai_skills.package.digest': package_digest(library / 'demo'),
    }
    assert ours(text) == {**common, 'gen_ai.skill.resource.name': 'a.md'}
    assert ours(image) == {**common, 'gen_ai.skill.resource.name': 'img.png'}
    assert ours(source) == {**common, 'gen_ai.skill.resource.name': 'scripts/x.py'}


def test_running_a_script(spans: InMemorySpanExporter, library: Path) -> None:
    run([SkillsCapability(library), *instrumented()], [load(), script('x.py'), script('fails.py'), script('long.py')])
    good, bad, long = map(ours, tool_spans(spans, 'run_skill_script'))
    assert good['gen_ai.skill.resource.name'] == 'scripts/x.py'
    assert (good['pydantic_ai_skills.script.exit_code'], good['pydantic_ai_skills.script.output_cut']) == (0, False)
    assert 0 < good['pydantic_ai_skills.script.seconds'] < 60
    assert bad['pydantic_ai_skills.script.exit_code'] == 3
    assert long['pydantic_ai_skills.script.output_cut'] is True
    assert {span['pydantic_ai_skills.package.digest'] for span in (good, bad, long)} == {
        package_digest(library / 'demo')
    }


def test_a_script_that_runs_out_of_time(spans: InMemorySpanExporter, library: Path) -> None:
    make_library(library, {'demo/scripts/slow.sh': 'read line </dev/zero\n'})
    executor = LocalSkillScriptExecutor(timeout=0.2)
    run([SkillsCapability(library, script_executor=executor), *instrumented()], [load(), script('slow.sh')])
    [slow] = map(ours, tool_spans(spans, 'run_skill_script'))
    assert slow['pydantic_ai_skills.script.seconds'] >= 0.2
    assert 'pydantic_ai_skills.script.exit_code' not in slow


def test_a_skill_in_python(spans: InMemorySpanExporter) -> None:
    bank = Skill('bank', 'Pays.')

    @bank.script
    def pay() -> str:
        return 'paid'

    run([SkillsCapability(skills=[bank]), *instrumented()], [load('bank'), script('pay', skill='bank')])
    [span] = map(ours, tool_spans(spans, 'run_skill_script'))
    assert span == {
        'gen_ai.skill.name': 'bank',
        'gen_ai.skill.description': 'Pays.',
        'gen_ai.skill.source.uri': 'skill://bank',
        'gen_ai.skill.resource.name': 'pay',
    }


def test_a_call_that_waits_for_approval(spans: InMemorySpanExporter, library: Path) -> None:
    given = [SkillsCapability(library, approval='scripts'), *instrumented()]
    run(given, [load(), script('x.py')], agent={'output_type': [str, DeferredToolRequests]})
    [span] = map(ours, tool_spans(spans, 'run_skill_script'))
    assert span['gen_ai.skill.resource.name'] == 'scripts/x.py'
    assert 'pydantic_ai_skills.script.seconds' not in span


def test_a_call_that_is_a_mistake_says_nothing_of_a_skill(spans: InMemorySpanExporter, library: Path) -> None:
    run([SkillsCapability(library), *instrumented()], [read('a.md'), load(), read('nothing.md')], agent={'retries': 3})
    assert [ours(span) for span in tool_spans(spans, 'read_skill_resource')] == [{}, {}]


@pytest.mark.parametrize('content', [True, False])
def test_content_is_there_only_as_the_agent_says(spans: InMemorySpanExporter, library: Path, content: bool) -> None:
    given = [SkillsCapability(library), *instrumented(content)]
    run(given, [load(), read('a.md'), script('x.py', stdin='THE-INPUT')])
    everything = ''.join(span.to_json() for span in spans.get_finished_spans())
    assert (SECRET in everything, 'THE-INPUT' in everything) == (content, content)
    # What is ours never holds any.
    mine = [ours(dict(span.attributes or {})) for span in spans.get_finished_spans()]
    assert SECRET not in str(mine) and 'THE-INPUT' not in str(mine)


def test_nothing_is_written_to_a_span_of_the_application(spans: InMemorySpanExporter, library: Path) -> None:
    """The agent is not instrumented, so the span that is current is not the tool's."""
    with trace.get_tracer('application').start_as_current_span('request'):
        run(SkillsCapability(library), [load(), read('a.md'), script('x.py')])
    [request] = [span for span in spans.get_finished_spans() if span.name == 'request']
    assert dict(request.attributes or {}) == {}


def test_an_inner_agent_that_is_not_instrumented_writes_nothing_to_the_outer_ones_span(
    spans: InMemorySpanExporter, library: Path
) -> None:
    async def delegate() -> str:
        agent = Agent(scripted([load(), script('x.py')], Seen()), capabilities=[SkillsCapability(library)])
        await agent.run('go')
        return 'delegated'

    run(instrumented(), [[('delegate', {})]], agent={'tools': [delegate]})
    [span] = tool_spans(spans, 'delegate')
    assert ours(span) == {}


def test_a_script_that_the_application_runs_by_itself(spans: InMemorySpanExporter, library: Path) -> None:
    package = SkillsCapability(library).packages['demo']
    with trace.get_tracer('application').start_as_current_span('request'):
        asyncio.run(package.scripts_by_name['scripts/x.py'].run(None))
    [request] = [span for span in spans.get_finished_spans() if span.name == 'request']
    assert dict(request.attributes or {}) == {}


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name == name]


def test_construction_sync_and_refresh(spans: InMemorySpanExporter, library: Path) -> None:
    registry = LocalSkillsRegistry(library)
    capability = SkillsCapability(registries=[registry], script_executor=LocalSkillScriptExecutor())
    [sync], [made] = named(spans, 'sync skills'), named(spans, 'read skills')
    assert dict(sync.attributes or {}) == {'pydantic_ai_skills.registries': repr(registry)}
    assert sync.parent is not None and made.context is not None and sync.parent.span_id == made.context.span_id
    assert dict(made.attributes or {}) == {'pydantic_ai_skills.skills': 1}
    spans.clear()

    async def refresh() -> None:
        with trace.get_tracer('application').start_as_current_span('request'):
            await capability.refresh()

    asyncio.run(refresh())
    [refreshed], [request] = named(spans, 'refresh skills'), named(spans, 'request')
    assert dict(refreshed.attributes or {}) == {'pydantic_ai_skills.changed': False}
    assert refreshed.parent is not None and request.context is not None
    assert refreshed.parent.span_id == request.context.span_id
    assert len(named(spans, 'sync skills')) == len(named(spans, 'read skills')) == 1


def test_a_refresh_that_fails_says_so(spans: InMemorySpanExporter, library: Path) -> None:
    capability = SkillsCapability(library)
    library.rename(library.with_name('away'))
    spans.clear()
    with pytest.warns(UserWarning, match='could not be refreshed'):
        asyncio.run(capability.refresh())
    [read_again] = named(spans, 'read skills')
    assert not read_again.status.is_ok
    assert [event.name for event in read_again.events] == ['exception']


def test_two_calls_at_once(spans: InMemorySpanExporter, library: Path) -> None:
    run([SkillsCapability(library), *instrumented()], [load(), [*read('a.md'), *script('x.py')]])
    [reading], [running] = tool_spans(spans, 'read_skill_resource'), tool_spans(spans, 'run_skill_script')
    assert reading['gen_ai.skill.resource.name'] == 'a.md'
    assert 'pydantic_ai_skills.script.exit_code' not in reading
    assert running['gen_ai.skill.resource.name'] == 'scripts/x.py'
    assert running['pydantic_ai_skills.script.exit_code'] == 0


def test_streaming(spans: InMemorySpanExporter, library: Path) -> None:
    async def stream() -> None:
        agent = Agent(
            scripted([load(), script('x.py')], Seen()), capabilities=[SkillsCapability(library), *instrumented()]
        )
        async with agent.run_stream('go') as result:
            await result.get_output()

    asyncio.run(stream())
    [running] = tool_spans(spans, 'run_skill_script')
    assert running['pydantic_ai_skills.script.exit_code'] == 0
