"""Scripts in a sandbox of this machine's kernel, which sees the skill, the system's programs and a scratch folder."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio.to_thread
from pydantic_ai.workspaces import CommandResult, LocalWorkspaceBackend, Workspace
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapWorkspace

from .environment import ContextVariables, ScriptEnvironment, Variables, host_locale
from .inline import InlineMetadata
from .on_host import ready_on_host
from .output import MAX_OUTPUT_CHARACTERS
from .outputs import OutputFiles, outputs_in_tar
from .place import Place, ScriptCall
from .running import WorkspaceRunner, interpreters_of
from .sandbox_environments import prepare_in_sandbox
from .sandbox_mounts import (
    EMPTY_ROOT,
    SYSTEM_PATH,
    SandboxPrograms,
    python_folders,
    read_only,
    sealed,
    system_mounts,
)
from .scratch import Scratch

_MEBIBYTE = 2**20
_EXCHANGE = '/run/skill'  # what goes in and out, beside the scratch folder
_SHARED_MEMORY = 16 * _MEBIBYTE  # what multiprocessing needs for its locks, and little more
_MAX_TAR_BYTES = 32 * _MEBIBYTE
# Variables that would act on the launcher outside the sandbox are set inside it, where a command line shows them.
_FOR_INSIDE = re.compile(r'PATH|HOME|TMPDIR|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|CDPATH|LD_\w+|GCONV_PATH|BWRAP_\w+')


class BubblewrapScriptExecutor(WorkspaceRunner):
    """Runs scripts in a bubblewrap sandbox: for skills that you have not read, such as a registry's.

    A script sees the system's programs and the interpreters, its skill read-only at its own path, the paths in
    `readable`, and a scratch folder that is its home, its temporary and its working directory. It sees no other
    file of the host, no process, no variable that it was not given, and no network unless `network`. Everything
    that it started ends with it.

    What bounds it: time by `timeout`, the memory of each process by `memory_mb`, all files that it writes by
    `disk_mb`. The number of its processes, and the memory of all of them together, are bounded only by what the
    agent's own process may use: put that into a cgroup where this matters.

    Run the agent as an ordinary user: what root's scripts could do beyond this is in the documentation's table.

    Needs Linux and the program `bwrap` (Debian: `apt install bubblewrap`), and a kernel that lets it make user
    namespaces.
    """

    def __init__(
        self,
        *,
        network: bool = False,
        timeout: float | None = 30,
        memory_mb: int | None = 1024,
        disk_mb: int = 256,
        env_vars: Variables | None = None,
        readable: Sequence[str | Path] = (),
        context_env_vars_extractor: ContextVariables | None = None,
        cwd: Literal['scratch', 'skill', 'script'] = 'scratch',
        python_executable: str | Path | None = None,
        interpreters: Mapping[str, Sequence[str]] | None = None,
        max_output_chars: int = MAX_OUTPUT_CHARACTERS,
        collect_outputs: bool = False,
    ) -> None:
        """Choose what scripts may use.

        Args:
            network: Share the host's network, loopback and abstract Unix sockets included.
            timeout: Seconds before a script is stopped, or `None` for no limit; 30 as for the local executor.
            memory_mb: MiB of address space of each process; `None` for no limit, which some runtimes need.
            disk_mb: MiB of all files in the scratch folder and `/tmp` together, which lie in memory.
            env_vars: Variables for every script; `None` as a value takes one away. Nothing of the host's is passed.
            readable: More paths that scripts can read, at the same place.
            context_env_vars_extractor: A function, sync or async, that gives variables from the run's context.
            cwd: Where scripts start: the scratch folder, so that they can write; or the root of the skill, or the
                folder of the script, which they cannot write to.
            python_executable: As for the local executor; its installation becomes readable.
            interpreters: As for the local executor.
            max_output_chars: Characters of output that the model sees; more is cut in the middle.
            collect_outputs: Give the model what a script leaves in its `SKILL_OUTPUT_DIR`.

        Raises:
            ValueError: an option's value is out of range, or a readable path is not there.
            TypeError: an option is of a wrong type.
            RuntimeError: `bwrap` is not installed.
            NotImplementedError: this is not Linux.
        """
        if not sys.platform.startswith('linux'):
            raise NotImplementedError('BubblewrapScriptExecutor needs Linux: bubblewrap is made of its namespaces.')
        super().__init__(
            timeout=timeout,
            environment=ScriptEnvironment(env_vars, context_env_vars_extractor),
            interpreters=interpreters_of(python_executable, interpreters, (sys.executable, 'python3', 'python')),
            max_output_chars=max_output_chars,
            collect_outputs=collect_outputs,
        )
        if cwd not in ('scratch', 'skill', 'script'):
            raise ValueError(f"cwd must be 'scratch', 'skill' or 'script', not {cwd!r}.")
        if shutil.which('bwrap') is None:
            raise RuntimeError('BubblewrapScriptExecutor needs the program bwrap: apt install bubblewrap.')
        self._network = network
        self._memory = None if memory_mb is None else checked_size('memory_mb', memory_mb)
        self._disk = checked_size('disk_mb', disk_mb)
        self._readable = checked_readable(readable)
        self._cwd = cwd

    @asynccontextmanager
    async def _place(self, call: ScriptCall) -> AsyncGenerator[Place]:
        async with Scratch() as scratch:
            ready = await anyio.to_thread.run_sync(ready_on_host, call, scratch)
            directory, home = str(call.file.directory), str(scratch.path)
            inside = os.path.join(directory, os.path.relpath(ready.file.path, ready.file.directory))
            python = python_folders(self._interpreters.python or sys.executable)
            programs = SandboxPrograms(Workspace(LocalWorkspaceBackend('/')), [*python, *self._readable, directory])

            async def prepare(metadata: InlineMetadata, uv: str) -> str:
                return await prepare_in_sandbox(
                    call.script.name, metadata, uv, self._interpreters.python, call.variables, python
                )

            prepared = await self._inline(call, ready.source, programs, prepare)
            shown = [*python, *self._readable]
            if prepared.python is not None:
                shown += [os.path.dirname(os.path.dirname(prepared.python)), *python_folders(prepared.python)]
            variables = host_locale() | call.variables | self._own_variables(directory, home)
            yield SandboxPlace(
                workspace=programs_workspace(scratch),
                programs=programs,
                source=ready.source,
                script=inside,
                given=[name for name, value in variables.items() if value is not None],
                prepared=prepared,
                directory={'scratch': None, 'skill': directory, 'script': os.path.dirname(inside)}[self._cwd],
                stdin=None if call.stdin is None else f'{_EXCHANGE}/stdin',
                scratch=scratch,
                variables=variables,
                mounts=(
                    *system_mounts(self._network),
                    *read_only(dict.fromkeys(shown)),
                    *('--ro-bind', str(ready.file.directory), directory),
                ),
                network=self._network,
                memory=self._memory,
                disk=self._disk,
                collect=self._collect_outputs,
            )

    def _own_variables(self, directory: str, home: str) -> dict[str, str | None]:
        python = os.path.dirname(self._interpreters.python or sys.executable)
        return {
            'SKILL_DIR': directory,
            'CLAUDE_SKILL_DIR': directory,
            'SKILL_OUTPUT_DIR': f'{home}/out',
            'HOME': home,
            'TMPDIR': home,
            'PATH': f'{python}:{SYSTEM_PATH}',
        }


def programs_workspace(scratch: Scratch) -> Workspace:
    """The host, as the folder that is hidden under the sandbox's own scratch folder."""
    return Workspace(LocalWorkspaceBackend(scratch.path))


