"""The one way to run a script, over a workspace: what the executors share, and all they differ in is the place."""

from __future__ import annotations

import errno
import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import trace
from pydantic_ai import RunContext
from pydantic_ai.workspaces import (
    CommandResult,
    Workspace,
    WorkspaceError,
    WorkspaceOutputLimitError,
    WorkspaceTimeoutError,
)

from ..members import ScriptArguments, SkillScript
from .arguments import argument_vector, input_bytes
from .commands import Interpreters, checked_interpreters, script_command
from .environment import ContextVariables, ScriptEnvironment, Variables, variables_not_given
from .errors import CannotRunError
from .output import MAX_OUTPUT_CHARACTERS, ScriptOutput, exit_line, format_output, seconds_text
from .programs import Programs
from .source import ScriptFile, ScriptSource, script_file


@dataclass(frozen=True)
class ScriptCall:
    """One call of a script, before it is known where it runs."""

    script: SkillScript
    file: ScriptFile
    stdin: bytes | None
    variables: dict[str, str | None]
    """What the options and the run's context give; the place adds its own."""

    ctx: RunContext[Any] | None


@dataclass(frozen=True)
class Place:
    """Where one call runs, ready for it: the skill's files are there, and so is what goes to standard input."""

    workspace: Workspace
    programs: Programs
    source: ScriptSource
    script: str
    """The path of the file as the workspace has it."""

    given: Collection[str]
    """Names of all variables that the script gets."""

    directory: str | None = None
    """Where it starts; `None` where the workspace starts there anyway."""

    stdin: str | None = None
    """The path of the file that standard input is read from."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables to pass with the command; those that the workspace itself was given are not among them."""

    unset: tuple[str, ...] = ()
    """Variables to take away from what the workspace gives."""

    def wrapped(self, command: list[str]) -> list[str]:
        """`command` with the directory, input and variables that `Workspace.run` has no parameters for."""
        if self.directory is None and self.stdin is None and not self.unset:
            return command
        steps = [f'unset -v {" ".join(self.unset)}'] if self.unset else []
        parameters: list[str] = []
        if self.directory is not None:
            steps.append('cd -- "$1" && shift')
            parameters.append(self.directory)
        if self.stdin is not None:
            steps.append('exec <"$1" && shift')
            parameters.append(self.stdin)
        return ['sh', '-c', ' && '.join([*steps, 'exec "$@"']), 'sh', *parameters, *command]


