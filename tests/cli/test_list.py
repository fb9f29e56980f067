"""`list`: which sources are looked at, and what is said of each skill."""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer
from rich.cells import cell_len

from ..registries.helpers import write_skill
from ..registries.servers import Repo, git_host
from ..support import make_library, skill_text
from .conftest import Cli


def names(cli: Cli, *args: object) -> list[str]:
    return [row['name'] for row in json.loads(cli('list', *args, '--json').out)['skills']]


def test_conventional_folders_from_here_up_to_the_repository_then_home(work: Path, cli: Cli) -> None:
    inner = work / 'repo' / 'src' / 'deep'
    inner.mkdir(parents=True)
    (work / 'repo' / '.git').mkdir()
    for number, folder in enumerate(
        [
            inner / '.agents/skills',
            inner / '.claude/skills',
            work / 'repo' / '.claude/skills',
            work / '.agents/skills',  # above the repository: not ours
            Path.home() / '.agents/skills',
            Path.home() / '.claude/skills',
        ]
    ):
        write_skill(folder / f's{number}')
    os.chdir(inner)
    done = cli('list', '--json')
    found = [(row['name'], row['source']) for row in json.loads(done.out)['skills']]
    assert found == [
        ('s0', '.agents/skills'),
        ('s1', '.claude/skills'),
        ('s2', str(work / 'repo/.claude/skills')),
        ('s4', '~/.agents/skills'),
        ('s5', '~/.claude/skills'),
    ]
    assert done.code == 0
    os.chdir(work / 'repo' / 'src')
    assert names(cli) == ['s2', 's4', 's5']


def test_outside_a_repository_only_this_folder_and_home(work: Path, cli: Cli) -> None:
    write_skill(work / '.agents/skills' / 'above')
    (work / 'sub').mkdir()
    os.chdir(work / 'sub')
    done = cli('list')
    assert done.code == 2
    assert 'pydantic-ai-skills new NAME' in done.err and 'Traceback' not in done.err


def test_a_folder_may_be_a_skill_a_library_or_a_tree(work: Path, cli: Cli) -> None:
    write_skill(work / 'tree/team-a/one')
    write_skill(work / 'tree/team-b/skills/two')
    assert names(cli, 'tree') == ['one', 'two']
    assert names(cli, 'tree/team-a') == ['one']
    assert names(cli, 'tree/team-a/one') == ['one']
    assert names(cli, 'tree/team-a/one/SKILL.md') == ['one']
    os.chdir(work / 'tree/team-a/one')
    assert names(cli, '.') == ['one']


def test_counts_files_and_tells_problems(work: Path, cli: Cli) -> None:
    make_library(
        work / 'lib',
        {
            'good/SKILL.md': skill_text('good'),
            'good/scripts/a.py': '',
            'good/notes.md': 'x',
            'good/logo.png': b'\x89PNG\0',
            'mended/SKILL.md': skill_text('Other Name'),
            'broken/SKILL.md': 'no frontmatter',
        },
    )
    done = cli('list', 'lib', '--json')
    assert done.code == 1  # one is left out
    rows = {row['name']: row for row in json.loads(done.out)['skills']}
    assert (rows['good']['files'], rows['good']['scripts'], rows['good']['problems']) == (3, 1, [])
    assert [item['code'] for item in rows['mended']['problems']] == ['name-mended']
    assert not rows['mended']['left_out']
    assert rows['broken']['left_out'] and rows['broken']['problems'][0]['severity'] == 'error'
    text = cli('list', 'lib')
    assert text.code == 1
    lines = text.out.splitlines()
    assert lines[0].split() == ['NAME', 'DESCRIPTION', 'FILES', 'SOURCE', 'PROBLEMS']
    assert lines[3].split() == ['broken', '(left', 'out)', 'lib', 'no-frontmatter']
    assert all(line == line.rstrip() for line in lines)
    assert any(line.startswith('error: ') for line in lines)


