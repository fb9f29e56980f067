"""Scripts as processes of this machine, with the rights of the agent's own process."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from ..copies import package_copy
from ..members import SkillScript
from .environment import ContextVariables, ScriptEnvironment, Variables
from .errors import CannotRunError
from .output import MAX_OUTPUT_CHARACTERS
from .programs import HostPrograms
from .running import Place, ScriptCall, WorkspaceRunner
from .scratch import Scratch
from .source import ScriptFile, ScriptSource, read_source

_INHERITED = ('PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE')  # what LocalWorkspaceBackend passes on


class LocalSkillScriptExecutor(WorkspaceRunner):
    """Runs scripts on this machine, which isolates nothing: for skills that you trust like your own code.

    A script of a local library runs where it lies. One from a registry runs from a copy of its package in the
    user's cache folder, which is checked before each run, so that a registry's store is never written to.

    At the timeout, and when the agent's run is cancelled, the script's process group is killed. A child that
    left the group and stays in the background lives on, and a call returns at most two seconds after its
    script ended although such a child holds the output open (both are `LocalWorkspaceBackend`'s rules).
    """

    _variables_option = 'inherit_env'

    def __init__(
        self,
        python_executable: str | Path | None = None,
        timeout: float | None = 30,
        env_vars: Variables | None = None,
        context_env_vars_extractor: ContextVariables | None = None,
        *,
        cwd: str | Path = 'skill',
        inherit_env: Collection[str] = (),
        max_output_chars: int = MAX_OUTPUT_CHARACTERS,
        interpreters: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Choose how scripts run.

        Args:
            python_executable: The Python for all Python scripts, whatever their first lines say. `None` takes the one
                that runs the agent, since its packages are there, unless a first line names a special one.
            timeout: Seconds before a script is stopped, or `None` for no limit. 30 by default: longer than nearly
                every published script takes, short enough for a conversation.
            env_vars: Variables for every script; `None` as a value takes one away.
            context_env_vars_extractor: A function, sync or async, that gives variables from the run's context.
            cwd: Where scripts start: `'skill'`, the root of their skill, as agentskills.io has it; `'script'`, the
                folder of the script; or the path of an existing folder.
            inherit_env: Names of host variables to pass on, beside `PATH`, `HOME` and the locale, which all get.
            max_output_chars: Characters of output that the model sees; more is cut in the middle.
            interpreters: Commands by extension, such as `{'.ts': ['bun', 'run']}`; they win over first lines.

        Raises:
            ValueError: an option's value is out of range, or `cwd` is no folder.
            TypeError: an option is of a wrong type.
            NotImplementedError: on Windows.
        """
        super().__init__(
            timeout=timeout,
            environment=ScriptEnvironment(env_vars, context_env_vars_extractor, inherit_env),
            python=None if python_executable is None else os.path.expanduser(python_executable),
            interpreters=interpreters,
            max_output_chars=max_output_chars,
        )
        self._cwd = _checked_cwd(cwd)

    @asynccontextmanager
    async def _place(self, call: ScriptCall) -> AsyncGenerator[Place]:
        async with Scratch() as scratch:
            file, source = await anyio.to_thread.run_sync(_ready, call, scratch)
            directory = {'skill': file.directory, 'script': file.path.parent}.get(str(self._cwd), Path(self._cwd))
            variables = call.variables | {
                'SKILL_DIR': str(file.directory),
                'CLAUDE_SKILL_DIR': str(file.directory),
                'SKILL_OUTPUT_DIR': str(scratch.outputs),
            }
            environment = {name: value for name, value in variables.items() if value is not None}
            workspace = Workspace(LocalWorkspaceBackend(directory, env=environment))
            yield Place(
                workspace=workspace,
                programs=HostPrograms(workspace, environment.get('PATH', os.environ.get('PATH'))),
                source=source,
                script=str(file.path),
                given=environment.keys(),
                stdin=None if call.stdin is None else str(scratch.stdin),
                unset=tuple(name for name, value in variables.items() if value is None and name in _INHERITED),
            )


def _ready(call: ScriptCall, scratch: Scratch) -> tuple[ScriptFile, ScriptSource]:
    """Whatever touches the disk before a run, in one visit to a thread."""
    if call.stdin is not None:
        scratch.stdin.write_bytes(call.stdin)
    file = call.file
    if call.script.from_registry:
        file = _in_copy(call.script, file)
    return file, read_source(call.script.name, file.root, file.path)


def _in_copy(script: SkillScript, file: ScriptFile) -> ScriptFile:
    boundary = file.root if file.root != file.directory else None
    try:
        copy = package_copy(file.directory, boundary)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotRunError(
            f'{script.name} was not run: its skill cannot be copied to run there ({reason}).'
        ) from error
    name = os.path.relpath(file.path, file.directory)
    return ScriptFile(copy, copy / (script.name if name.startswith('..') else name), copy)


def _checked_cwd(cwd: str | Path) -> str | Path:
    if cwd in ('skill', 'script'):
        return cwd
    folder = Path(cwd).expanduser().absolute()
    if not folder.is_dir():
        raise ValueError(f"cwd must be 'skill', 'script' or an existing folder, not {str(cwd)!r}.")
    return folder
