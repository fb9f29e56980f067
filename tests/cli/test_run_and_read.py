"""`run` and `read`: what the model would get, to the letter."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import SkillsCapability

from ..registries.servers import Repo
from ..support import load, make_library, read, run, script, skill_text
from .conftest import Cli

ECHO = """import sys
print(sys.argv[1:])
print(sys.stdin.read(), end='')
print('oops', file=sys.stderr)
sys.exit(len(sys.argv) - 1)
"""


@pytest.fixture
def lib(work: Path) -> Path:
    return make_library(
        work / 'lib',
        {
            'demo/SKILL.md': skill_text(),
            'demo/scripts/echo.py': ECHO,
            'demo/scripts/sleep.py': 'import time; time.sleep(60)',
            'demo/references/long.md': ''.join(f'line {number}\n' for number in range(20_000)),
            'demo/references/a.md': '[b](b.md)',
            'demo/references/b.md': 'B',
            'demo/logo.png': b'\x89PNG\0',
        },
    )


@pytest.mark.parametrize('args', [[], ['a b', '--flag', '-x', '--', '2']])
def test_run_prints_what_the_tool_returns(lib: Path, cli: Cli, args: list[str]) -> None:
    done = cli('run', 'lib/demo', 'scripts/echo.py', '--', *args)
    seen = run(SkillsCapability(lib), [load(), script('scripts/echo.py', args or None)])
    assert done.out == f'{seen.last}\n'
    assert done.code == (1 if args else 0)


def test_run_json_tells_exit_code_and_time(lib: Path, cli: Cli) -> None:
    report = json.loads(cli('run', 'demo', 'echo', '-s', 'lib', '--json', '--', 'x', 'y').out)
    assert (report['skill'], report['script'], report['args'], report['exit_code']) == ('demo', 'echo', ['x', 'y'], 2)
    assert report['seconds'] > 0 and "['x', 'y']" in report['output']


def test_stdin_comes_from_a_file_or_from_the_commands_own(work: Path, lib: Path, cli: Cli) -> None:
    (work / 'in.txt').write_text('from a file\n')
    assert 'from a file' in cli('run', 'lib/demo', 'echo', '--stdin', 'in.txt').out
    assert 'typed' in cli('run', 'lib/demo', 'echo', '--stdin', '-', stdin='typed\n').out
    assert 'untouched' not in cli('run', 'lib/demo', 'echo', stdin='untouched').out
    (work / 'bin').write_bytes(b'\xff')
    done = cli('run', 'lib/demo', 'echo', '--stdin', 'bin')
    assert done.code == 2 and 'not UTF-8' in done.err
    missing = cli('run', 'lib/demo', 'echo', '--stdin', 'nope')
    assert (missing.code, missing.err) == (2, 'Error: nope cannot be read: No such file or directory.\n')


def test_a_models_mistake_is_wrong_use(lib: Path, cli: Cli) -> None:
    done = cli('run', 'lib/demo', 'nope.py')
    seen = run(SkillsCapability(lib), [load(), script('nope.py')])
    assert done.code == 2 and done.out == ''
    assert done.err.removeprefix('Error: ').strip() in seen.everything
    assert 'is not a script' in cli('run', 'lib/demo', 'references/a.md').err


@pytest.mark.parametrize(
    ('name', 'options', 'args'),
    [
        ('references/long.md', [], None),
        ('references/long.md', ['--offset', '19999', '--limit', '1'], {'offset': 19999, 'limit': 1}),
        ('b.md', ['--from', 'references/a.md'], {'from': 'references/a.md'}),
        ('logo.png', [], None),
        ('scripts/echo.py', [], None),
    ],
)
def test_read_prints_what_the_tool_returns(
    lib: Path, cli: Cli, name: str, options: list[str], args: dict[str, Any] | None
) -> None:
    done = cli('read', 'lib/demo', name, *options)
    seen = run(SkillsCapability(lib), [load(), read(name, args=args)])
    assert (done.code, done.out) == (0, f'{seen.last}\n')
    content = json.loads(cli('read', 'lib/demo', name, *options, '--json').out)['content']
    assert content == seen.last


def test_read_of_an_unknown_file_is_wrong_use(lib: Path, cli: Cli) -> None:
    done = cli('read', 'lib/demo', 'nope.md')
    assert done.code == 2 and "no file 'nope.md'" in done.err


@pytest.mark.skipif(shutil.which('bwrap') is None, reason='bubblewrap is not installed')
def test_sandbox_hides_the_home_folder(work: Path, cli: Cli) -> None:
    (Path.home() / 'secret').write_text('x')
    source = f'import os; print(os.path.exists({str(Path.home() / "secret")!r}))'
    make_library(work / 'lib', {'demo/SKILL.md': skill_text(), 'demo/scripts/look.py': source})
    assert cli('run', 'lib/demo', 'look', '--executor', 'local').out == 'True\n'
    assert cli('run', 'lib/demo', 'look', '--executor', 'bubblewrap').out == 'False\n'


def test_scripts_of_a_network_source_run_here_only_when_that_is_said(
    work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(work / 'r')
    repo.write('demo/SKILL.md', skill_text())
    repo.write('demo/scripts/hi.py', 'print("hi")')
    repo.commit()
    source = f'git+{repo.url}'
    assert cli('run', 'demo', 'hi', '-s', source, '--executor', 'local').out == 'hi\n'
    if shutil.which('bwrap'):
        assert cli('run', 'demo', 'hi', '-s', source).out == 'hi\n'
    only_git = work / 'bin'
    only_git.mkdir()
    (only_git / 'git').symlink_to(str(shutil.which('git')))
    monkeypatch.setenv('PATH', str(only_git))
    done = cli('run', 'demo', 'hi', '-s', source)
    assert done.code == 2 and '--executor local' in done.err and 'bwrap' in done.err
    assert cli('read', 'demo', 'scripts/hi.py', '-s', source).out == 'print("hi")\n'


def test_a_file_of_here_that_the_script_cannot_find_is_explained(lib: Path, cli: Cli, work: Path) -> None:
    (work / 'table.csv').write_text('x')
    source = 'import sys; open(sys.argv[1])'
    make_library(lib, {'demo/scripts/open.py': source, 'demo/own.csv': 'x'})
    done = cli('run', 'lib/demo', 'open', '--', 'table.csv')
    assert done.code == 1
    assert done.err == (
        f'table.csv is a file here, but scripts start in the folder of the skill: pass its whole path, {work}/table.csv.\n'
    )
    assert cli('run', 'lib/demo', 'open', '--', work / 'table.csv').code == 0
    assert cli('run', 'lib/demo', 'open', '--', 'own.csv').code == 0
    assert cli('run', 'lib/demo', 'open', '--', 'nowhere.csv').err == ''


@pytest.mark.skipif(shutil.which('bwrap') is None, reason='bubblewrap is not installed')
def test_a_file_that_a_sandbox_hides_is_explained(lib: Path, cli: Cli, work: Path) -> None:
    (work / 'table.csv').write_text('x')
    make_library(lib, {'demo/scripts/open.py': 'import sys; open(sys.argv[1])'})
    done = cli('run', 'lib/demo', 'open', '--executor', 'bubblewrap', '--', work / 'table.csv')
    assert (
        done.code == 1
        and 'is a file here, but scripts start in a sandbox, which does not see it: use --stdin.' in done.err
    )
