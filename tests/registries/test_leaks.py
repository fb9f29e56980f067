"""Some of `leak_trials`, whose `main` tries all."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import leak_trials
from .leaks import PLAIN, Place


@pytest.mark.parametrize(
    ('credential', 'failure', 'operation', 'before'),
    [
        ('token', 'none', 'view', True),
        ('odd token', 'refused with an echo', 'capability', False),
        ('url user:token', 'cut', 'sync', True),
        ('url token', 'other credentials wanted', 'questions', True),
        ('header', 'broken with an echo', 'sync', False),
        ('variable', 'not found with an echo', 'sync', True),
        ('GITHUB_TOKEN', 'redirect', 'sync', False),
        ('url token:x', 'no git', 'sync', False),
        ('s3', 'refused with an echo', 'capability', False),
    ],
)
def test_no_secret_is_left_anywhere(credential: str, failure: str, operation: str, before: bool):
    assert leak_trials.try_one(credential, failure, operation, before) == []


def test_a_leak_would_be_found(monkeypatch: pytest.MonkeyPatch):
    def as_reference(place: Place, url: str) -> leak_trials.SkillRegistry:
        return leak_trials.GitSkillsRegistry(url, ref=PLAIN, target_dir=place.store)

    def as_file(place: Place, url: str) -> leak_trials.SkillRegistry:
        Path(place.root, 'tmp/left').write_text(PLAIN)
        return leak_trials.GitSkillsRegistry(url, target_dir=place.store)

    monkeypatch.setitem(leak_trials.CREDENTIALS, 'token', as_reference)
    found = leak_trials.try_one('token', 'none', 'sync', False)
    assert any("'ls-remote'" in place for place in found) and any('no branch or tag' in place for place in found)
    monkeypatch.setitem(leak_trials.CREDENTIALS, 'token', as_file)
    assert leak_trials.try_one('token', 'none', 'sync', False) == ['in tmp/left']
