"""One call in a workspace that has the skill's files, or gets them when the call finds that it has not."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import anyio
import anyio.to_thread
from pydantic_ai.workspaces import CommandResult, LocalWorkspaceBackend, Workspace, WorkspaceError

from .environment import host_locale
from .outputs import OutputFiles, outputs_in_tar
from .place import WITH_ENVIRONMENT, Place
from .staging import remove

_NOT_STAGED = 115  # an exit code that says so only together with a word that is new each time
_FETCH_SECONDS = 60.0
_CLEAN_SECONDS = 10.0

_PUBLIC: Mapping[str, str] = {'PYTHONIOENCODING': 'utf-8'}  # may stand on a command line


def is_this_host(workspace: Workspace) -> bool:
    """Whether commands run here, as plain processes: then variables are passed like any process's."""
    return type(workspace) is Workspace and type(workspace.backend) is LocalWorkspaceBackend


@dataclass(frozen=True, kw_only=True)
class StagedPlace(Place):
    """A workspace that has the skill's files, or gets them when a run finds that it has not."""

    root: str
    run_folder: str
    """A folder for this one run, for its input and outputs, and gone with it."""

    variables: Mapping[str, str | None]
    input: bytes | None
    collect: bool
    restage: Callable[[], Awaitable[None]]
    """Puts the skill's files into the workspace."""

    async def run(self, command: list[str], timeout: float | None) -> CommandResult:
        """See `Place`. One command where the files are there, nothing is sent, and nothing is fetched."""
        own = {'SKILL_DIR': self.root, 'CLAUDE_SKILL_DIR': self.root, 'SKILL_OUTPUT_DIR': f'{self.run_folder}/out'}
        here = is_this_host(self.workspace)
        given = {**host_locale(), **self.variables, **own} if here else {}
        environment = {name: value for name, value in given.items() if value is not None}
        missing = secrets.token_hex(16)
        wrapped = self._wrapped(command, missing, {} if here else own)
        try:
            await self._send(here)
            result = await self.workspace.run(wrapped, env=environment or None, timeout=timeout)
            if result.exit_code == _NOT_STAGED and missing in result.stderr:
                await self.restage()
                await self._send(here)
                result = await self.workspace.run(wrapped, env=environment or None, timeout=timeout)
        except BaseException:  # the command that tidies up was stopped too
            with anyio.move_on_after(_CLEAN_SECONDS, shield=True):
                await remove(self.workspace, self.run_folder)
            raise
        return result

    async def _send(self, here: bool) -> None:
        if self.input is not None:
            await self.workspace.write_bytes(f'{self.run_folder}/stdin', self.input)
        if not here and any(name not in _PUBLIC for name in self.variables):
            lines = ['rm -f -- "$2/env"\n']  # a shell that has opened a file reads on when it is gone
            lines += [
                f'unset -v {name}\n' if value is None else f'{name}={shlex.quote(value)}; export {name}\n'
                for name, value in self.variables.items()
            ]
            await self.workspace.write_bytes(f'{self.run_folder}/env', ''.join(lines).encode())

    def _wrapped(self, command: list[str], missing: str, public: Mapping[str, str]) -> list[str]:
        parameters = [self.script, self.run_folder, self.directory or '.']
        inner = [
            'cd -- "$3" || exit 126',
            'if [ -f "$2/env" ]; then . "$2/env"; fi',
        ]
        if unset := [name for name, value in self.variables.items() if value is None]:
            inner.append(f'unset -v {" ".join(unset)}')
        if self.input is not None:
            inner.append('exec <"$2/stdin" || exit 126')
        inner.append('shift 3')
        if self.prepared.python is not None:
            inner += [WITH_ENVIRONMENT, 'shift']
            parameters.append(self.prepared.python.rpartition('/bin/')[0])
        steps = [
            f'[ -f "$1" ] || {{ echo {missing} >&2; exit {_NOT_STAGED}; }}',
            'mkdir -p -- "$2/out" || exit 126',
            *(f'{name}={shlex.quote(value)}; export {name}' for name, value in {**_PUBLIC, **public}.items()),
            *('(', *inner, 'exec "$@"', ')', 'code=$?'),
            self._ending(),
        ]
        return ['sh', '-c', '\n'.join(steps), 'sh', *parameters, *command]

    def _ending(self) -> str:
        if not self.collect:
            return 'rm -rf -- "$2"; exit $code'
        # A folder that nothing was left in goes at once, and then nothing is fetched.
        return 'rm -f -- "$2/stdin"; rmdir -- "$2/out" "$2" 2>/dev/null; exit $code'

    async def outputs(self) -> OutputFiles:
        """See `Place`."""
        if not await self.workspace.exists(self.run_folder):
            return OutputFiles()
        try:
            archive = f'{self.run_folder}/outputs.tar'
            packed = await self.workspace.run(
                ['sh', '-c', 'tar -C "$1/out" -cf - . | head -c 33554432 > "$2"', 'sh', self.run_folder, archive],
                timeout=_FETCH_SECONDS,
            )
            if packed.exit_code != 0:
                return OutputFiles(problem=f'they could not be fetched ({packed.stderr.strip()})')
            data = await self.workspace.read_bytes(archive)
            return await anyio.to_thread.run_sync(outputs_in_tar, data)
        except (WorkspaceError, OSError) as error:
            return OutputFiles(problem=f'they could not be fetched ({error})')
        finally:
            with anyio.move_on_after(_CLEAN_SECONDS, shield=True):
                await remove(self.workspace, self.run_folder)
