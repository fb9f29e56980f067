"""Where the command `pydantic-ai-skills` begins: it says what to install where the extra is missing."""

from __future__ import annotations

import sys

_OF_THE_EXTRA = frozenset(['typer', 'rich', 'markdown_it'])


def main() -> None:
    """Run the command line and exit."""
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] not in _OF_THE_EXTRA:
            raise
        sys.stderr.write(
            f"The command line needs {error.name}, which is not installed: pip install 'pydantic-ai-skills[cli]'.\n"
        )
        sys.exit(2)
    app(prog_name='pydantic-ai-skills')
