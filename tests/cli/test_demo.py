"""The demo as a person starts it, and what it says when it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from rich.console import Console
from typer.testing import CliRunner

from pydantic_ai_skills import SkillsCapability
from pydantic_ai_skills.cli import demo_run as demo_module
from pydantic_ai_skills.cli.app import app
from pydantic_ai_skills.cli.demo_run import demo_skills
from pydantic_ai_skills.cli.run_view import show_run


def run(*args: str) -> tuple[int, str]:
    result = CliRunner(env={'COLUMNS': '120', 'OPENAI_API_KEY': ''}).invoke(app, ['demo', *args])
    return result.exit_code, result.output


def test_demo_shows_catalog_calls_results_and_an_answer_from_the_scripts_output() -> None:
    code, output = run()
    assert code == 0
    flowing = ' '.join(output.split())
    for shown in (
        'building-pydantic-ai-agents',  # ships inside pydantic_ai
        'pydantic-ai-harness',  # ships inside pydantic_ai_harness
        'load_capability(id="csv-profiler")',
        '# Skill: csv-profiler',
        'read_skill_resource(skill_name="csv-profiler", resource_name="references/reading-the-report.md")',
        '# Reading the report',
        '"assets/sample.csv", "product", "price"',
        'min 1.2, median 6.9, mean 353.414, max 3800',
        'The highest is 3800',
    ):
        assert shown in flowing, shown


def test_demo_ships_its_own_skill_with_each_kind_of_file() -> None:
    package = SkillsCapability(demo_skills()).packages['csv-profiler']
    assert [item.name for item in package.resources] == ['assets/sample.csv', 'references/reading-the-report.md']
    assert [item.name for item in package.scripts] == ['scripts/profile.py']
    assert [(item.name, item.media_type) for item in package.assets] == [('assets/anatomy.png', 'image/png')]


def test_installed_demo_takes_the_skills_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'skills').mkdir()
    monkeypatch.setattr(demo_module, '__file__', str(tmp_path / 'demo.py'))
    assert demo_skills() == tmp_path / 'skills'


@pytest.mark.parametrize('name', ['gpt', 'nosuch:model'])
def test_unknown_model_is_one_sentence_and_exit_code_2(name: str) -> None:
    code, output = run('--model', name)
    assert code == 2
    assert f'Unknown model: {name}' in output
    assert 'Traceback' not in output


def test_missing_provider_or_key_says_how_to_go_on() -> None:
    code, output = run('--model', 'openai:gpt-5')
    assert code == 2
    assert 'pydantic-ai-slim[openai]' in output or 'OPENAI_API_KEY' in output


def test_scripted_model_refuses_another_question() -> None:
    code, output = run('--question', 'Why?')
    assert code == 2
    assert 'pass --model' in output


def test_model_that_fails_is_one_sentence_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(messages: object, info: object) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart('no_such_tool', {})])

    monkeypatch.setattr(demo_module, 'infer_model', lambda name: FunctionModel(endless))
    code, output = run('--model', 'any')
    assert code == 1
    assert 'The model failed: ' in output
    assert 'Traceback' not in output


@pytest.mark.anyio
async def test_run_view_shows_what_a_tool_refused_and_cuts_long_answers() -> None:
    calls = iter([ToolCallPart('picky', {}), ToolCallPart('long', {}), TextPart('**done**')])
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[next(calls)])))

    @agent.tool_plain
    def picky() -> str:
        raise ModelRetry('not like that')

    @agent.tool_plain
    def long() -> str:
        return '\n'.join(f'line {number}' for number in range(40))

    console = Console(record=True, width=80, file=open('/dev/null', 'w'))  # noqa: SIM115
    async with agent.iter('go') as agent_run:
        await show_run(console, agent_run)
    text = console.export_text()
    assert 'not like that' in text
    assert 'line 9 ' in text and 'line 10 ' not in text
    assert '… 25 more lines …' in text
    assert 'line 39' in text
    assert 'done' in text and '**' not in text
