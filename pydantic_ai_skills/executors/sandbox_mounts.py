"""What of this machine a sandboxed script can see: the system's programs, the interpreters, and nothing else.

An allowlist, as arguments of `bwrap`: an empty root, and in it only what a line here names. Users' homes, `/etc`
but for certificates and the like, `/run`, `/opt`, `/srv`, `/usr/src` and everything nobody thought of stay out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from pydantic_ai.workspaces import Workspace

from ..files import is_inside
from .programs import HostPrograms

_SYSTEM_ROOTS = ('/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32')
_SYSTEM_PARTS = ('bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include')
_SYSTEM_FOLDERS = (*(f'{base}/{part}' for base in ('/usr', '/usr/local') for part in _SYSTEM_PARTS), '/nix/store')
_ETC = (
    'alternatives', 'ca-certificates', 'fonts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'magic',
    'mime.types', 'pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'ssl/certs', 'ssl/openssl.cnf', 'ssl/cert.pem',
)  # fmt: skip
_ETC_NETWORK = ('gai.conf', 'hosts', 'nsswitch.conf', 'protocols', 'resolv.conf', 'services')
_PREFIX_PARTS = ('bin', 'lib', 'lib64', 'libexec', 'include', 'share', 'ssl', 'pyvenv.cfg')

SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
"""Where a sandboxed script looks for programs, after the folder of its Python."""


EMPTY_ROOT = ('--unshare-pid', '--tmpfs', '/', '--proc', '/proc', '--dev', '/dev')
"""A root with nothing in it but processes and devices of its own."""


def sealed() -> list[str]:
    """Arguments for the end: what is not meant for writing is read-only, and no further namespace can be made.

    `/proc` too, or a script of an agent that runs as root could set the host's `kernel.core_pattern` (tried).
    """
    arguments = [word for path in ('/', '/dev', '/proc') for word in ('--remount-ro', path)]
    return [*arguments, '--disable-userns'] if _can_disable_namespaces() else arguments


@lru_cache(maxsize=1)
def _can_disable_namespaces() -> bool:
    """Whether this `bwrap` has the option, which came with 0.8."""
    said = subprocess.run(['bwrap', '--help'], stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True)
    return '--disable-userns' in said.stdout + said.stderr


@lru_cache(maxsize=2)
def system_mounts(network: bool) -> tuple[str, ...]:
    """The system's programs and libraries, and what they need in `/etc`."""
    arguments: list[str] = []
    for folder in _SYSTEM_FOLDERS:
        if os.path.isdir(folder):
            arguments += ['--ro-bind', folder, folder]
    for root in _SYSTEM_ROOTS:
        if os.path.islink(root):
            arguments += ['--symlink', os.readlink(root), root]
        elif os.path.isdir(root):
            arguments += ['--ro-bind', root, root]
    for name in (*_ETC, *(_ETC_NETWORK if network else ())):
        path = f'/etc/{name}'
        if os.path.exists(path):
            arguments += ['--ro-bind', os.path.realpath(path), path]
    return tuple(arguments)


def read_only(paths: Iterable[str]) -> list[str]:
    """Arguments that show these paths, read-only, where they are."""
    return [argument for path in paths for argument in ('--ro-bind', path, path)]


def is_system(path: str) -> bool:
    """Whether the path is shown in every sandbox."""
    return any(is_inside(path, folder) for folder in (*_SYSTEM_FOLDERS, *_SYSTEM_ROOTS))


@lru_cache(maxsize=32)
def python_folders(executable: str) -> tuple[str, ...]:
    """The folders of a Python outside the system's: of its virtual environment and of what that was made from."""
    prefixes: list[str] = []
    for python in dict.fromkeys([executable, os.path.realpath(executable)]):
        prefix = os.path.dirname(os.path.dirname(python))
        prefixes.append(prefix)
        if (home := _home_of(prefix)) is not None:
            base = os.path.dirname(home)
            prefixes += [base, os.path.realpath(base)]
    folders = [
        os.path.join(prefix, part)
        for prefix in dict.fromkeys(prefixes)
        if prefix not in ('/', '/usr', '/usr/local')
        for part in _PREFIX_PARTS
    ]
    return tuple(folder for folder in folders if os.path.exists(folder) and not is_system(folder))


def _home_of(prefix: str) -> str | None:
    """Where the Python lies that the virtual environment in `prefix` was made from."""
    try:
        lines = Path(prefix, 'pyvenv.cfg').read_text(errors='replace').splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition('=')
        if name.strip() == 'home':
            return value.strip()
    return None


class SandboxPrograms(HostPrograms):
    """The programs of this machine that a sandbox can show: the system's, and single binaries from elsewhere."""

    def __init__(self, workspace: Workspace, shown: Iterable[str]) -> None:
        """Look on the host's path and the system's; `shown` are the folders that the sandbox shows beside these."""
        super().__init__(workspace, os.environ.get('PATH'))
        self._shown = tuple(shown)
        self.extra: list[str] = []
        """Files that must be shown too, because a program was found in them."""

    async def find(self, program: str) -> str | None:
        """See `Programs`; a launcher script outside of what is shown is passed over, since its parts are not there."""
        program = os.path.expanduser(program)
        if os.path.dirname(program):
            return self._usable(program)
        for folder in dict.fromkeys([*os.environ.get('PATH', '').split(os.pathsep), *SYSTEM_PATH.split(os.pathsep)]):
            if os.path.isabs(folder) and (found := self._usable(os.path.join(folder, program))):
                return found
        return None

    def _usable(self, path: str) -> str | None:
        if (found := shutil.which(path)) is None:
            return None
        found = os.path.abspath(found)
        real = os.path.realpath(found)
        if self._is_shown(found) and self._is_shown(real):
            return found
        with open(real, 'rb') as file:
            if file.read(2) == b'#!':
                return None
        self.extra.append(real)
        return real

    def _is_shown(self, path: str) -> bool:
        return is_system(path) or any(is_inside(path, folder) for folder in self._shown)

    def mounts(self) -> list[str]:
        """Arguments that show the programs found elsewhere."""
        return read_only(dict.fromkeys(self.extra))
