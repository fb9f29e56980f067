from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import ModelRetry
from pydantic_ai.workspaces import LocalWorkspaceBackend

from pydantic_ai_skills.executors import (
    CallableSkillScriptExecutor,
    LocalSkillScriptExecutor,
    RoutingScriptExecutor,
    WorkspaceScriptExecutor,
    as_executor,
    staged_directory,
)
from pydantic_ai_skills.members import SkillScript


def named(name: str) -> CallableSkillScriptExecutor:
    return CallableSkillScriptExecutor(lambda script, args: (name, args))


def script(origin: Any, executor: Any) -> SkillScript:
    return SkillScript(name='x.py', uri='/x.py', origin=origin, executor=executor)


def run(origin: Any, executor: Any, args: Any = None, stdin: str | None = None) -> Any:
    return asyncio.run(script(origin, executor).run(None, args, stdin=stdin))


def test_a_mapping_by_origin() -> None:
    executor = as_executor({'local': named('here'), 'remote': named('there')})
    assert run('local', executor, ['a']) == ('here', ['a'])
    assert run('installed', executor) == ('here', None)
    assert run('remote', executor) == ('there', None)
    own = as_executor({'local': named('here'), 'installed': named('own'), 'remote': named('there')})
    assert run('installed', own) == ('own', None)


def test_what_a_mapping_may_leave_out() -> None:
    executor = as_executor({'remote': named('there')})
    assert isinstance(executor, RoutingScriptExecutor)
    assert isinstance(executor.executor_for('local'), LocalSkillScriptExecutor)
    closed = as_executor({'local': named('here')})
    assert run('remote', closed) == (
        "x.py was not run: no executor was chosen for skills of origin 'remote'. "
        'Who runs this agent has to choose one (script_executor).'
    )


def test_a_function_of_the_origin() -> None:
    executor = as_executor(lambda origin: named(origin))
    assert run('remote', executor) == ('remote', None)
    with pytest.raises(TypeError, match="script_executor for 'local' must be an executor, not None"):
        run('local', as_executor(lambda origin: None))  # type: ignore[arg-type,return-value]


def test_an_executor_is_itself_and_none_is_this_machine() -> None:
    executor = named('x')
    assert as_executor(executor) is executor
    assert isinstance(as_executor(None), LocalSkillScriptExecutor)


@pytest.mark.parametrize(
    ('choice', 'error'),
    [
        ({}, ValueError),
        ({'elsewhere': named('x')}, ValueError),
        ({'local': 'x'}, TypeError),
        (3, TypeError),
        ('local', TypeError),
    ],
)
def test_what_is_no_choice(choice: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match='script_executor'):
        as_executor(choice)


def test_stdin_goes_to_those_that_take_it() -> None:
    class Without:
        async def run(self, script: SkillScript, args: Any = None, ctx: Any = None) -> Any:
            return 'ran'

    executor = as_executor(
        {'local': Without(), 'remote': CallableSkillScriptExecutor(lambda script, args, stdin: stdin)}
    )
    assert run('remote', executor, stdin='in') == 'in'
    assert run('local', executor) == 'ran'
    with pytest.raises(ModelRetry, match='cannot be given stdin'):
        run('local', executor, stdin='in')


def test_where_instructions_find_the_files(package: Any, tmp_path: Any) -> None:
    staging = WorkspaceScriptExecutor(LocalWorkspaceBackend(tmp_path))

    def staged(executor: Any, origin: Any = 'local') -> str | None:
        return asyncio.run(staged_directory(executor, package.directory, 'demo', None, origin=origin))

    assert staged(LocalSkillScriptExecutor()) is None
    path = staged(staging)
    assert path is not None
    assert path.startswith(str(tmp_path.resolve() / '.skills/demo-'))
    routed = as_executor({'local': LocalSkillScriptExecutor(), 'remote': staging})
    assert (staged(routed), staged(routed, 'remote')) == (None, path)
    assert staged(as_executor({'local': staging}), 'remote') is None
