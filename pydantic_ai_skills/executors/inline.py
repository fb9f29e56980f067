"""Dependencies that a Python script declares in itself (PEP 723), prepared by `uv` before it runs.

Preparing is a step of its own with a time limit of its own, so that the first run of a script is not stopped while
packages are downloaded. The script is then run by the Python of the prepared environment, which is what
`uv run --script` does, without asking `uv` each time (measured: 45 ms) and without a network.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError, WorkspaceTimeoutError

from ..cache import writable_folder
from .errors import CannotRunError
from .output import cut_middle, seconds_text
from .programs import Programs

PREPARE_SECONDS = 300.0
"""How long preparing may take: downloads of large packages over a slow line (contract, issue of the executors)."""

_BEGIN, _END = '# /// script', '# ///'
_SHOWN_CHARACTERS = 3_000
_HOST_VARIABLES = re.compile(r'UV_\w+|\w*_proxy|\w*_PROXY|SSL_CERT_\w+|XDG_\w+|NETRC')


@dataclass(frozen=True)
class InlineMetadata:
    """What a script declares."""

    block: str
    """The block as it stands in the script, with its comment signs."""

    wanted: Mapping[str, Any]
    """The packages and the version of Python that it asks for: `dependencies`, `requires-python`."""

    is_local: bool
    """Whether it names sources by their path, which holds only from where the script lies."""


def inline_metadata(head: bytes) -> InlineMetadata | None:
    """The metadata block of a script; `None` where there is none, or more than one, or it is no TOML."""
    import tomllib  # few scripts have any

    lines = head.decode(errors='replace').replace('\r\n', '\n').split('\n')
    blocks = _blocks(lines)
    if len(blocks) != 1:
        return None
    block = lines[blocks[0][0] : blocks[0][1] + 1]
    try:
        fields = tomllib.loads('\n'.join(line[2:] for line in block[1:-1]))
    except tomllib.TOMLDecodeError:
        return None
    wanted = {key: fields[key] for key in ('dependencies', 'requires-python') if fields.get(key)}
    return InlineMetadata('\n'.join([*block, '']), wanted, _names_paths(fields.get('tool', {})))


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """First and last lines of each block, as PEP 723's expression finds them, but in one pass over hostile input too."""
    blocks: list[tuple[int, int]] = []
    number = 0
    while number < len(lines):
        if lines[number] != _BEGIN:
            number += 1
            continue
        end, last = number + 1, None
        while end < len(lines) and (lines[end] == '#' or lines[end].startswith('# ')):
            if lines[end] == _END and end > number + 1:
                last = end
            end += 1
        if last is not None:
            blocks.append((number, last))
        number = end
    return blocks


def _names_paths(value: object) -> bool:
    if isinstance(value, Mapping):
        fields = cast('Mapping[str, object]', value)
        return 'path' in fields or any(_names_paths(inner) for inner in fields.values())
    return isinstance(value, list) and any(_names_paths(inner) for inner in cast('list[object]', value))


async def find_uv(programs: Programs) -> str | None:
    """The `uv` program: on the path, or beside the agent's Python where `pip install uv` puts it."""
    return await programs.find('uv') or await programs.find(os.path.join(os.path.dirname(sys.executable), 'uv'))


async def prepare(
    name: str, workspace: Workspace, uv: str, script: str, python: str | None = None, *options: str
) -> str:
    """Prepare the environment of `script` in a workspace and return its Python's path there.

    Args:
        name: What the model calls the script, for messages.
        workspace: Where it is prepared.
        uv: The program.
        script: A file with the metadata block.
        python: The Python that the environment must be made of; `None` leaves that to `uv`.
        options: More options of `uv sync`.

    Raises:
        CannotRunError: it failed or took too long; the message holds what `uv` said.
    """
    chosen = [] if python is None else ['--python', python]
    sync = [uv, 'sync', '--no-progress', '--script', script, *chosen, *options]
    await _step(name, workspace, sync)
    found = await _step(name, workspace, [uv, 'python', 'find', '--script', script])
    return found.strip()


async def _step(name: str, workspace: Workspace, command: list[str]) -> str:
    try:
        result = await workspace.run(command, timeout=PREPARE_SECONDS)
    except WorkspaceTimeoutError as error:
        raise CannotRunError(
            f'{name} was not run: preparing its dependencies took longer than {seconds_text(PREPARE_SECONDS)}.\n'
            f'{cut_middle(error.stderr.strip(), _SHOWN_CHARACTERS)}'
        ) from error
    except WorkspaceError as error:
        raise CannotRunError(f'{name} was not run: its dependencies could not be prepared: {error}') from error
    if result.exit_code != 0:
        said = cut_middle((result.stderr or result.stdout).strip(), _SHOWN_CHARACTERS)
        raise CannotRunError(
            f'{name} was not run: preparing its dependencies (uv sync --script) failed with exit code '
            f'{result.exit_code}.\n{said}'
        )
    return result.stdout


_prepared: dict[tuple[str, str, str | None], str] = {}


async def prepare_on_host(
    name: str, metadata: InlineMetadata, uv: str, script: Path, python: str | None, variables: Mapping[str, Any]
) -> str:
    """Prepare an environment on this machine, in the cache of the user's `uv`, with the user's settings for it.

    One for all scripts with the same block, wherever they lie; asked of `uv` once per process.
    """
    held = metadata.is_local or os.path.exists(f'{script}.lock')
    file = str(script) if held else await anyio.to_thread.run_sync(_file_of_block, metadata.block)
    key = (file, metadata.block, python)
    known = _prepared.get(key)
    if known is None or not os.path.exists(known):
        workspace = Workspace(LocalWorkspaceBackend(os.path.dirname(file), env=host_settings(variables)))
        known = _prepared[key] = await prepare(name, workspace, uv, file, python)
    return known


def host_settings(variables: Mapping[str, Any]) -> dict[str, str]:
    """The host's and the executor's variables that are settings of `uv`: indexes, proxies, certificates."""
    settings = {key: value for key, value in os.environ.items() if _HOST_VARIABLES.fullmatch(key)}
    return settings | {key: value for key, value in variables.items() if key.startswith('UV_') and value is not None}


def _file_of_block(block: str) -> str:
    folder = writable_folder('inline') / hashlib.sha256(block.encode()).hexdigest()[:32]
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / 'script.py'
    if not file.is_file() or file.read_text() != block:
        beside = folder / f'new-{os.getpid()}'
        beside.write_text(block)
        os.replace(beside, file)
    return str(file)
