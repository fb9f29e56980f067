"""Scripts in the workspace of the agent's run, wherever that is: a container, another machine, a folder of this one."""

from __future__ import annotations

import os
import posixpath
import secrets
import sys
import warnings
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import anyio
import anyio.to_thread
from pydantic_ai import RunContext
from pydantic_ai.exceptions import UserError
from pydantic_ai.workspaces import (
    SupportsCommands,
    Workspace,
    WorkspaceBackend,
    WorkspaceError,
)

from ..copies import PackageChangedError
from ..digest import package_digest
from .environment import ContextVariables, ScriptEnvironment, Variables
from .errors import CannotRunError
from .inline import InlineMetadata, prepare
from .on_host import package_faults, relative_name
from .output import MAX_OUTPUT_CHARACTERS
from .place import Place, ScriptCall
from .programs import HostPrograms, Programs, WorkspacePrograms
from .running import WorkspaceRunner, interpreters_of
from .source import ScriptSource, read_source
from .staged_place import StagedPlace, is_this_host
from .staging import STAGE_DIRECTORY, remove, stage, staged_path

_CLEAN_SECONDS = 10.0


@runtime_checkable
class SupportsStaging(Protocol):
    """An executor that puts a skill's files somewhere else than where they lie."""

    async def stage(
        self, package_directory: Path, skill_name: str, ctx: RunContext[Any] | None, *, boundary: Path | None = None
    ) -> str | None:
        """Put them there and return the folder as scripts and shell tools see it; `None` if that is not possible."""
        ...


