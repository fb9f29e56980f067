"""The installed command in a real terminal: bars, colours, Ctrl-C, and a conversation."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

from ..registries.helpers import write_skill
from ..registries.servers import Repo, git_host
from ..support import make_library, skill_text

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).with_name('pydantic-ai-skills')
SECONDS = 60  # until a test gives up; nothing is timed


def terminal(*args: str, **env: str) -> pexpect.spawn[str]:
    command = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, '-m', 'pydantic_ai_skills']
    variables = {**os.environ, 'PYTHONPATH': str(ROOT), 'TERM': 'xterm-256color', 'COLUMNS': '80', 'LINES': '24', **env}
    child: pexpect.spawn[str] = pexpect.spawn(
        command[0], [*command[1:], *args], env=variables, encoding='utf-8', dimensions=(24, 80), timeout=SECONDS
    )
    return child


def rest(child: pexpect.spawn[str]) -> str:
    child.expect(pexpect.EOF)
    child.close()
    return child.before or ''


@pytest.fixture
def repo(work: Path) -> Repo:
    repo = Repo(work / 'up/r')
    for number in range(20):
        repo.write(f's{number}/SKILL.md', skill_text(f's{number}'))
    repo.commit()
    return repo


def test_bars_and_colours_while_the_network_works(work: Path, repo: Repo) -> None:
    with git_host(work / 'up', delay=0.4) as host:
        child = terminal('sync', f'git+{host.url}/r/.git', '--into', 'into')
        child.expect('━')
        text = rest(child)
    assert child.exitstatus == 0
    assert '\x1b[32m+ s0\x1b[0m' in text
    assert '20 came' in text
    assert len(list((work / 'into').glob('*/SKILL.md'))) == 20


def test_ctrl_c_ends_at_once_with_130_and_no_traceback(work: Path, repo: Repo) -> None:
    with git_host(work / 'up', delay=SECONDS * 10) as host:
        child = terminal('sync', f'git+{host.url}/r/.git', '--into', 'into')
        child.expect('━')
        while not host.requests:  # it waits for an answer that does not come
            child.expect('.')
        child.sendintr()
        text = rest(child)
    assert child.exitstatus == 130
    assert 'Traceback' not in text
    assert not (work / 'into').exists() or not list((work / 'into').glob('*/SKILL.md'))


def test_ctrl_c_stops_a_script(work: Path) -> None:
    source = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(600)"
    make_library(work / 'lib', {'demo/SKILL.md': skill_text(), 'demo/scripts/wait.py': source})
    child = terminal('run', 'lib/demo', 'wait')
    pid = work / 'lib/demo/pid'
    while not (pid.exists() and pid.read_text()):
        assert child.isalive()
    child.sendintr()
    text = rest(child)
    assert child.exitstatus == 130 and 'Traceback' not in text
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_nothing_interrupts_the_demo(work: Path) -> None:
    child = terminal('demo')
    text = rest(child)
    assert child.exitstatus == 0
    assert 'level 3' in text and 'observability' not in text


def test_a_conversation(work: Path) -> None:
    write_skill(work / 'lib/demo', description='Use it when asked.')
    child = terminal('chat', 'lib', '--model', 'test')
    child.expect('1 skill: demo')
    child.expect('skills ➤')
    child.send('/exit\r')
    text = rest(child)
    assert child.exitstatus == 0 and 'Traceback' not in text
