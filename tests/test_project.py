"""The project's own files: what the scripts install, and that they are plain sh."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path for path in (ROOT / 'scripts').iterdir() if path.is_file())


def test_constraints_hold_versions_and_no_address() -> None:
    for line in (ROOT / 'constraints.txt').read_text().splitlines():
        assert line.startswith('#') or re.fullmatch(r'[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+', line), line


@pytest.mark.parametrize('path', SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_plain_sh(path: Path) -> None:
    assert subprocess.run(['sh', '-n', str(path)], capture_output=True, text=True, check=False).stderr == ''
    if path.name != 'setup':  # that one is sourced
        assert path.read_text().startswith('#!/bin/sh\n')
        assert path.stat().st_mode & 0o111


def run_setup(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = f'need=nothing; . scripts/setup; {" ".join(words)}'
    variables = {'PATH': '/usr/bin:/bin', 'HOME': '/nonexistent', **environment}
    return subprocess.run(['sh', '-c', command], cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


def fake_python(folder: Path, name: str, version: str) -> Path:
    """A program that says it is a Python of this version, in the way that `scripts/setup` asks."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    major, minor = version.split('.')
    new_enough = (int(major), int(minor)) >= (3, 11)
    answer = f'echo {path}; exit {int(not new_enough)}'
    path.write_text(f'#!/bin/sh\ncase $2 in *executable*) {answer} ;; *) echo {version} ;; esac\n')
    path.chmod(0o755)
    return path


def test_setup_takes_the_first_python_that_is_new_enough(tmp_path: Path) -> None:
    fake_python(tmp_path, 'python3', '3.9')
    newer = fake_python(tmp_path, 'python3.13', '3.13')
    done = run_setup('echo', '$base', '$venv', PATH=f'{tmp_path}:/usr/bin:/bin')
    assert done.stdout == f'{newer} .venv\n'


def test_setup_finds_a_version_of_pyenv_that_is_not_selected(tmp_path: Path) -> None:
    shim = fake_python(tmp_path / 'shims', 'python3.13', '3.13')
    shim.write_text('#!/bin/sh\nexit 127\n')
    installed = fake_python(tmp_path / 'versions/3.13.0/bin', 'python3.13', '3.13')
    done = run_setup('echo', '$base', '$venv', PATH=f'{tmp_path}/shims:/usr/bin:/bin', PYTHON='python3.13')
    assert done.stdout == f'{installed} .venv-3.13\n'


def test_setup_says_which_python_is_missing(tmp_path: Path) -> None:
    old = fake_python(tmp_path, 'old', '3.10')
    done = run_setup('echo', 'not reached', PYTHON=str(old))
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr == f'PYTHON={old}: no such Python, or it is older than 3.11.\n'


def program(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f'#!/bin/sh\n{body}\n')
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ('user', 'first_try', 'answer', 'calls'),
    [
        ('0', 0, 'installed', ['install']),
        ('0', 1, 'installed', ['install', 'update', 'install']),  # the list of packages was old
        ('1000', 0, 'not installed', []),
    ],
)
def test_debian_packages_are_installed_where_that_needs_no_question(
    tmp_path: Path, user: str, first_try: int, answer: str, calls: list[str]
) -> None:
    program(tmp_path, 'id', f'echo {user}')
    failing = f'[ "$1" = update ] || [ "$(grep -c install {tmp_path}/calls)" != 1 ] || exit {first_try}'
    program(tmp_path, 'apt-get', f'echo "$1" >>{tmp_path}/calls; {failing}')
    install = 'debian_package bubblewrap && echo installed || echo not installed'
    done = run_setup(install, PATH=f'{tmp_path}:/usr/bin:/bin', PYTHON=str(fake_python(tmp_path, 'python', '3.12')))
    assert done.stdout == f'{answer}\n'
    logged = tmp_path / 'calls'
    assert (logged.read_text().split() if logged.exists() else []) == calls
