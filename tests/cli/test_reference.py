"""Every block of docs/cli-reference.md is carried out in a copy of `examples/`, and prints what the page says."""

from __future__ import annotations

import logging
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
import typer
from moto.server import ThreadedMotoServer

from pydantic_ai_skills.cli.app import app

from ..registries.servers import Repo, git
from ..support import make_library, skill_text
from .conftest import Cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'cli-reference.md').read_text()
REPOSITORY = 'https://github.com/acme/skills'
GREETING = skill_text('greeting', 'Says hello. Use it to greet.')


def steps() -> list[tuple[str, list[str]]]:
    """Each command of the page and the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r'^```console\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith('$ '):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


@pytest.fixture
def repository(work: Path) -> Repo:
    repo = Repo(work.parent / 'upstream')
    repo.write('team/greeting/SKILL.md', GREETING)
    repo.commit()
    git('tag', 'v1', cwd=repo.path)
    repo.write('team/greeting/SKILL.md', GREETING + 'Wave.\n')
    repo.write('team/parting/SKILL.md', skill_text('parting', 'Says goodbye. Use it when they go.'))
    repo.commit()
    git('tag', 'v2', cwd=repo.path)
    return repo


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    logging.getLogger('werkzeug').setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    server.start()
    endpoint = f'http://127.0.0.1:{server.get_host_and_port()[1]}'
    for name, value in {
        'ENDPOINT_URL': endpoint,
        'ACCESS_KEY_ID': 'x',
        'SECRET_ACCESS_KEY': 'x',
        'DEFAULT_REGION': 'us-east-1',
    }.items():
        monkeypatch.setenv(f'AWS_{name}', value)
    client: Any = boto3.session.Session().client('s3')
    client.create_bucket(Bucket='acme-skills')
    client.put_object(Bucket='acme-skills', Key='team/billing/SKILL.md', Body=skill_text('billing').encode())
    yield
    server.stop()


@pytest.mark.usefixtures('bucket')
def test_the_page_says_what_the_commands_print(
    work: Path, repository: Repo, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / 'examples' / 'skills', work / 'skills')
    broken = '---\nname: Other\ndescription: Runs things.\n---\n\nCall `python scripts/run.py now`.\n'
    make_library(work, {'README.md': 'one two two', 'broken/SKILL.md': broken})
    monkeypatch.setenv('FORCE_COLOR', '1')  # as on a terminal, of 80 columns
    monkeypatch.setenv('TERM', 'dumb')
    for command, expected in steps():
        name, *args = shlex.split(command)
        assert name == 'pydantic-ai-skills'
        done = cli(*[arg.replace(REPOSITORY, repository.url) for arg in args])
        text = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', done.out).replace(f'{work}/', '')
        text = re.sub(r'git\+file:///\S{3}…', 'git+https://git…', text.replace(repository.url, REPOSITORY))
        lines = [line.rstrip() for line in text.splitlines()]
        assert matches(lines, expected), f'{command}\n{text}\n{done.err}'


def matches(lines: list[str], expected: list[str]) -> bool:
    """Whether the lines are those; `…` alone stands for any number of lines, at a line's end for the rest of it."""
    pattern = ''.join(
        r'(?:.*\n)*?' if line == '…' else re.escape(line.removesuffix('…')) + (r'.*\n' if line.endswith('…') else r'\n')
        for line in expected
    )
    return re.fullmatch(pattern, ''.join(f'{line}\n' for line in lines)) is not None


def test_every_command_and_option_is_on_the_page() -> None:
    group: Any = typer.main.get_command(app)
    sections = {part.partition('\n')[0]: part for part in PAGE.split('\n## ')[1:]}
    for option in group.params:
        if not option.name.startswith('show'):
            assert f'`{option.opts[0]}`' in sections['What all commands share'] or option.name == 'debug'
    for name, command in group.commands.items():
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith('--'):
                    assert re.search(rf'{option}\b', sections[name]), f'{name} {option}'