class WorkspaceScriptExecutor(WorkspaceRunner):
    """Runs scripts in the run's workspace (`ctx.workspace`), or in one that it is given.

    Any workspace with commands will do: a local folder, Docker, E2B, Modal, Daytona, SSH. The files of a skill are
    put there once per digest of its package, into `.skills/<name>-<digest>`, and stay for later runs; a changed
    package replaces them. So a script can work on the agent's own files, and an agent with a shell tool finds the
    skill's.

    Variables of `env_vars` and of the extractor reach the script through a file that is gone before it starts, since
    many workspaces would put them on a command line. Only where a workspace has no file operations of its own
    does its file, encoded, pass through a command line too.
    """

    def __init__(
        self,
        workspace: Workspace | WorkspaceBackend | None = None,
        *,
        timeout: float | None = 30,
        env_vars: Variables | None = None,
        cwd: Literal['workspace', 'skill'] = 'workspace',
        stage_dir: str | None = None,
        context_env_vars_extractor: ContextVariables | None = None,
        python_executable: str | None = None,
        interpreters: Mapping[str, Sequence[str]] | None = None,
        max_output_chars: int = MAX_OUTPUT_CHARACTERS,
        collect_outputs: bool = False,
    ) -> None:
        """Choose where and how scripts run.

        Args:
            workspace: The workspace; `None` takes the run's own.
            timeout: Seconds before a script is stopped, or `None` for no limit; 30 as for the local executor.
            env_vars: Variables for every script; `None` as a value takes one away. Nothing of this host's is passed.
            cwd: Where scripts start: `'workspace'`, so that they read and write the agent's files, or `'skill'`.
            stage_dir: The folder in the workspace that skills are put into; relative to its working directory.
                `.skills` by default.
            context_env_vars_extractor: A function, sync or async, that gives variables from the run's context.
            python_executable: The workspace's Python for all Python scripts; `python3` by default.
            interpreters: As for the local executor.
            max_output_chars: Characters of output that the model sees; more is cut in the middle.
            collect_outputs: Give the model what a script leaves in its `SKILL_OUTPUT_DIR`.

        Raises:
            ValueError: an option's value is out of range.
            TypeError: an option is of a wrong type.
            NotImplementedError: on Windows.
        """
        super().__init__(
            timeout=timeout,
            environment=ScriptEnvironment(env_vars, context_env_vars_extractor),
            interpreters=interpreters_of(python_executable, interpreters, ('python3', 'python')),
            max_output_chars=max_output_chars,
            collect_outputs=collect_outputs,
        )
        if cwd not in ('workspace', 'skill'):
            raise ValueError(f"cwd must be 'workspace' or 'skill', not {cwd!r}.")
        if stage_dir is not None and (not isinstance(stage_dir, str) or not stage_dir or '\0' in stage_dir):
            raise ValueError(f'stage_dir must be the path of a folder in the workspace, not {stage_dir!r}.')
        if workspace is not None and not isinstance(workspace, WorkspaceBackend):
            raise TypeError(f'workspace must be a Workspace or a backend, not {workspace!r}.')
        given = None if workspace is None else workspace
        self._workspace = given if given is None or isinstance(given, Workspace) else Workspace(given)
        self._cwd = cwd
        self._stage_directory = stage_dir or STAGE_DIRECTORY

    async def stage(
        self, package_directory: Path, skill_name: str, ctx: RunContext[Any] | None, *, boundary: Path | None = None
    ) -> str | None:
        """Put a skill's files into the workspace, if they are not there, and return their folder in it.

        For `${SKILL_DIR}` in the skill's instructions. `None` where the workspace cannot take them: the instructions
        then keep the path on this host, and running a script says what is wrong.
        """
        try:
            workspace = self._usable_workspace(ctx)
            digest = await anyio.to_thread.run_sync(package_digest, package_directory, boundary)
            path = await staged_path(workspace, self._stage_directory, skill_name, digest)
            if not await workspace.exists(path):
                await stage(workspace, path, package_directory, boundary, digest)
        except (CannotRunError, WorkspaceError, UserError, OSError) as error:
            warnings.warn(f'The skill {skill_name!r} could not be put into the workspace: {error}', stacklevel=2)
            return None
        return path

    @asynccontextmanager
    async def _place(self, call: ScriptCall) -> AsyncGenerator[Place]:
        script, file = call.script, call.file
        workspace = self._usable_workspace(call.ctx, script.name)
        source, digest = await anyio.to_thread.run_sync(_source_and_digest, call)
        boundary = file.root if file.root != file.directory else None
        stage_directory = self._stage_directory
        if script.approved_digest is not None:  # what an approved run finds must be that and nothing else
            stage_directory = posixpath.join(stage_directory, f'.exact-{secrets.token_hex(8)}')
        root = await staged_path(workspace, stage_directory, script.skill_name or file.directory.name, digest)
        programs = _programs_of(workspace)
        path = posixpath.join(root, relative_name(script, file))

        async def restage() -> None:
            await stage(workspace, root, file.directory, boundary, digest)

        async def prepared_python(metadata: InlineMetadata, uv: str) -> str:
            if not await workspace.exists(path):
                await restage()
            return await prepare(script.name, workspace, uv, path, self._interpreters.python)

        try:
            yield StagedPlace(
                workspace=workspace,
                programs=programs,
                source=source,
                script=path,
                given=[name for name, value in call.variables.items() if value is not None],
                prepared=await self._inline(call, source, programs, prepared_python),
                directory=root if self._cwd == 'skill' else await workspace.working_dir(),
                root=root,
                run_folder=posixpath.join(posixpath.dirname(root), f'.run-{secrets.token_hex(8)}'),
                variables=call.variables,
                input=call.stdin,
                collect=self._collect_outputs,
                restage=restage,
            )
        finally:
            if script.approved_digest is not None:
                with anyio.move_on_after(_CLEAN_SECONDS, shield=True):
                    await remove(workspace, posixpath.dirname(root))

    def _usable_workspace(self, ctx: RunContext[Any] | None, name: str = 'The script') -> Workspace:
        workspace = self._workspace or (None if ctx is None else ctx.workspace)
        if workspace is None or not workspace.attached:
            problem, remedy = 'this run has no workspace', "attach one, such as capabilities=[LocalWorkspace('.')]"
        elif workspace.read_only:
            problem, remedy = 'the workspace of this run is read-only', 'attach one that runs commands'
        elif not isinstance(workspace.backend, SupportsCommands):
            problem, remedy = 'the workspace of this run cannot run commands', 'attach one that can'
        else:
            return workspace
        warnings.warn(f'WorkspaceScriptExecutor cannot run scripts: {problem}; {remedy}.', stacklevel=2)
        raise CannotRunError(f'{name} was not run: {problem}. Who runs this agent has to {remedy}.')


def _source_and_digest(call: ScriptCall) -> tuple[ScriptSource, str]:
    script, file = call.script, call.file
    source = read_source(script.name, file.root, file.path)
    with package_faults(script):
        digest = package_digest(file.directory, file.root if file.root != file.directory else None)
        if script.approved_digest not in (None, digest):
            raise PackageChangedError
    return source, digest


_known_programs: OrderedDict[tuple[str, str], WorkspacePrograms] = OrderedDict()


def _programs_of(workspace: Workspace) -> Programs:
    """What was found in a workspace is remembered by the environment it stands for, so that it is asked once."""
    if is_this_host(workspace):
        return _OwnPrograms(workspace, os.environ.get('PATH'))
    if (ref := workspace.ref) is None:
        return WorkspacePrograms(workspace)
    key = (ref.provider, ref.id)
    programs = _known_programs.pop(key, None)
    programs = WorkspacePrograms(workspace, {} if programs is None else programs.found)
    _known_programs[key] = programs
    if len(_known_programs) > 256:
        _known_programs.popitem(last=False)
    return programs


class _OwnPrograms(HostPrograms):
    """The programs of this machine, with the agent's own Python for scripts that want any."""

    async def find(self, program: str) -> str | None:
        """See `Programs`."""
        if program == 'python3' and sys.executable:
            return sys.executable
        return await super().find(program)
