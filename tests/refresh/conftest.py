"""What these tests have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..support import make_library, skill_text
from .helpers import Counted


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': 'print("x ran")'}
    return make_library(tmp_path / 'library', {**files, 'two/SKILL.md': skill_text('two')})


@pytest.fixture
def registry(library: Path) -> Counted:
    return Counted(library)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the time that refreshes go by."""
    now = [1_000.0]
    monkeypatch.setattr('pydantic_ai_skills.state.time.monotonic', lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait
