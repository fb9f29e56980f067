"""Every example runs offline and from another folder, and prints what it is meant to show."""

from __future__ import annotations

import io
import os
import runpy
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from .support import need_dbos

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / 'examples'

SHOWN = {
    'agent_spec.py': ['min 1.2, median 6.9'],
    'approve_in_terminal.py': [
        'csv-profiler wants to run:  scripts/profile.py assets/sample.csv price',
        'Run it? [y/N]',
        'min 1.2, median 6.9',
    ],
    'durable_workflow.py': [
        'first: Report, made 1 time(s)',
        'second: Report, made 1 time(s)',
        'run_skill_script',
        'runs of the script: 1',
    ],
    'pinned_git.py': ["['greeting'] at ", 'Hello!'],
    'sandboxed_scripts.py': [
        'secret file: not there',
        'API_KEY: not set',
        'network: ',
        'its own skill: Read-only file system',
        'its scratch folder: fine',
    ],
    'skills_in_python.py': ['Invoice 42 for Ada: 19.50 EUR'],
    'smallest_agent.py': ['5 rows, 4 columns', 'min 4.9, median 5.4'],
    'tenants_service.py': [
        "200 {'tenant': 'acme', 'answer': 'mergers: figures of acme'}",
        "There is no skill 'mergers'. The skills are: sales.",
        "401 {'detail': 'Unknown key.'}",
    ],
}
NEEDS = {'tenants_service.py': 'fastapi', 'durable_workflow.py': 'dbos', 'pinned_git.py': 'git'}


Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs an example as `python examples/NAME` would, in this process, since importing Pydantic AI takes longest."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv('API_KEY', 'x')

    def run_here(name: str, stdin: str = '') -> str:
        monkeypatch.setattr(sys, 'argv', [name])
        monkeypatch.setattr(sys, 'stdin', io.StringIO(stdin))
        with warnings.catch_warnings():
            warnings.simplefilter('error', UserWarning)
            runpy.run_path(str(EXAMPLES / name), run_name='__main__')
        return capsys.readouterr().out

    return run_here


def test_every_example_is_here() -> None:
    assert {path.name for path in EXAMPLES.glob('*.py')} - {'offline.py'} == set(SHOWN)
    text = (EXAMPLES / 'README.md').read_text()
    assert all(f'({name})' in text for name in SHOWN)


@pytest.mark.parametrize('name', SHOWN)
def test_example(name: str, run: Run) -> None:
    pytest.importorskip(NEEDS.get(name, 'pydantic_ai'))
    if name == 'durable_workflow.py':
        need_dbos()
    if name == 'sandboxed_scripts.py' and shutil.which('bwrap') is None:
        pytest.skip('bubblewrap is not installed')
    output = run(name, stdin='y\n')
    for shown in SHOWN[name]:
        assert shown in output, output


def test_without_an_answer_nothing_is_approved(run: Run) -> None:
    output = run('approve_in_terminal.py')
    assert 'The user said no.' in output
    assert 'median' not in output


def test_without_bubblewrap_the_sandbox_says_so_and_runs_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    output = run('sandboxed_scripts.py')
    assert output.startswith('No sandbox here, so nothing is run: ')
    assert 'secret' not in output


def test_an_example_as_a_process_of_its_own_without_home_or_key(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / 'smallest_agent.py')]
    environment = {'HOME': str(tmp_path), 'PATH': os.environ['PATH'], 'PYTHONPATH': str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, '')
    assert '5 rows, 4 columns' in done.stdout