def test_in_a_pipe_nothing_is_cut_and_nothing_is_coloured(work: Path, cli: Cli) -> None:
    words = 'word ' * 190
    make_library(work / 'lib', {'long/SKILL.md': skill_text('long', f'Use it when {words}END.')})
    done = cli('list', 'lib')
    assert 'END.' in done.out and '\x1b' not in done.out


def test_on_a_terminal_the_table_fits_and_is_coloured(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setenv('COLUMNS', '80')
    monkeypatch.setenv('TERM', 'xterm-256color')
    folder = 'a-library-with-a-long-name'
    make_library(work / folder, {'demo/SKILL.md': skill_text('other', 'Use it when ' + 'words ' * 50)})
    coloured = cli('list', folder).out
    assert '\x1b[36mdemo\x1b[0m' in coloured and 'Use it when' in coloured and '…' in coloured
    table = [re.sub(r'\x1b\[[0-9;]*m', '', line) for line in coloured.splitlines()][:2]
    assert [len(line) <= 80 for line in table] == [True, True]
    assert table[1].split()[-3:] == ['0', 'a-library-with-…', 'name-mended']
    monkeypatch.setenv('NO_COLOR', '1')
    assert '\x1b[3' not in cli('list', folder).out


def test_wide_characters_and_a_narrow_terminal(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    make_library(
        work / 'lib',
        {
            '発票/SKILL.md': skill_text('発票', '作成發票。' * 40),
            'zeta/SKILL.md': skill_text('zeta', 'Use it when asked.'),
        },
    )
    for width in (40, 80, 200):
        monkeypatch.setenv('COLUMNS', str(width))
        lines = re.sub(r'\x1b\[[0-9;]*m', '', cli('list', 'lib').out).splitlines()
        assert [cell_len(line) <= width for line in lines] == [True] * 3
        assert lines[1].startswith('zeta') and lines[2].startswith('発票')
        ends = [
            cell_len(line[: line.index(end) + len(end)]) for line, end in zip(lines, ('FILES', ' 0', ' 0'), strict=True)
        ]
        assert len(set(ends)) == 1, lines
    monkeypatch.delenv('FORCE_COLOR')
    assert '作成發票。' * 40 in cli('list', 'lib').out


def test_skills_for_people_only_are_counted_too(work: Path, cli: Cli) -> None:
    text = skill_text(extra='disable-model-invocation: true\n')
    make_library(work / 'lib', {'demo/SKILL.md': text, 'demo/a.md': 'x', 'demo/scripts/a.py': ''})
    (row,) = json.loads(cli('list', 'lib', '--json').out)['skills']
    assert (row['files'], row['scripts']) == (2, 1)


def test_terminal_characters_of_a_hostile_skill_are_shown_as_such(work: Path, cli: Cli) -> None:
    text = skill_text('bad', '"Use it when \\e[2J\\e]0;owned\\a and \\u202e backwards"')
    make_library(work / 'lib', {'bad/SKILL.md': text})
    for args in (['list', 'lib'], ['show', 'lib/bad']):
        done = cli(*args)
        assert done.code == 0 and '\ufffd[2J' in done.out
        assert not set('\x1b\a\u202e') & set(done.out)


def test_the_same_skill_in_two_sources_is_one_and_another_is_told(work: Path, cli: Cli) -> None:
    for folder in ('a', 'b'):
        make_library(work / folder, {'same/SKILL.md': skill_text('same'), 'differs/SKILL.md': skill_text(body=folder)})
    done = cli('list', 'a', 'b', '--json')
    rows = json.loads(done.out)['skills']
    assert [(row['name'], row['source']) for row in rows] == [('differs', 'a'), ('same', 'a'), ('differs', 'b')]
    assert [item['code'] for item in rows[2]['problems'] if item['code'] == 'shadowed'] == ['shadowed']


def test_a_linked_folder_of_skills_is_one_with_what_it_leads_to(work: Path, cli: Cli) -> None:
    write_skill(work / '.agents/skills/one')
    (work / '.claude').mkdir()
    (work / '.claude/skills').symlink_to('../.agents/skills')
    assert names(cli) == ['one']


def test_git_source_by_ref_and_path_over_http(work: Path, cli: Cli) -> None:
    repo = Repo(work / 'upstream' / 'r')
    repo.write('skills/old/SKILL.md', skill_text('old'))
    first = repo.commit()
    repo.write('skills/new/SKILL.md', skill_text('new'))
    repo.write('elsewhere/deep/third/SKILL.md', skill_text('third'))
    repo.commit()
    with git_host(work / 'upstream') as host:
        url = f'git+{host.url}/r/.git'
        assert names(cli, url) == ['new', 'old', 'third']
        assert names(cli, f'{url}#skills') == ['new', 'old']
        assert names(cli, f'{url}@{first}') == ['old']
        assert names(cli, f'{url}@main#elsewhere') == ['third']
        missing = cli('list', f'{url}@nope')
    assert missing.code in (1, 2) and 'nope' in missing.err and 'Traceback' not in missing.err


def test_s3_source_by_prefix(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    logging.getLogger('werkzeug').setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    moto.start()
    try:
        endpoint = f'http://127.0.0.1:{moto.get_host_and_port()[1]}'
        variables = {
            'ENDPOINT_URL': endpoint,
            'ACCESS_KEY_ID': 'x',
            'SECRET_ACCESS_KEY': 'x',
            'DEFAULT_REGION': 'us-east-1',
        }
        for name, value in variables.items():
            monkeypatch.setenv(f'AWS_{name}', value)
        client: Any = boto3.session.Session().client('s3')
        client.create_bucket(Bucket='skills')
        for key in ('team/a/one', 'team/b/two', 'three'):
            text = skill_text(key.rpartition('/')[2]).encode()
            client.put_object(Bucket='skills', Key=f'{key}/SKILL.md', Body=text)
        assert names(cli, 's3://skills/team/') == ['one', 'two']
        assert names(cli, 's3://skills') == ['one', 'three', 'two']
        missing = cli('list', 's3://no-such-bucket')
    finally:
        moto.stop()
    assert missing.code in (1, 2) and 'no-such-bucket' in missing.err and 'Traceback' not in missing.err


def test_a_dead_source_does_not_hide_the_others(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib' / 'here')
    done = cli('list', 'lib', 'git+http://127.0.0.1:9/x.git', '--json')
    report = json.loads(done.out)
    assert done.code == 1
    assert [row['name'] for row in report['skills']] == ['here']
    assert [item['source'] for item in report['failed_sources']] == ['git+http://127.0.0.1:9/x.git']
    nowhere = cli('list', 'nowhere')
    assert (nowhere.code, nowhere.err) == (2, 'Error: There is no folder nowhere.\n')
    dead = cli('list', 'git+http://127.0.0.1:9/x.git').err
    assert dead.startswith('Error: git+http://127.0.0.1:9/x.git could not be synced, and nothing from before is there')
    assert 'Registry' not in dead and dead.count('\n') == 1


def test_a_folder_that_cannot_be_looked_into_is_told(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(work / 'lib/here')
    (work / 'lib/shut').mkdir()
    real = os.access  # root, as which the tests may run, may look everywhere
    monkeypatch.setattr(os, 'access', lambda path, mode: not str(path).endswith('shut') and real(path, mode))
    done = cli('list', 'lib')
    assert done.code == 0 and 'here' in done.out
    assert done.err == 'lib/shut cannot be looked into: Permission denied.\n'


def test_a_token_in_a_url_is_never_shown(work: Path, cli: Cli) -> None:
    done = cli('list', 'git+http://user:s3cret@127.0.0.1:9/x.git')
    assert done.code == 1 and '127.0.0.1:9' in done.err
    assert 's3cret' not in done.out + done.err


def test_sources_of_unknown_kinds_say_what_there_is(cli: Cli) -> None:
    assert 'Did you mean git+https://github.com/a/b?' in cli('list', 'https://github.com/a/b').err
    assert 'git+https://HOST' in cli('list', 'ftp://x').err
    assert 'names no bucket' in cli('list', 's3://').err
    assert 'branch, tag or commit' in cli('list', 'git+https://host/x@').err
