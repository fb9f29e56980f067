"""What these tests have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support import make_library, skill_text
from .helpers import WRITES, forget


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': WRITES}
    return make_library(tmp_path / 'library', {**files, 'demo/scripts/safe.py': 'print("safe ran")'})


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """Each test is a process that has shown nothing yet."""
    forget()
