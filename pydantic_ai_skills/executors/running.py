"""The one way to run a script, over a workspace: what the executors share, and all they differ in is the place."""

from __future__ import annotations

import errno
import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import UserError
from pydantic_ai.workspaces import CommandResult, WorkspaceError, WorkspaceOutputLimitError, WorkspaceTimeoutError

from ..members import ScriptArguments, SkillScript
from ..tracing import note_process
from .arguments import argument_vector, input_bytes
from .commands import Interpreters, checked_interpreters, is_python, script_command
from .environment import ScriptEnvironment, variables_not_given
from .errors import CannotRunError
from .inline import InlineMetadata, find_uv, inline_metadata
from .modules import imports_from_root, with_root_modules
from .output import MAX_OUTPUT_CHARACTERS, ScriptOutput, exit_line, format_output, seconds_text
from .outputs import with_outputs
from .place import Place, Prepared, ScriptCall
from .programs import Programs
from .source import ScriptSource, script_file


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
        interpreters: Interpreters,
        max_output_chars: int = MAX_OUTPUT_CHARACTERS,
        collect_outputs: bool = False,
    ) -> None:
        """Check the options that all executors share; see each for what they mean."""
        check_platform(type(self).__name__)
        self._timeout = checked_timeout(timeout)
        self._environment = environment
        self._interpreters = interpreters
        if isinstance(max_output_chars, bool) or not isinstance(max_output_chars, int) or max_output_chars < 1:
            raise ValueError(f'max_output_chars must be a whole number from 1 up, not {max_output_chars!r}.')
        self._max_output_chars = max_output_chars
        self._collect_outputs = collect_outputs

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
            What it printed, a `Stderr:` block, and how it ended unless well. With `collect_outputs`, a list of
            this text and the images and PDFs that it left, if it left any.

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
                command = await script_command(
                    script.name, place.script, place.source, self._interpreters, place.programs, place.prepared.python
                )
                if self._needs_root(call, place):
                    command = with_root_modules(command)
                text = await self._answer(call, place, [*command, *words])
                if not self._collect_outputs:
                    return text
                return with_outputs(text, await place.outputs(), self._max_output_chars)
        except CannotRunError as error:
            return str(error)
        except (WorkspaceError, UserError) as error:
            return f'{script.name} could not be run to its end: {error}'
        except TimeoutError:
            raise
        except OSError as error:
            return f'{script.name} was not run: {_reason(error)}.'

    def _needs_root(self, call: ScriptCall, place: Place) -> bool:
        name, head = call.script.name, place.source.head
        return is_python(name, head, self._interpreters) and imports_from_root(head, name, call.file.directory)

    async def _inline(
        self,
        call: ScriptCall,
        source: ScriptSource,
        programs: Programs,
        prepare: Callable[[InlineMetadata, str], Awaitable[str]],
    ) -> Prepared:
        """Prepare the dependencies that a Python script declares in itself, if it does, by `prepare(metadata, uv)`."""
        name = call.script.name
        if not is_python(name, source.head, self._interpreters) or b'# /// script' not in source.head:
            return Prepared()
        metadata = inline_metadata(source.head)
        if metadata is None or not metadata.wanted:
            return Prepared()
        uv = await find_uv(programs)
        if uv is None:
            return Prepared(
                note=f'{name} declares dependencies (PEP 723), but uv is not installed here: '
                'it was run without preparing them (pip install uv).'
            )
        return Prepared(python=await prepare(metadata, uv))

    async def _answer(self, call: ScriptCall, place: Place, argv: list[str]) -> str:
        started = time.perf_counter()
        exit_code: int | None = None
        output: ScriptOutput | None = None
        try:
            result = await place.run(argv, self._timeout)
            exit_code = result.exit_code
            output = self._output(result, place)
            return output.text
        except WorkspaceOutputLimitError as error:
            output = self._overflow(call.script.name, error)
            return output.text
        except WorkspaceTimeoutError as error:
            output = self._out_of_time(call.script.name, error)
            raise TimeoutError(output.text) from error
        finally:
            note_process(time.perf_counter() - started, exit_code, None if output is None else output.cut)

    def _output(self, result: CommandResult, place: Place) -> ScriptOutput:
        remarks = [exit_line(result.exit_code)]
        if result.exit_code and (missing := variables_not_given(place.source.head, place.given)):
            remarks.append(
                f'The script mentions variables of the host that it was not given: {", ".join(missing)}. '
                f'Only who runs this agent can pass them ({self._variables_option}).'
            )
        remarks.append(place.prepared.note)
        last = '\n'.join(remark for remark in remarks if remark)
        return format_output(result.stdout, result.stderr, self._max_output_chars, last or None)

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


def interpreters_of(
    python_executable: str | os.PathLike[str] | None,
    interpreters: Mapping[str, Sequence[str]] | None,
    default_pythons: tuple[str, ...],
) -> Interpreters:
    """The options `python_executable` and `interpreters` together; errors as `checked_interpreters`."""
    python = None if python_executable is None else os.path.expanduser(python_executable)
    return Interpreters(python, default_pythons, checked_interpreters(interpreters))


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
