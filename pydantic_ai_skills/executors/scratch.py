"""The scratch folder of one run, on this machine: what goes to the script's standard input, and what it leaves."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

import anyio.to_thread


class Scratch:
    """A private temporary folder that is gone when the run is over, however it ends and whatever was put in it.

    Made and removed on the event loop where it is a matter of microseconds: a thread that is cancelled halfway
    would leave it behind.
    """

    def __init__(self) -> None:
        """Nothing is made before it is entered."""
        self.path = Path()

    @property
    def outputs(self) -> Path:
        """Where the script may leave files: its `SKILL_OUTPUT_DIR`."""
        return self.path / 'out'

    @property
    def stdin(self) -> Path:
        """Where its standard input is read from."""
        return self.path / 'stdin'

    async def __aenter__(self) -> Scratch:
        """Make the folder; `OSError` if the temporary directory has no room."""
        self.path = Path(os.path.realpath(tempfile.mkdtemp(prefix='skill-run-')))
        try:
            self.outputs.mkdir()
        except BaseException:
            self._remove_quickly()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Remove the folder and all in it."""
        if self._remove_quickly():
            return
        try:
            await anyio.to_thread.run_sync(remove_tree, self.path)
        except BaseException:  # cancelled again: what the script left must go all the same
            remove_tree(self.path)
            raise

    def _remove_quickly(self) -> bool:
        try:
            self.stdin.unlink(missing_ok=True)
            os.rmdir(self.outputs)
            os.rmdir(self.path)
        except OSError:
            return not self.path.exists()
        return True


def remove_tree(path: Path) -> None:
    """Remove a folder that a script has had its hands on: without permissions, or thousands of levels deep."""
    try:
        if path.is_symlink():  # swapped for a link: what it leads to is not ours
            path.unlink()
        else:
            shutil.rmtree(path)
    except FileNotFoundError:
        pass
    except (OSError, RecursionError):
        for command in (['chmod', '-R', 'u+rwx', '--'], ['rm', '-rf', '--']):
            subprocess.run([*command, os.fspath(path)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
