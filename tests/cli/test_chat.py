"""`chat`: what is refused before the conversation begins; the loop itself is tried in test_terminal.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from ..registries.helpers import write_skill
from ..support import Seen, make_library, scripted, skill_text
from .conftest import Cli


def test_models_that_cannot_be_used_are_wrong_use(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    for name in ('nosuch:model', 'gpt'):
        done = cli('chat', 'lib', '--model', name)
        assert done.code == 2 and f'The model {name!r} cannot be used' in done.err
    assert cli('chat', 'lib').code == 2  # no key


def test_no_skill_is_wrong_use(work: Path, cli: Cli) -> None:
    (work / 'empty').mkdir()
    done = cli('chat', 'empty', '--model', 'test')
    assert done.code == 2 and 'There is no skill in empty.' in done.err


def test_of_two_skills_with_one_name_the_first_sources_is_used(
    work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ('first', 'second'):
        make_library(work / folder, {'demo/SKILL.md': skill_text('demo', f'The {folder}.')})
    agents: list[Agent[Any, Any]] = []
    monkeypatch.setattr(Agent, 'to_cli_sync', lambda self, **options: agents.append(self))
    done = cli('chat', 'first', 'second', '--model', 'test', '--instructions', 'Be brief.')
    assert done.code == 0 and '1 skill: demo.' in done.err
    assert 'second/demo is replaced by the one of' in done.err and 'warn' not in done.err.lower()
    seen = Seen()
    agents[0].run_sync('go', model=scripted([], seen))
    assert 'The first.' in seen.catalogs[0] and 'The second.' not in seen.catalogs[0]
    assert 'Be brief.' in seen.catalogs[0]
