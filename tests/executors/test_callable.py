from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import pytest
from pydantic_ai import ModelRetry

from pydantic_ai_skills.executors import CallableSkillScriptExecutor
from pydantic_ai_skills.members import SkillScript, SkillScriptExecutor

SCRIPT = SkillScript(name='x.py', uri='/x.py')


def run(func: Any, args: Any = None, ctx: Any = None, **options: Any) -> Any:
    return asyncio.run(CallableSkillScriptExecutor(func).run(SCRIPT, args, ctx, **options))


def test_a_function_gets_the_script_and_its_arguments() -> None:
    assert run(lambda script, args: (script.name, args), ['a']) == ('x.py', ['a'])
    assert run(lambda script, args, ctx: (ctx, args), {'a': 1}, 'ctx') == ('ctx', {'a': 1})
    assert run(lambda *, script, args, stdin=None: stdin, stdin='in') == 'in'
    assert run(lambda **options: sorted(options)) == ['args', 'ctx', 'script', 'stdin']
    assert isinstance(CallableSkillScriptExecutor(dict), SkillScriptExecutor)


def test_async_functions_objects_partials_and_awaitables() -> None:
    async def call(script: SkillScript, args: Any) -> Any:
        await asyncio.sleep(0)
        return args

    class Object:
        async def __call__(self, script: SkillScript, args: Any) -> Any:
            return args

    assert run(call, 'a') == 'a'
    assert run(partial(call), 'b') == 'b'
    assert run(Object(), 'c') == 'c'
    assert run(lambda script, args: call(script, args), 'd') == 'd'


def test_its_exceptions_pass_through() -> None:
    def fail(script: SkillScript, args: Any) -> None:
        raise LookupError('mine')

    with pytest.raises(LookupError, match='mine'):
        run(fail)


def test_stdin_that_it_does_not_take() -> None:
    with pytest.raises(ModelRetry, match=r'x\.py cannot be given stdin here'):
        run(lambda script, args: None, stdin='in')


@pytest.mark.parametrize(
    'func', [None, 'run', lambda: None, lambda script: None, lambda a, b: None, print, lambda script, args, more: None]
)
def test_what_cannot_be_called_so(func: Any) -> None:
    with pytest.raises(TypeError, match='CallableSkillScriptExecutor'):
        CallableSkillScriptExecutor(func)


def test_cancelling_returns_while_the_function_goes_on() -> None:
    async def cancelled() -> None:
        started, release = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def wait(script: SkillScript, args: Any) -> None:
            loop.call_soon_threadsafe(started.set)
            release.wait(60)

        task = asyncio.create_task(CallableSkillScriptExecutor(wait).run(SCRIPT))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        release.set()

    asyncio.run(cancelled())
