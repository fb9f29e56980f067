"""The beginning of a script's file, read once before each run: what it is run by is written there."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ..files import UnsafeFileError, open_inside
from ..members import SkillScript
from .errors import CannotRunError

HEAD_BYTES = 256 * 1024
"""How much of a script is looked at; the largest published Python script is smaller."""


@dataclass(frozen=True)
class ScriptSource:
    """A script's beginning and whether it may be executed."""

    head: bytes
    executable: bool

    @property
    def is_binary(self) -> bool:
        """Whether it is a program for the machine, not a text."""
        return b'\0' in self.head[:1024]


def read_source(name: str, root: Path, path: Path) -> ScriptSource:
    """Open a script's file and read its beginning.

    Raises:
        CannotRunError: it is gone, no regular file, or leads out of `root`.
    """
    try:
        descriptor = open_inside(root, path)
    except UnsafeFileError as error:
        raise CannotRunError(f'{name} was not run: it is no longer a regular file of its skill.') from error
    except FileNotFoundError as error:
        raise CannotRunError(f'{name} was not run: its file is gone.') from error
    except OSError as error:
        raise CannotRunError(f'{name} was not run: its file cannot be read ({error.strerror}).') from error
    with open(descriptor, 'rb') as file:
        return ScriptSource(file.read(HEAD_BYTES), bool(os.fstat(descriptor).st_mode & stat.S_IXUSR))


@dataclass(frozen=True)
class ScriptFile:
    """A script as a file: its skill's folder, where it lies in it, and what its path may not leave."""

    directory: Path
    path: Path
    root: Path


def script_file(script: SkillScript) -> ScriptFile:
    """The file of a script, by the path that its skill's instructions use where that leads to it.

    Raises:
        ValueError: the script has no file, as one that is a Python function.
    """
    if script.uri is None:
        raise ValueError(f'The script {script.name!r} has no file to run; a function is called by the script itself.')
    path = Path(script.uri)
    directory = script.skill_directory or path.parent
    named = directory / script.name
    if named != path and os.path.realpath(named) == os.path.realpath(path):
        path = named
    return ScriptFile(directory, path, script.root or Path(os.path.realpath(directory)))
