"""What these tests have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support import make_library
from .helpers import FILES


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', FILES)