@dataclass(frozen=True, kw_only=True)
class SandboxPlace(Place):
    """A sandbox for one call, made when it is run and gone with it."""

    scratch: Scratch
    """On the host: where standard input comes from and outputs go. In the sandbox its path is an empty folder."""

    variables: Mapping[str, str | None]
    mounts: Sequence[str]
    network: bool
    memory: int | None
    disk: int
    collect: bool

    async def run(self, command: list[str], timeout: float | None) -> CommandResult:
        """See `Place`."""
        assert isinstance(self.programs, SandboxPrograms)
        inside = {name: value for name, value in self.variables.items() if _FOR_INSIDE.fullmatch(name)}
        given = {name: value for name, value in self.variables.items() if value is not None and name not in inside}
        exchange: list[str] = []
        if self.stdin is not None:
            exchange += ['--ro-bind', str(self.scratch.stdin), self.stdin]
        if self.collect:
            self._archive.touch()
            exchange += ['--bind', str(self._archive), f'{_EXCHANGE}/outputs']
        backend = LocalWorkspaceBackend(self.scratch.path, env=given)
        sandbox = BubblewrapWorkspace(
            Workspace(backend),
            network=self.network,
            bwrap_args=[
                *base_mounts(str(self.scratch.path), self.disk),
                *self.mounts,
                *self.programs.mounts(),
                *exchange,
                *('--dir', f'{self.scratch.path}/out'),
                *self._inner_variables(inside),
                *sealed(),
            ],
        )
        return await sandbox.run(self.wrapped(command), timeout=timeout)

    def _inner_variables(self, inside: Mapping[str, str | None]) -> list[str]:
        arguments: list[str] = []
        for name, value in {**{n: None for n, v in self.variables.items() if v is None}, **inside}.items():
            arguments += ['--unsetenv', name] if value is None else ['--setenv', name, value]
        return arguments

    @property
    def _archive(self) -> Path:
        return self.scratch.path / 'outputs.tar'

    def wrapped(self, command: list[str]) -> list[str]:
        """`command` with its limits, environment, directory and input, and with what carries its outputs out."""
        limits = ['ulimit -c 0', f'ulimit -f {self.disk // 512}']
        if self.memory is not None:
            limits.append(f'ulimit -v {self.memory // 1024}')
        steps, parameters = self._steps()
        script = '; '.join(f'{limit} 2>/dev/null' for limit in limits) + '; ' + ' && '.join([*steps, ''])
        if self.collect:
            # One file that was there before takes all of it, so that its size is bounded like any other's.
            ending = f'"$@"; code=$?; exec </dev/null; tar -C "$SKILL_OUTPUT_DIR" -cf {_EXCHANGE}/outputs .; exit $code'
            script += f'{{ {ending}; }}'
        else:
            script += 'exec "$@"'
        return ['sh', '-c', script, 'sh', *parameters, *command]

    async def outputs(self) -> OutputFiles:
        """See `Place`."""
        return await anyio.to_thread.run_sync(self._read_outputs)

    def _read_outputs(self) -> OutputFiles:
        with open(self._archive, 'rb') as file:
            archive = file.read(_MAX_TAR_BYTES)
        return outputs_in_tar(archive) if archive else OutputFiles()


