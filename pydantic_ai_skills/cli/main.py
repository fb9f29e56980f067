"""Where the command `pydantic-ai-skills` begins: it says what to install where the extra is missing."""

from __future__ import annotations

import gc
import io
import sys
from importlib.util import find_spec

_OF_THE_EXTRA = ('typer', 'rich', 'markdown_it')


def main() -> None:
    """Run the command line and exit."""
    # Objects of modules are never garbage, and a command is soon over: 0.1 s of a start of 1.2 s (measured).
    gc.set_threshold(50_000, 20, 100)
    for name in _OF_THE_EXTRA:  # most are imported only by the commands that need them
        if not _is_there(name):
            sys.stderr.write(
                f"The command line needs {name}, which is not installed: pip install 'pydantic-ai-skills[cli]'.\n"
            )
            sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a name is no reason to fail
            stream.reconfigure(errors='replace')
    try:
        from .app import app

        app(prog_name='pydantic-ai-skills')
    except KeyboardInterrupt:  # while it was still being imported
        sys.exit(130)
    except OSError as error:  # while it wrote its help
        if '--debug' in sys.argv:
            raise
        sys.stderr.write(f'Error: {error.strerror}\n')
        sys.exit(1)
    finally:
        _let_go_of_output()


def _let_go_of_output() -> None:
    """Where a disk is full the command has said so; the interpreter would say it again as it ends, with a traceback."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):  # it may be closed, or none at all
        sys.stdout = None


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
