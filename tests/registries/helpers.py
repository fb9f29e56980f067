"""What the registry tests share."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def write_skill(folder: Path, name: str | None = None, description: str = 'Does it.', **files: str) -> Path:
    """Make a package; `notes__md='x'` is a file `notes.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'SKILL.md').write_text(f'---\nname: {name or folder.name}\ndescription: {description}\n---\n\nDo it.\n')
    for file, text in files.items():
        (folder / file.replace('__', '.')).write_text(text)
    return folder


def names_in(library: Path) -> list[str]:
    return sorted(child.name for child in library.iterdir() if (child / 'SKILL.md').is_file())


def files_in(library: Path) -> list[str]:
    return sorted(path.relative_to(library).as_posix() for path in library.rglob('*') if not path.is_dir())


@contextmanager
def said() -> Iterator[list[str]]:
    """The warnings given in the block."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield texts
    texts += [str(item.message) for item in caught]


def in_child(function: Callable[[], object]) -> int:
    """Run a function in a forked process; its exit status, negative for a signal.

    A new interpreter would take a second to import the package, and is needed only where that matters.
    """
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            warnings.simplefilter('ignore')
            function()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