def base_mounts(home: str, disk: int) -> list[str]:
    """An empty root with its own processes and devices, and a scratch folder of at most `disk` bytes at `home`.

    `/tmp` and the scratch folder are one file system, so that the bound holds for both.
    """
    in_tmp = home.startswith('/tmp/')
    return [
        *EMPTY_ROOT,
        *('--size', str(_SHARED_MEMORY), '--tmpfs', '/dev/shm'),
        *('--size', str(disk), '--tmpfs', '/tmp' if in_tmp else home),
        *(('--dir', home) if in_tmp else ('--symlink', home, '/tmp')),
    ]


def checked_size(option: str, mebibytes: int) -> int:
    """A size in bytes.

    Raises:
        ValueError: it is no whole number of MiB from 1 up.
    """
    if isinstance(mebibytes, bool) or not isinstance(mebibytes, int) or mebibytes < 1:
        raise ValueError(f'{option} must be a whole number of MiB from 1 up, not {mebibytes!r}.')
    return mebibytes * _MEBIBYTE


def checked_readable(readable: Sequence[str | Path]) -> tuple[str, ...]:
    """The `readable` paths, absolute.

    Raises:
        TypeError: it is one string.
        ValueError: a path is not there.
    """
    if isinstance(readable, (str, os.PathLike)):
        raise TypeError(f'readable must be a sequence of paths, not the one path {readable!r}.')
    paths = [os.path.abspath(os.path.expanduser(path)) for path in readable]
    for path in paths:
        if not os.path.exists(path) or path == '/':
            raise ValueError(
                f'readable must name folders or files to show, and {path} is {"all" if path == "/" else "not there"}.'
            )
    return tuple(paths)
