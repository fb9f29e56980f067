"""Choosing a place to run by where a script comes from: one's own on the host, a registry's in a sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

from pydantic_ai import RunContext

from ..members import Origin, ScriptArguments, SkillScript, SkillScriptExecutor, run_by
from .errors import CannotRunError
from .local import LocalSkillScriptExecutor
from .workspace import SupportsStaging

ExecutorChoice: TypeAlias = 'Mapping[Origin, SkillScriptExecutor] | Callable[[Origin], SkillScriptExecutor]'
"""Executors by origin: `'local'`, `'installed'` or `'remote'`."""


class RoutingScriptExecutor:
    """Hands each script to the executor for its origin.

    In a mapping, `'local'` may be left out and is a `LocalSkillScriptExecutor` then; `'installed'`, a skill inside an
    installed Python distribution, is treated as `'local'` unless named, since such a distribution's code runs
    here anyway. Without an entry for `'remote'` no remote script runs.
    """

    def __init__(self, choice: ExecutorChoice) -> None:
        """Check a mapping at once; a function is asked at each run.

        Raises:
            ValueError: the mapping has a key that is no origin, or is empty.
            TypeError: a value is no executor, or `choice` is neither mapping nor function.
        """
        self._function: Callable[[Origin], SkillScriptExecutor] | None = None
        self._chosen: dict[Any, SkillScriptExecutor] = {}
        if not isinstance(choice, Mapping):
            if not callable(choice):
                raise TypeError(
                    'script_executor must be an executor, which has an async run(script, args, ctx) method, or a mapping or '
                    f'function of origins; not {choice!r}.'
                )
            self._function = choice
            return
        given = cast('Mapping[Any, Any]', choice)
        origins = get_args(Origin)
        if not given or any(origin not in origins for origin in given):
            raise ValueError(f'script_executor maps the origins {", ".join(map(repr, origins))}, not {list(given)!r}.')
        self._chosen = {key: _checked(value, key) for key, value in given.items()}
        self._chosen.setdefault('local', LocalSkillScriptExecutor())
        self._chosen.setdefault('installed', self._chosen['local'])

    def executor_for(self, origin: Origin) -> SkillScriptExecutor:
        """The executor for scripts of this origin.

        Raises:
            CannotRunError: the mapping has none for it.
            TypeError: the function gave something else.
        """
        if self._function is not None:
            return _checked(self._function(origin), origin)
        if origin not in self._chosen:
            raise CannotRunError(f'no executor was chosen for skills of origin {origin!r}')
        return self._chosen[origin]

    async def run(
        self,
        script: SkillScript,
        args: ScriptArguments = None,
        ctx: RunContext[Any] | None = None,
        *,
        stdin: str | None = None,
    ) -> Any:
        """What the executor for the script's origin gives; its exceptions pass through.

        Raises:
            ModelRetry: there is `stdin` and that executor takes none.
        """
        try:
            executor = self.executor_for(script.origin)
        except CannotRunError as error:
            return f'{script.name} was not run: {error}. Who runs this agent has to choose one (script_executor).'
        return await run_by(executor, script, args, ctx, stdin)


def as_executor(choice: SkillScriptExecutor | ExecutorChoice | None) -> SkillScriptExecutor:
    """The `script_executor` option as one executor; `None` is this machine. Errors as `RoutingScriptExecutor`."""
    if choice is None:
        return LocalSkillScriptExecutor()
    if isinstance(choice, type):
        raise TypeError(f'script_executor must be an executor, not the class: write {choice.__name__}().')
    if isinstance(choice, SkillScriptExecutor):
        return choice
    return RoutingScriptExecutor(choice)


async def staged_directory(
    executor: SkillScriptExecutor,
    directory: Path,
    skill_name: str,
    ctx: RunContext[Any] | None,
    *,
    boundary: Path | None = None,
    origin: Origin = 'local',
) -> str | None:
    """Where the scripts of a skill find its files if not at `directory`, staged there by now; else `None`.

    This is what `${SKILL_DIR}` in the skill's instructions has to be, so that a shell tool of the agent finds
    the same files.

    Args:
        executor: What runs the skill's scripts.
        directory: The package's folder.
        skill_name: The skill's id.
        ctx: The context of the run that loads the skill.
        boundary: The folder that its links may lead into; itself where it is `None`.
        origin: Where the skill comes from.
    """
    if isinstance(executor, RoutingScriptExecutor):
        try:
            executor = executor.executor_for(origin)
        except CannotRunError:
            return None
    if not isinstance(executor, SupportsStaging):
        return None
    return await executor.stage(directory, skill_name, ctx, boundary=boundary)


def may_stage(executor: SkillScriptExecutor) -> bool:
    """Whether `staged_directory` can be anything else than `None` for it."""
    return isinstance(executor, (RoutingScriptExecutor, SupportsStaging))


def _checked(executor: object, origin: object) -> SkillScriptExecutor:
    if not isinstance(executor, SkillScriptExecutor):
        raise TypeError(f'script_executor for {origin!r} must be an executor, not {executor!r}.')
    return executor
