"""A skill's files in a workspace: put there once per digest of the package, then used by every run."""

from __future__ import annotations

import io
import os
import posixpath
import re
import secrets
import tarfile
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread
from pydantic_ai.workspaces import Workspace

from ..digest import package_digest
from ..files import is_inside, read_inside
from ..index import walk
from .errors import CannotRunError

STAGE_DIRECTORY = '.skills'
"""The folder of a workspace that skills are put into, unless another is chosen."""

_DIGEST_CHARACTERS = 12
_STAGE_SECONDS = 120.0
_CLEAN_SECONDS = 10.0

# $1 the folder of staged skills, $2 and $3 the new folder's names before and after, $4 the skill's name.
_UNPACK = r"""
cd -- "$1" && mkdir -- "$2" && tar -xzf "$2.tar.gz" -C "$2" && rm -f -- "$2.tar.gz" || exit 1
"""
_PLACE = r"""
cd -- "$1" || exit 1
[ -e .gitignore ] || printf '*\n' > .gitignore
[ -L "$3" ] && rm -f -- "$3"
if [ -d "$3" ]; then rm -rf -- "$2"; else mv -- "$2" "$3" || exit 1; rm -rf -- "$3/$2"; fi
h='[0-9a-f][0-9a-f][0-9a-f]'
for old in "$4"-$h$h$h$h; do
  [ "$old" = "$3" ] || [ ! -e "$old" ] || rm -rf -- "$old"
done
"""


@dataclass(frozen=True)
class StagedFile:
    """A file of a package, to be written into a workspace."""

    name: str
    content: bytes
    executable: bool


async def staged_path(workspace: Workspace, stage_directory: str, name: str, digest: str) -> str:
    """Where the package with this digest lies, or would lie, in a workspace."""
    safe = re.sub(r'[^\w.-]', '-', name) or 'skill'
    return await workspace.resolve(posixpath.join(stage_directory, f'{safe}-{digest[:_DIGEST_CHARACTERS]}'))


async def stage(workspace: Workspace, path: str, directory: Path, boundary: Path | None, digest: str) -> None:
    """Put the files of a package at `path` in a workspace, and remove copies of other versions beside it.

    Everything is written aside and renamed, so that two runs that stage at once do each other no harm. What the
    default excludes shut out, such as version control and secrets, stays behind; links become the files they lead to.

    Raises:
        CannotRunError: it failed; the message says how.
        WorkspaceError, OSError: the workspace, or a file of the package, cannot be used.
    """
    files = await anyio.to_thread.run_sync(_files_of, directory, boundary, digest)
    folder, final = posixpath.split(path)
    new = f'.new-{secrets.token_hex(8)}'
    try:
        await _write(workspace, folder, new, files)
        name = final[: -_DIGEST_CHARACTERS - 1]
        placed = await workspace.run(['sh', '-c', _PLACE, 'sh', folder, new, final, name], timeout=_STAGE_SECONDS)
        if placed.exit_code != 0:
            raise CannotRunError(f'the files of its skill could not be put into the workspace: {placed.stderr.strip()}')
    except BaseException:
        with anyio.move_on_after(_CLEAN_SECONDS, shield=True):
            await remove(workspace, posixpath.join(folder, new), posixpath.join(folder, f'{new}.tar.gz'))
        raise


async def remove(workspace: Workspace, *paths: str) -> None:
    """Remove files and folders of a workspace, as far as that is possible."""
    try:
        await workspace.run(['rm', '-rf', '--', *paths], timeout=_CLEAN_SECONDS)
    except Exception:  # whatever the workspace's provider raises: there is nothing left to do
        return


async def _write(workspace: Workspace, folder: str, new: str, files: list[StagedFile]) -> None:
    archive = await anyio.to_thread.run_sync(_archive_of, files)
    await workspace.write_bytes(posixpath.join(folder, f'{new}.tar.gz'), archive)
    unpacked = await workspace.run(['sh', '-c', _UNPACK, 'sh', folder, new], timeout=_STAGE_SECONDS)
    if unpacked.exit_code == 0:
        return
    # A workspace without tar or gzip: file by file.
    await remove(workspace, posixpath.join(folder, new), posixpath.join(folder, f'{new}.tar.gz'))
    for file in files:
        await workspace.write_bytes(posixpath.join(folder, new, file.name), file.content)
    if programs := [posixpath.join(folder, new, file.name) for file in files if file.executable]:
        await workspace.run(['chmod', 'u+x', '--', *programs], timeout=_STAGE_SECONDS)


def _files_of(directory: Path, boundary: Path | None, digest: str) -> list[StagedFile]:
    root = os.path.realpath(directory if boundary is None else boundary)
    files: list[StagedFile] = []
    for file in walk(directory, boundary):
        limit = root if is_inside(file.path, root) else os.path.dirname(file.path)
        files.append(StagedFile(file.name, read_inside(limit, file.path), file.executable))
    if package_digest(directory, boundary) != digest:
        raise CannotRunError('the files of its skill are being changed')
    return files


def _archive_of(files: list[StagedFile]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w:gz', format=tarfile.GNU_FORMAT, compresslevel=6) as tar:
        for file in files:
            info = tarfile.TarInfo(file.name)
            info.size = len(file.content)
            info.mode = 0o755 if file.executable else 0o644
            tar.addfile(info, io.BytesIO(file.content))
    return packed.getvalue()
