"""Python scripts that import what lies in their skill's root, as `from scripts.utils import x` does.

They are written to be run as `python -m scripts.x` from there (40 published skills), and Python finds for a script that
is run as a file only what lies beside it.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_IMPORT = re.compile(rb'^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+([^\n#;]+))', re.MULTILINE)
_NAME = re.compile(rb'[A-Za-z_]\w*')
_WITH_ROOT = 'PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$SKILL_DIR" && export PYTHONPATH && exec "$@"'


def imports_from_root(source: bytes, name: str, directory: Path) -> bool:
    """Whether a script below its skill's root imports a module that is there, and neither beside it nor Python's own.

    Args:
        source: The script's beginning.
        name: Its skill-relative path.
        directory: The skill's folder.
    """
    folder = os.path.dirname(name)
    if not folder:
        return False
    modules = _imported(source) - sys.stdlib_module_names
    return any(_has(directory, module) and not _has(directory / folder, module) for module in modules)


def _imported(source: bytes) -> set[str]:
    parts = (part.strip() for found in _IMPORT.findall(source) for words in found for part in words.split(b','))
    return {name[0].decode() for part in parts if (name := _NAME.match(part)) is not None}


def with_root_modules(command: list[str]) -> list[str]:
    """The command with the skill's root, which is `$SKILL_DIR` wherever it runs, last on Python's own path."""
    return ['sh', '-c', _WITH_ROOT, 'sh', *command]


def _has(folder: Path, module: str) -> bool:
    return os.path.isdir(folder / module) or os.path.isfile(folder / f'{module}.py')