class WorkspaceRunner(ABC):
    """Base of the executors that run files: arguments in, command built, run with a time limit, text out.

    A subclass says where, by `_place`. Whatever becomes of the script is text, so that it never ends an
    agent's run: an exit code, a signal, a missing program, a file that is gone, output without end.
    """

    _variables_option = 'env_vars'
    """What the host's developer sets to give a script a variable of the host."""

    def __init__(
        self,
        *,
        timeout: float | None,
        environment: ScriptEnvironment,
        python: str | None = None,
        interpreters: Mapping[str, Sequence[str]] | None = None,
        max_output_chars: int = MAX_OUTPUT_CHARACTERS,
    ) -> None:
        """Check the options that all executors share; see each for what they mean."""
        check_platform(type(self).__name__)
        self._timeout = checked_timeout(timeout)
        self._environment = environment
        self._interpreters = Interpreters(python=python, by_extension=checked_interpreters(interpreters))
        if isinstance(max_output_chars, bool) or not isinstance(max_output_chars, int) or max_output_chars < 1:
            raise ValueError(f'max_output_chars must be a whole number from 1 up, not {max_output_chars!r}.')
        self._max_output_chars = max_output_chars

    @abstractmethod
    def _place(self, call: ScriptCall) -> AbstractAsyncContextManager[Place]:
        """Make ready where `call` runs; `CannotRunError` if that is not possible."""

    async def run(
        self,
        script: SkillScript,
        args: ScriptArguments = None,
        ctx: RunContext[Any] | None = None,
        *,
        stdin: str | None = None,
    ) -> Any:
        """Run the file of `script` and return its output as text.

        Args:
            script: The script; it must have a file.
            args: A list of words, a mapping of flags, or text that is one of these: see `argument_vector`.
            ctx: The run's context, for executors and options that ask it something.
            stdin: Text for its standard input, which is at its end unless given.

        Returns:
            What it printed, a `Stderr:` block, and how it ended unless well.

        Raises:
            ModelRetry: the arguments cannot be understood.
            TimeoutError: it ran out of time; the message carries what it printed until then.
            ValueError: the script has no file.
        """
        words = argument_vector(args)
        data = input_bytes(stdin)
        call = ScriptCall(script, script_file(script), data, await self._environment.variables(ctx), ctx)
        try:
            async with self._place(call) as place:
                command = await self._command(call, place)
                return await self._answer(call, place, [*command, *words])
        except CannotRunError as error:
            return str(error)
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            return f'{script.name} was not run: {_reason(error)}.'

    async def _command(self, call: ScriptCall, place: Place) -> list[str]:
        return await script_command(call.script.name, place.script, place.source, self._interpreters, place.programs)

    async def _answer(self, call: ScriptCall, place: Place, argv: list[str]) -> str:
        started = time.perf_counter()
        exit_code: int | None = None
        try:
            result = await place.workspace.run(
                place.wrapped(argv), env=place.environment or None, timeout=self._timeout
            )
            exit_code = result.exit_code
            output = self._output(result, call, place)
        except WorkspaceOutputLimitError as error:
            output = self._overflow(call.script.name, error)
        except WorkspaceTimeoutError as error:
            output = self._out_of_time(call.script.name, error)
            raise TimeoutError(output.text) from error
        except WorkspaceError as error:
            raise CannotRunError(f'{call.script.name} was not run: {error}') from error
        finally:
            _note(time.perf_counter() - started, exit_code)
        trace.get_current_span().set_attribute('pydantic_ai_skills.script.output_cut', output.cut)
        return output.text

    def _output(self, result: CommandResult, call: ScriptCall, place: Place) -> ScriptOutput:
        last = exit_line(result.exit_code)
        if last and (missing := variables_not_given(place.source.head, place.given)):
            last += (
                f'\nThe script mentions variables of the host that it was not given: {", ".join(missing)}. '
                f'Only who runs this agent can pass them ({self._variables_option}).'
            )
        return format_output(result.stdout, result.stderr, self._max_output_chars, last)

    def _overflow(self, name: str, error: WorkspaceOutputLimitError) -> ScriptOutput:
        limit = self._max_output_chars
        begun = format_output(error.stdout[:limit], error.stderr[: max(limit - len(error.stdout), 0)], limit)
        last = (
            f'{name} was stopped: it printed more than {error.limit / 2**20:g} MiB, and only the beginning is shown. '
            'Have it print less, or write to a file.'
        )
        return ScriptOutput(f'{begun.text}\n\n{last}', cut=True)

    def _out_of_time(self, name: str, error: WorkspaceTimeoutError) -> ScriptOutput:
        said = f'{name} was stopped: it ran longer than {seconds_text(self._timeout or 0)}.'
        if not (error.stdout.strip() or error.stderr.strip()):
            return ScriptOutput(f'{said} It had printed nothing.', cut=False)
        output = format_output(error.stdout, error.stderr, self._max_output_chars)
        return ScriptOutput(f'{said} It had printed:\n{output.text}', output.cut)


def checked_timeout(timeout: float | None) -> float | None:
    """`timeout` if it can be one: a positive number of seconds, or `None` for no limit.

    Raises:
        ValueError: it is something else.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not math.isfinite(timeout) or timeout <= 0:
        raise ValueError(f'timeout must be a positive number of seconds, or None for no limit, not {timeout!r}.')
    return timeout


def check_platform(executor: str) -> None:
    """Refuse to be made where no script could run.

    Raises:
        NotImplementedError: this is Windows.
    """
    if os.name != 'posix':
        raise NotImplementedError(
            f"{executor} needs Linux or macOS: Pydantic AI's workspaces run commands on POSIX systems only. "
            'On Windows use WSL, or a CallableSkillScriptExecutor.'
        )


def _reason(error: OSError) -> str:
    if error.errno == errno.E2BIG:
        return 'its arguments are longer than the system allows; pass long text as stdin'
    if error.errno == errno.ENOEXEC:
        return 'it is a program for another kind of machine'
    return error.strerror or str(error)


def _note(seconds: float, exit_code: int | None) -> None:
    span = trace.get_current_span()
    span.set_attribute('pydantic_ai_skills.script.seconds', round(seconds, 3))
    if exit_code is not None:
        span.set_attribute('pydantic_ai_skills.script.exit_code', exit_code)


__all__ = [
    'ContextVariables',
    'Place',
    'ScriptCall',
    'ScriptEnvironment',
    'Variables',
    'WorkspaceRunner',
    'check_platform',
    'checked_timeout',
]
