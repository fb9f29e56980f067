from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache of its own, and none of the user's credentials."""
    cache = tmp_path_factory.mktemp('cache')
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(cache))
    for name in ('GITHUB_TOKEN', 'GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_SSH', 'GIT_SSH_COMMAND'):
        monkeypatch.delenv(name, raising=False)
    return cache
