"""Workflows that are killed and recovered, with real processes and DBOS on SQLite (contract, section 7).

Two processes serve all tests of this file: one that is killed while every workflow is somewhere, and one in which they
are recovered.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..support import DBOS_TROUBLE, load, make_library, script, skill_text
from .conftest import COUNTS, count

pytestmark = pytest.mark.skipif(bool(DBOS_TROUBLE), reason=DBOS_TROUBLE)

RUN = [load(), script('x.py', ['a'])]
KILLS = """
if len(pathlib.Path(__file__).with_name('count').read_text().splitlines()) == 1:
    import os, signal
    os.kill(int(pathlib.Path(__file__).parents[3].joinpath('pid').read_text()), signal.SIGKILL)
"""
WORKFLOWS: dict[str, dict[str, Any]] = {
    'after-the-script': {'steps': RUN, 'hold_at': 'request 3'},
    'script-moved': {'steps': RUN, 'hold_at': 'request 3'},
    'two-capabilities': {
        'steps': [[*load(), *load('other')], script('x.py'), script('o.sh', skill='other')],
        'hold_at': 'request 4',
    },
    'not-loaded': {'steps': [script('x.py'), load(), script('x.py')], 'hold_at': 'request 3'},
    'waiting': {'steps': RUN, 'approval': 'scripts', 'hold_at': 'waiting', 'decisions': {'True': [True]}},
    'approved': {'steps': RUN, 'approval': 'scripts', 'hold_at': 'request 3', 'decisions': {'False': [True]}},
    'waiting-changed': {
        'steps': RUN,
        'approval': 'scripts',
        'hold_at': 'waiting',
        'decisions': {'True': [True, False]},
    },
    'last': {'steps': RUN},
}


class Outcome:
    """What became of all workflows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.before: dict[str, int] = {}
        self.after: dict[str, Any] = {}

    def library(self, workflow: str) -> Path:
        return self.folder / workflow

    def runs(self, workflow: str) -> tuple[int, int]:
        """How often the script had run when the process was killed, and how often in all."""
        return self.before[workflow], count(self.library(workflow))

    def answers(self, workflow: str) -> list[str]:
        return self.after[workflow]['answers']

    def recorded(self, workflow: str) -> int:
        return len([name for name in self.after[workflow]['steps'] if 'run_skill_script' in name])


def _make_libraries(outcome: Outcome) -> dict[str, dict[str, Any]]:
    workflows: dict[str, dict[str, Any]] = {}
    for workflow, config in WORKFLOWS.items():
        code = COUNTS + (KILLS if workflow == 'last' else '')
        files = {'demo/SKILL.md': skill_text(), 'demo/a.md': 'ALPHA', 'demo/scripts/x.py': code}
        workflows[workflow] = {**config, 'libraries': [str(make_library(outcome.library(workflow), files))]}
    other = {'other/SKILL.md': skill_text('other'), 'other/o.sh': 'echo other'}
    workflows['two-capabilities']['libraries'].append(str(make_library(outcome.folder / 'other', other)))
    return workflows


@pytest.fixture(scope='module')
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp('killed')
    made = Outcome(folder)
    config: dict[str, Any] = {
        'database': str(folder / 'dbos.sqlite'),
        'pid': str(folder / 'pid'),
        'workflows': _make_libraries(made),
    }
    killed = _start(folder, {**config, 'recover': False})
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    made.before = {workflow: count(made.library(workflow)) for workflow in WORKFLOWS}
    changes: dict[str, Callable[[Path], object]] = {
        'script-moved': lambda demo: (demo / 'scripts/x.py').rename(demo / 'scripts/y.py'),
        'approved': lambda demo: (demo / 'scripts/x.py').write_text('print("other")'),
        'waiting-changed': lambda demo: (demo / 'a.md').write_text('OTHER'),
    }
    for workflow, change in changes.items():
        change(made.library(workflow) / 'demo')
    done = _start(folder, {**config, 'recover': True})
    assert done.returncode == 0, done.stderr
    made.after = json.loads(done.stdout.splitlines()[-1])
    return made


def _start(folder: Path, config: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    path = folder / 'config.json'
    path.write_text(json.dumps(config))
    command = [sys.executable, '-m', 'tests.durable.application', str(path)]
    environment = {**os.environ, 'PYTHONWARNINGS': 'ignore'}
    root = Path(__file__).parents[2]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=root, env=environment)


def test_killed_after_the_script_it_does_not_run_again(outcome: Outcome) -> None:
    assert outcome.answers('after-the-script')[1] == "it ran ['a']"
    assert outcome.recorded('after-the-script') == 1
    assert outcome.runs('after-the-script') == (1, 1)


def test_what_changes_on_disk_before_the_recovery_changes_no_replay(outcome: Outcome) -> None:
    """The script ran as it was; its record is played back, though it cannot even be found any more."""
    assert outcome.answers('script-moved')[1] == "it ran ['a']"
    assert outcome.runs('script-moved') == (1, 1)


def test_killed_during_the_script_it_runs_once_more(outcome: Outcome) -> None:
    assert outcome.answers('last')[1] == "it ran ['a']"
    assert outcome.runs('last') == (1, 2)


def test_two_capabilities_without_ids(outcome: Outcome) -> None:
    assert outcome.answers('two-capabilities')[2:] == ['it ran []', 'other']
    assert outcome.recorded('two-capabilities') == 2
    assert outcome.runs('two-capabilities') == (1, 1)


def test_what_is_not_loaded_is_shut_before_and_after_a_recovery(outcome: Outcome) -> None:
    shut, _, answer = outcome.answers('not-loaded')
    assert ('load_capability' in shut, answer) == (True, 'it ran []')
    assert outcome.runs('not-loaded') == (0, 1)


def test_killed_while_a_person_decides(outcome: Outcome) -> None:
    """The replay shows what was shown; nobody has to hand metadata back."""
    assert outcome.answers('waiting')[1] == "it ran ['a']"
    assert outcome.runs('waiting') == (0, 1)


def test_killed_after_an_approved_script(outcome: Outcome) -> None:
    """Its package is another by now, which asks nobody: the call has been carried out."""
    assert outcome.answers('approved')[1] == "it ran ['a']"
    assert outcome.runs('approved') == (1, 1)


def test_changed_while_a_person_decides(outcome: Outcome) -> None:
    assert outcome.answers('waiting-changed')[1] == 'The tool call was denied.'  # by the second decision
    assert outcome.runs('waiting-changed') == (0, 0)
