"""Finding the programs that scripts need, in the place where they run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import Protocol

from pydantic_ai.workspaces import Workspace, WorkspaceError

_PROBE_SECONDS = 30.0

_INSTALL: Mapping[str, str] = {
    'bash': 'apt install bash',
    'bun': 'see https://bun.sh',
    'deno': 'see https://deno.com',
    'fish': 'apt install fish, or brew install fish',
    'node': 'apt install nodejs, or brew install node',
    'perl': 'apt install perl',
    'pwsh': 'see https://aka.ms/install-powershell',
    'python': 'apt install python3',
    'python3': 'apt install python3',
    'ruby': 'apt install ruby, or brew install ruby',
    'uv': 'pip install uv',
    'zsh': 'apt install zsh',
}


def install_hint(program: str) -> str | None:
    """What would install a program, in a few words; `None` for one that we do not know."""
    return _INSTALL.get(program)


class Programs(Protocol):
    """Looks for programs in one place."""

    async def find(self, program: str) -> str | None:
        """The absolute path of a program, by name on the path or by its own path; `None` if it is not there."""
        ...

    async def version(self, program: str) -> str:
        """What `program --version` says; empty if it fails."""
        ...


_versions: dict[tuple[str, int], str] = {}


class HostPrograms:
    """The programs of this machine."""

    def __init__(self, workspace: Workspace, path: str | None) -> None:
        """Look on `path`, as scripts are given it, and ask for versions through `workspace`."""
        self._workspace = workspace
        self._path = path

    async def find(self, program: str) -> str | None:
        """See `Programs`."""
        found = shutil.which(os.path.expanduser(program), path=self._path)
        return None if found is None else os.path.abspath(found)

    async def version(self, program: str) -> str:
        """See `Programs`; asked once per program and process."""
        key = (program, os.stat(program).st_mtime_ns)
        if key not in _versions:
            _versions[key] = await version_of(self._workspace, program)
        return _versions[key]


async def version_of(workspace: Workspace, program: str) -> str:
    """What `program --version` says in a workspace; empty if it fails."""
    try:
        result = await workspace.run([program, '--version'], timeout=_PROBE_SECONDS)
    except (WorkspaceError, OSError):
        return ''
    return result.stdout.strip() if result.exit_code == 0 else ''


class WorkspacePrograms:
    """The programs of a workspace, asked for through its shell; what was found is not asked for again."""

    def __init__(self, workspace: Workspace, found: dict[str, str] | None = None) -> None:
        """Ask `workspace`, and remember in `found`."""
        self._workspace = workspace
        self.found: dict[str, str] = {} if found is None else found

    async def find(self, program: str) -> str | None:
        """See `Programs`; a program that is missing is looked for again next time, for it may be installed then."""
        if program not in self.found:
            command = ['sh', '-c', 'command -v -- "$1"', 'sh', program]
            result = await self._workspace.run(command, timeout=_PROBE_SECONDS)
            path = result.stdout.strip()
            if result.exit_code != 0 or not path.startswith('/'):
                return None
            self.found[program] = path
        return self.found[program]

    async def version(self, program: str) -> str:
        """See `Programs`."""
        key = f'{program} --version'
        if key not in self.found:
            self.found[key] = await version_of(self._workspace, program)
        return self.found[key]
