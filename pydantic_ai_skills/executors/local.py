"""Scripts as processes of this machine, with the rights of the agent's own process."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from .environment import ContextVariables, ScriptEnvironment, Variables, host_locale
from .inline import InlineMetadata, prepare_on_host
from .on_host import ready_on_host
from .output import MAX_OUTPUT_CHARACTERS
from .outputs import OutputFiles, outputs_in
from .place import Place, ScriptCall
from .programs import HostPrograms
from .running import WorkspaceRunner, interpreters_of
from .scratch import Scratch

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
        collect_outputs: bool = False,
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
            collect_outputs: Give the model what a script leaves in its `SKILL_OUTPUT_DIR`: text, images and PDFs,
                and the names and sizes of other files. Without it that folder is dropped with the run.

        Raises:
            ValueError: an option's value is out of range, or `cwd` is no folder.
            TypeError: an option is of a wrong type.
            NotImplementedError: on Windows.
        """
        super().__init__(
            timeout=timeout,
            environment=ScriptEnvironment(env_vars, context_env_vars_extractor, inherit_env),
            interpreters=interpreters_of(python_executable, interpreters, (sys.executable, 'python3', 'python')),
            max_output_chars=max_output_chars,
            collect_outputs=collect_outputs,
        )
        self._cwd = _checked_cwd(cwd)

    @asynccontextmanager
    async def _place(self, call: ScriptCall) -> AsyncGenerator[Place]:
        async with Scratch() as scratch:
            ready = await anyio.to_thread.run_sync(ready_on_host, call, scratch)
            file = ready.file
            directory = {'skill': file.directory, 'script': file.path.parent}.get(str(self._cwd), Path(self._cwd))
            variables = (
                host_locale()
                | call.variables
                | {
                    'SKILL_DIR': str(file.directory),
                    'CLAUDE_SKILL_DIR': str(file.directory),
                    'SKILL_OUTPUT_DIR': str(scratch.outputs),
                }
            )
            environment = {name: value for name, value in variables.items() if value is not None}
            workspace = Workspace(LocalWorkspaceBackend(directory, env=environment))
            programs = HostPrograms(workspace, environment.get('PATH', os.environ.get('PATH')))

            async def prepare(metadata: InlineMetadata, uv: str) -> str:
                python = self._interpreters.python
                return await prepare_on_host(call.script.name, metadata, uv, file.path, python, call.variables)

            yield LocalPlace(
                workspace=workspace,
                programs=programs,
                source=ready.source,
                script=str(file.path),
                given=environment.keys(),
                prepared=await self._inline(call, ready.source, programs, prepare),
                stdin=None if call.stdin is None else str(scratch.stdin),
                unset=tuple(name for name, value in variables.items() if value is None and name in _INHERITED),
                output_folder=scratch.outputs,
            )


@dataclass(frozen=True, kw_only=True)
class LocalPlace(Place):
    """This machine."""

    output_folder: Path

    async def outputs(self) -> OutputFiles:
        """See `Place`."""
        return await anyio.to_thread.run_sync(outputs_in, self.output_folder)


def _checked_cwd(cwd: str | Path) -> str | Path:
    if cwd in ('skill', 'script'):
        return cwd
    folder = Path(cwd).expanduser().absolute()
    if not folder.is_dir():
        raise ValueError(f"cwd must be 'skill', 'script' or an existing folder, not {str(cwd)!r}.")
    return folder
