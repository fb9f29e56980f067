"""What goes wrong: one sentence and an exit code; a traceback only when asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pydantic_ai_skills.cli import list as list_module
from pydantic_ai_skills.cli.app import app

from ..registries.helpers import write_skill
from .conftest import Cli

COMMANDS = ['list', 'show', 'validate', 'new', 'run', 'read', 'sync', 'chat', 'demo']
ROOT = Path(__file__).parents[2]


def start(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    env = os.environ | {'PYTHONPATH': str(ROOT), **options.pop('env', {})}
    command = [sys.executable, '-m', 'pydantic_ai_skills', *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, **options)


def test_unexpected_errors_are_one_sentence_and_debug_shows_more(
    work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(work / 'lib/a')

    def broken(rows: Any) -> None:
        raise KeyError('what')

    monkeypatch.setattr(list_module, '_show', broken)
    done = cli('list', 'lib')
    assert (done.code, done.err) == (1, "Error: KeyError: 'what' (more with --debug)\n")
    for args in (['--debug', 'list', 'lib'], ['list', '--debug', 'lib'], ['list', 'lib', '--debug']):
        with pytest.raises(KeyError):
            cli(*args)


def test_debug_behind_two_hyphens_is_the_scripts_own(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    (work / 'lib/a/echo.sh').write_text('echo "$@"')
    assert cli('run', 'lib/a', 'echo.sh', '--', '--debug').out == '--debug\n'


def test_ctrl_c_is_130(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(work / 'lib/a')

    def interrupted(rows: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(list_module, '_show', interrupted)
    result = CliRunner().invoke(app, ['list', 'lib'])
    assert result.exit_code == 130 and result.output == ''


@pytest.mark.parametrize('command', ['', *COMMANDS])
def test_help_fits_a_screen(cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('COLUMNS', '80')
    done = cli(*command.split(), '--help')
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80


def test_help_loads_neither_the_framework_nor_the_network() -> None:
    code = 'import sys, pydantic_ai_skills.cli.app; print(sorted({"pydantic_ai", "git", "boto3"} & set(sys.modules)))'
    done = subprocess.run([sys.executable, '-c', code], env=os.environ | {'PYTHONPATH': str(ROOT)}, capture_output=True)
    assert done.stdout == b'[]\n', done.stderr


@pytest.mark.parametrize('missing', ['typer', 'rich', 'markdown_it'])
def test_missing_extra_is_one_sentence(tmp_path: Path, missing: str) -> None:
    # A finder in front of all others that says that the package is not installed.
    (tmp_path / 'sitecustomize.py').write_text(
        'import sys\n'
        'class Missing:\n'
        '    def find_spec(self, name, path=None, target=None):\n'
        f'        if name.partition(".")[0] == {missing!r}:\n'
        '            raise ModuleNotFoundError(f"No module named {name!r}", name=name)\n'
        'sys.meta_path.insert(0, Missing())\n'
    )
    write_skill(tmp_path / 'lib/a', description='Use when a.')
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = start('validate', str(tmp_path / 'lib'), env={'PYTHONPATH': path})
    assert done.returncode == 2
    assert missing in done.stderr and "pip install 'pydantic-ai-skills[cli]'" in done.stderr
    assert 'Traceback' not in done.stderr and done.stderr.count('\n') == 1


def test_ctrl_c_while_the_command_is_imported_is_130_too(tmp_path: Path) -> None:
    (tmp_path / 'typer.py').write_text('raise KeyboardInterrupt')
    done = start('--help', env={'PYTHONPATH': os.pathsep.join([str(tmp_path), str(ROOT)])})
    assert (done.returncode, done.stdout, done.stderr) == (130, '', '')


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='there is no /dev/full')
@pytest.mark.parametrize('args', [['list', 'lib'], ['list', 'lib', '--json'], ['show', 'a', '-s', 'lib'], ['--help']])
def test_a_full_disk_is_one_sentence(tmp_path: Path, args: list[str]) -> None:
    write_skill(tmp_path / 'lib/a')
    command = [sys.executable, '-m', 'pydantic_ai_skills', *args]
    with open('/dev/full', 'w') as full:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {'PYTHONPATH': str(ROOT)},
        )
    assert (done.returncode, done.stderr) == (1, 'Error: No space left on device\n')


def test_a_terminal_that_cannot_show_a_name_gets_question_marks(tmp_path: Path) -> None:
    write_skill(tmp_path / 'lib/日本語', name='日本', description='Use it when 日本.')
    env = {'PYTHONIOENCODING': 'ascii', 'PYTHONUTF8': '0', 'LC_ALL': 'C.UTF-8'}
    done = start('list', 'lib', cwd=tmp_path, env=env)
    assert done.returncode == 0 and done.stderr == ''
    assert "???/SKILL.md has the name '??' in its frontmatter" in done.stdout


def test_python_m_is_the_command_and_works_from_any_folder(tmp_path: Path) -> None:
    done = start('--version', cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, '') and done.stdout.count('.') == 2
    assert start('nope', cwd=tmp_path).returncode == 2


def test_a_reader_that_has_seen_enough_is_no_error(work: Path) -> None:
    for number in range(90):
        write_skill(work / f'lib/s{number}', description='Use when ' + 'x' * 900)
    done = subprocess.run(
        ['sh', '-c', f'{sys.executable} -m pydantic_ai_skills list lib | head -1'],
        env=os.environ | {'PYTHONPATH': str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith('NAME') and done.stderr == ''
