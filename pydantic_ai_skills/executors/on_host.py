"""Making a script's files ready on this machine, for the executors that run it here."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..copies import PackageChangedError, package_copy, write_exact_copy
from ..members import SkillScript
from .errors import CannotRunError
from .place import ScriptCall
from .scratch import Scratch
from .source import ScriptFile, ScriptSource, read_source


@dataclass(frozen=True)
class Ready:
    """A script's file as it is run, and its beginning."""

    file: ScriptFile
    source: ScriptSource


def ready_on_host(call: ScriptCall, scratch: Scratch) -> Ready:
    """Whatever touches the disk before a run, in one visit to a thread: standard input, copies, the script's file.

    A registry's script gets the copy of its package, an approved one a fresh copy with the digest that was
    approved, any other runs where it lies.

    Raises:
        CannotRunError: the file is gone, or is not what it was; the message says which.
        OSError: there is no room.
    """
    if call.stdin is not None:
        scratch.stdin.write_bytes(call.stdin)
    script, file = call.script, call.file
    boundary = file.root if file.root != file.directory else None
    with package_faults(script):
        if script.approved_digest is not None:
            folder = scratch.path / 'exact'
            folder.mkdir()
            file = in_copy(script, file, write_exact_copy(file.directory, folder, boundary, script.approved_digest))
        elif script.from_registry:
            file = in_copy(script, file, package_copy(file.directory, boundary))
    return Ready(file, read_source(script.name, file.root, file.path))


@contextmanager
def package_faults(script: SkillScript) -> Generator[None]:
    """Answer what can be wrong with the files of the script's package."""
    try:
        yield
    except PackageChangedError as error:
        raise CannotRunError(f'{script.name} was not run: the files of its skill have changed.') from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotRunError(
            f'{script.name} was not run: the files of its skill cannot be copied ({reason}).'
        ) from error


def in_copy(script: SkillScript, file: ScriptFile, copy: Path) -> ScriptFile:
    """The same file in a copy of its package."""
    return ScriptFile(copy, copy / relative_name(script, file), copy)


def relative_name(script: SkillScript, file: ScriptFile) -> str:
    """The path of the file below its skill's folder, as the index names it."""
    name = os.path.relpath(file.path, file.directory)
    return script.name if name.startswith('..') else name
