"""Scripts handed to a Python function of the application: a queue, a remote service, a test double."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio.to_thread
from pydantic_ai import ModelRetry, RunContext

from ..members import ScriptArguments, SkillScript


class CallableSkillScriptExecutor:
    """Calls `func(script=..., args=...)` to run a script; what it returns is what the model sees.

    `ctx=` and `stdin=` are passed too if the function has parameters of these names. An async function is awaited,
    another one runs in a thread, which a cancelled run no longer waits for.
    """

    def __init__(self, func: Callable[..., Any]) -> None:
        """Check that `func` can be called so.

        Raises:
            TypeError: it cannot be called, or does not take `script` and `args` by name.
        """
        if not callable(func):
            raise TypeError(f'CallableSkillScriptExecutor needs a function, not {func!r}.')
        self._func = func
        self._options = _options_of(func)

    async def run(
        self,
        script: SkillScript,
        args: ScriptArguments = None,
        ctx: RunContext[Any] | None = None,
        *,
        stdin: str | None = None,
    ) -> Any:
        """Call the function with `args` as the model gave them; its result and its exceptions pass through.

        Raises:
            ModelRetry: there is `stdin` and the function takes none.
        """
        options: dict[str, Any] = {'script': script, 'args': args}
        if 'ctx' in self._options:
            options['ctx'] = ctx
        if 'stdin' in self._options:
            options['stdin'] = stdin
        elif stdin is not None:
            raise ModelRetry(f'{script.name} cannot be given stdin here; pass what it needs in args.')
        if _is_async(self._func):
            return await self._func(**options)
        result = await anyio.to_thread.run_sync(partial(self._func, **options), abandon_on_cancel=True)
        return await result if inspect.isawaitable(result) else result


def _options_of(func: Callable[..., Any]) -> set[str]:
    try:
        signature = inspect.signature(func)
    except (TypeError, ValueError):  # a builtin without one
        return set()
    parameters = signature.parameters
    if any(item.kind is inspect.Parameter.VAR_KEYWORD for item in parameters.values()):
        options = {'ctx', 'stdin'}
    else:
        options = {'ctx', 'stdin'} & {
            name for name, item in parameters.items() if item.kind is not inspect.Parameter.POSITIONAL_ONLY
        }
    try:
        signature.bind(script=None, args=None, **dict.fromkeys(options))
    except TypeError as error:
        raise TypeError(
            f'CallableSkillScriptExecutor calls func(script=..., args=...), but {func!r}: {error}.'
        ) from error
    return options


def _is_async(func: Callable[..., Any]) -> bool:
    while isinstance(func, partial):
        func = func.func
    return inspect.iscoroutinefunction(func) or inspect.iscoroutinefunction(getattr(func, '__call__', None))  # noqa: B004
