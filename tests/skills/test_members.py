"""Files and functions as members of a skill."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, ModelRetry, RunContext

from pydantic_ai_skills import Skill, SkillResource, SkillsCapability, SkillScript
from pydantic_ai_skills.executors import LocalSkillScriptExecutor

from ..support import Seen, load, run, script
from .helpers import convert


class TestMembers:
    def test_load_and_run_do_what_the_tools_do(self) -> None:
        made = Skill('demo', 'D.')

        @made.script
        def add(a: int, b: int = 1) -> int:
            return a + b

        @made.resource
        def hello(name: str) -> str:
            return f'Hello {name}!'

        package = SkillsCapability(skills=[made]).packages['demo']
        assert (package.directory, package.digest) == (None, None)
        add_script, hello_resource = package.scripts_by_name['add'], package.resources_by_name['hello']
        assert asyncio.run(add_script.run(None, {'a': 2})) == 3
        assert asyncio.run(add_script.run(None, '{"a": 2, "b": 2}')) == 4
        assert (
            asyncio.run(hello_resource.load(None, {'name': 'x'}))
            == asyncio.run(hello_resource.load(None, '{"name": "x"}'))
            == 'Hello x!'
        )
        for wrong in (['2'], '2', {'c': 1}, None):
            with pytest.raises(ModelRetry):
                asyncio.run(add_script.run(None, wrong))  # type: ignore[arg-type]

    def test_a_function_that_takes_the_context_needs_one(self) -> None:
        def who(ctx: RunContext[Any]) -> str:
            return ''

        with pytest.raises(TypeError, match="'who' takes the run context: pass `ctx`"):
            asyncio.run(SkillScript('who', function=who).run(None))

    def test_what_has_nothing_behind_it(self) -> None:
        with pytest.raises(ValueError, match='neither a file, nor content, nor a function'):
            asyncio.run(SkillResource('x').load(None))
        with pytest.raises(ValueError, match='neither a function nor an executor'):
            asyncio.run(SkillScript('x', uri='/x').run(None))

    def test_an_executor_of_ones_own(self) -> None:
        class Plain:
            async def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                return [script.name, args, ctx is not None]

        class WithStdin:
            async def run(
                self, script: SkillScript, args: Any = None, ctx: Any = None, *, stdin: str | None = None
            ) -> Any:
                return [args, stdin]

        made = Skill(
            'demo',
            'D.',
            scripts=[
                SkillScript('plain', uri='/x', executor=Plain()),
                SkillScript('in', uri='/x', executor=WithStdin()),
            ],
        )
        steps = [
            load(),
            script('plain', ['a', 1]),
            script('plain', {'k': True}),
            script('plain', stdin='x'),
            script('in', 'a b', stdin='x'),
            script('in'),
        ]
        seen = run(SkillsCapability(skills=[made]), steps)
        assert seen.answers[1:3] == [['plain', ['a', 1], True], ['plain', {'k': True}, True]]
        assert 'cannot be given stdin here' in seen.answers[3]
        assert seen.answers[4:] == [['a b', 'x'], [None, None]]

    def test_an_executor_that_fails(self) -> None:
        class Broken:
            async def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                raise RuntimeError('no room')

        class Sync:
            def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
                return 'text'

        made = Skill(
            'demo',
            'D.',
            scripts=[SkillScript('a', uri='/x', executor=Broken()), SkillScript('b', uri='/x', executor=Sync())],
        )  # type: ignore[arg-type]
        seen = run(SkillsCapability(skills=[made]), [load(), script('a'), script('b')])
        assert seen.answers[1] == 'a failed: RuntimeError: no room'
        assert seen.answers[2].startswith('b failed: TypeError') and seen.result.output == 'done'

    def test_scripts_take_the_capabilitys_executor(self) -> None:
        executor = LocalSkillScriptExecutor()
        made = Skill('demo', 'D.', scripts=[SkillScript('x', uri='/x')])
        package = SkillsCapability(skills=[made], script_executor=executor).packages['demo']
        assert (package.scripts[0].executor, package.scripts[0].skill_name) == (executor, 'demo')


def test_a_python_skill_can_be_used_by_two_agents() -> None:
    made = Skill('demo', 'D.', tools=[convert])
    for _ in range(2):
        agent = [SkillsCapability(skills=[made])]
        assert run(agent, [load(), [('convert', {'amount': 1})]]).last == '1 converted'
    both: list[Seen] = [
        run([SkillsCapability(skills=[made]), SkillsCapability(skills=[made])], [load(), [('convert', {'amount': 1})]])
    ]
    assert both[0].last == '1 converted'
    assert isinstance(Agent('test', capabilities=[SkillsCapability(skills=[made])]), Agent)
