from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..support import make_library, need_dbos, skill_text

COUNTS = """import pathlib, sys
with pathlib.Path(__file__).with_name('count').open('a') as file:
    file.write('run\\n')
print('it ran', sys.argv[1:])
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A skill whose script counts how often it has run."""
    return make_library(
        tmp_path / 'library', {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': COUNTS}
    )


@pytest.fixture
def dbos(tmp_path: Path) -> Iterator[Any]:
    """DBOS on SQLite, in this process."""
    need_dbos()
    from dbos import DBOS

    DBOS(
        config={'name': 'skills', 'system_database_url': f'sqlite:///{tmp_path}/dbos.sqlite', 'run_admin_server': False}
    )
    yield DBOS
    DBOS.destroy()


def count(library: Path) -> int:
    """How often the script has run."""
    path = library / 'demo/scripts/count'
    return len(path.read_text().splitlines()) if path.exists() else 0
