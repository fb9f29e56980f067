"""Dependencies of sandboxed scripts, prepared in a sandbox too: what to install is the script's word, not ours.

Each block of metadata has a store of its own in the cache, so that no skill's packages can reach another's. The
network is on for this step, but no code runs that was downloaded: only wheels are installed (`--no-build`),
no Python is fetched, and of the block only the dependencies and the Python version count, since its `tool` tables
could send the credentials of the user's index elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace
from pydantic_ai_harness.bubblewrap_sandbox import BubblewrapWorkspace

from ..cache import mark_used, remove_unused, writable_folder
from .inline import InlineMetadata, host_settings, prepare
from .sandbox_mounts import EMPTY_ROOT, is_system, read_only, sealed, system_mounts

_ROOM = 64 * 2**20  # temporary files beside the store


async def prepare_in_sandbox(
    name: str,
    metadata: InlineMetadata,
    uv: str,
    python: str | None,
    variables: Mapping[str, Any],
    shown: Sequence[str],
) -> str:
    """Prepare the environment that `metadata` asks for and return its Python; kept in the cache.

    Args:
        name: What the model calls the script, for messages.
        metadata: Its block.
        uv: The program.
        python: The Python to make it of; `None` for one that `uv` finds among those that are shown.
        variables: The script's variables, of which the settings of `uv` count.
        shown: Folders that sandboxes show beside the system's.

    Raises:
        CannotRunError: it failed or took too long.
        OSError: the cache cannot be written to.
    """
    block = _bare_block(metadata)
    key = hashlib.sha256(f'{block}\0{python}'.encode()).hexdigest()
    store = await anyio.to_thread.run_sync(_store, key)
    ready = store / 'python'
    if ready.is_file() and os.path.exists(known := ready.read_text()):
        mark_used(store)
        return known
    script = store / 'script.py'
    script.write_text(block)
    settings = host_settings(variables)
    workspace = _sandbox(store, uv, settings, shown)
    found = await prepare(name, workspace, uv, str(script), python, '--no-build')
    beside = store / f'python-{os.getpid()}'
    beside.write_text(found)
    os.replace(beside, ready)
    return found


def _bare_block(metadata: InlineMetadata) -> str:
    lines = [f'{key} = {json.dumps(value)}' for key, value in sorted(metadata.wanted.items())]
    return '\n'.join(['# /// script', *(f'# {line}' for line in lines), '# ///', ''])


def _store(key: str) -> Path:
    folder = writable_folder('environments')
    remove_unused(folder)
    (folder / key).mkdir(mode=0o700, exist_ok=True)
    return folder / key


def _sandbox(store: Path, uv: str, settings: Mapping[str, str], shown: Sequence[str]) -> Workspace:
    home = str(store / 'home')
    os.makedirs(home, exist_ok=True)
    configuration = Path(os.environ.get('XDG_CONFIG_HOME') or '~/.config').expanduser() / 'uv' / 'uv.toml'
    own = {'UV_CACHE_DIR': str(store / 'cache'), 'UV_PYTHON_DOWNLOADS': 'never', 'UV_LINK_MODE': 'copy'}
    if configuration.is_file() and 'UV_CONFIG_FILE' not in settings:
        own['UV_CONFIG_FILE'] = str(configuration)
    paths = [*shown, *_local_paths({**settings, **own}.values())]
    if not is_system(os.path.realpath(uv)):
        paths.append(os.path.realpath(uv))
        paths.append(uv)
    return BubblewrapWorkspace(
        Workspace(LocalWorkspaceBackend(store, env={**settings, **own})),
        network=True,
        bwrap_args=[
            *EMPTY_ROOT,
            *('--size', str(_ROOM), '--tmpfs', '/tmp'),
            *system_mounts(True),
            *read_only(path for path in dict.fromkeys(paths) if os.path.exists(path)),
            *('--bind', str(store), str(store), '--setenv', 'HOME', home),
            *sealed(),
        ],
    )


def _local_paths(values: Iterable[str]) -> list[str]:
    """Paths of this machine in settings, such as a folder of wheels or a configuration file."""
    paths: list[str] = []
    for value in values:
        for word in value.replace(',', ' ').split():
            path = url2pathname(urlsplit(word).path) if word.startswith('file://') else word
            if os.path.isabs(path):
                paths.append(path)
    return paths
