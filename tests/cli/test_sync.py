"""`sync`: a folder becomes and stays like its sources, and nothing else in it is touched."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from filelock import FileLock

from pydantic_ai_skills.cli import synced_folder

from ..registries.helpers import files_in, names_in, write_skill
from ..registries.servers import Repo, git_host
from ..support import make_library, skill_text
from .conftest import Cli


def report(cli: Cli, *args: object) -> dict[str, Any]:
    return json.loads(cli('sync', *args, '--into', 'into', '--json').out)


def changes(cli: Cli, *args: object) -> tuple[list[str], ...]:
    told = report(cli, *args)
    return told['came'], told['changed'], told['went'], told['unchanged']


def test_what_came_changed_and_went(work: Path, cli: Cli) -> None:
    make_library(
        work / 'lib',
        {'a/SKILL.md': skill_text('a'), 'a/run.sh': 'x', 'b/SKILL.md': skill_text('b')},
        {'a/run.sh': 0o755},
    )
    assert changes(cli, 'lib') == (['a', 'b'], [], [], [])
    assert stat.S_IMODE((work / 'into/a/run.sh').stat().st_mode) & 0o111
    assert changes(cli, 'lib') == ([], [], [], ['a', 'b'])
    write_skill(work / 'lib/c')
    (work / 'lib/a/run.sh').write_text('y')
    shutil.rmtree(work / 'lib/b')
    done = cli('sync', 'lib', '--into', 'into')
    assert done.out == '+ c\n~ a\n- b\n1 came, 1 changed, 1 went, 0 unchanged.\n'
    assert done.code == 0
    assert names_in(work / 'into') == ['a', 'c']
    assert (work / 'into/a/run.sh').read_text() == 'y'
    hidden = [path.name for path in (work / 'into').iterdir() if path.name.startswith('.sync')]
    assert hidden == []


def test_the_result_is_a_library(work: Path, cli: Cli) -> None:
    write_skill(work / 'tree/x/one', description='Use when one.')
    write_skill(work / 'tree/y/two', description='Use when two.')
    report(cli, 'tree')
    assert [row['name'] for row in json.loads(cli('list', 'into', '--json').out)['skills']] == ['one', 'two']
    assert cli('validate', 'into').code == 0


def test_edits_and_other_peoples_skills_are_left_alone(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    write_skill(work / 'lib/b')
    write_skill(work / 'lib/mine')
    write_skill(work / 'into/mine', description='Mine.')
    first = cli('sync', 'lib', '--into', 'into')
    assert first.code == 1 and 'into/mine was not put there by a sync' in first.out
    (work / 'into/a/SKILL.md').write_text(skill_text('a', 'Edited.'))
    (work / 'into/b/SKILL.md').write_text(skill_text('b', 'Edited.'))
    (work / 'lib/a/SKILL.md').write_text(skill_text('a', 'Newer.'))
    shutil.rmtree(work / 'lib/b')
    told = report(cli, 'lib')
    assert sorted(item['name'] for item in told['left_alone']) == ['a', 'b', 'mine']
    assert told['changed'] == told['went'] == []
    for name in ('a', 'b'):
        assert 'Edited.' in (work / 'into' / name / 'SKILL.md').read_text()


def test_only_the_named_sources_skills_go(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib1/a')
    write_skill(work / 'lib2/b')
    report(cli, 'lib1', 'lib2')
    shutil.rmtree(work / 'lib1/a')
    shutil.rmtree(work / 'lib2/b')
    assert changes(cli, 'lib1')[2] == ['a']
    assert names_in(work / 'into') == ['b']


def test_a_dead_source_takes_nothing_away(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    report(cli, 'lib')
    shutil.rmtree(work / 'lib')
    done = cli('sync', 'lib', '--into', 'into')
    assert done.code == 2 and names_in(work / 'into') == ['a']


def test_another_ref_of_a_repository_updates_its_skills(work: Path, cli: Cli) -> None:
    repo = Repo(work / 'up/r')
    repo.write('skills/a/SKILL.md', skill_text('a', 'Old.'))
    repo.write('skills/b/SKILL.md', skill_text('b'))
    old = repo.commit()
    repo.write('skills/a/SKILL.md', skill_text('a', 'New.'))
    shutil.rmtree(repo.path / 'skills/b')
    repo.commit()
    with git_host(work / 'up') as host:
        url = f'git+{host.url}/r/.git'
        assert changes(cli, f'{url}@{old}#skills') == (['a', 'b'], [], [], [])
        assert changes(cli, f'{url}@main#skills') == ([], ['a'], ['b'], [])
    manifest = json.loads((work / 'into' / synced_folder.MANIFEST).read_text())
    assert manifest['skills']['a']['source'] == f'{url}#skills'


def test_secrets_and_escaping_links_do_not_come_along(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    (work / 'outside').write_text('x')
    (work / 'lib/a/link').symlink_to(work / 'outside')
    (work / 'lib/a/.env').write_text('KEY=1')
    told = report(cli, 'lib')
    assert told['came'] == ['a'] and len(told['left_out']) == 1
    assert files_in(work / 'into/a') == ['SKILL.md']


def test_folders_that_cannot_be_synced_into(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    (work / 'file').write_text('')
    for into in ('file', 'lib', 'lib/a', 'lib/a/deep', '.'):
        done = cli('sync', 'lib', '--into', into)
        assert done.code == 2 and done.err.startswith('Error: '), into
    assert files_in(work / 'lib') == ['a/SKILL.md']
    assert cli('sync', 'lib').code == 2  # no --into


def test_a_manifest_cannot_name_anything_outside(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    victim = work / 'victim'
    victim.mkdir()
    from pydantic_ai_skills.digest import package_digest

    entry = {'source': '../lib', 'digest': package_digest(victim)}
    (work / 'into').mkdir()
    manifest = work / 'into' / synced_folder.MANIFEST
    manifest.write_text(json.dumps({'version': 1, 'skills': {'../victim': entry}}))
    assert changes(cli, 'lib') == (['a'], [], [], [])
    assert victim.is_dir()
    manifest.write_text('{')
    damaged = cli('sync', 'lib', '--into', 'into')
    assert damaged.code == 2 and 'is damaged' in damaged.err


def test_a_link_in_the_folder_is_somebodys_own(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/a')
    write_skill(work / 'own/a', description='Own.')
    (work / 'into').mkdir()
    (work / 'into/a').symlink_to(work / 'own/a')
    assert [item['name'] for item in report(cli, 'lib')['left_alone']] == ['a']
    assert (work / 'into/a').is_symlink()


def test_a_killed_sync_is_finished_by_the_next(work: Path, cli: Cli, monkeypatch: Any) -> None:
    for name in ('a', 'b'):
        write_skill(work / 'lib' / name)
    report(cli, 'lib')
    for name in ('a', 'b'):
        write_skill(work / 'lib' / name, description='Newer.')
    real, calls = os.rename, iter(range(10))

    class KilledError(BaseException):
        """What no handler catches, as a kill."""

    def rename(source: Any, target: Any) -> None:
        if next(calls) == 3:  # `a` is swapped, the old `b` is out of the way, and the new one is not there yet
            raise KilledError
        real(source, target)

    monkeypatch.setattr(synced_folder.os, 'rename', rename)
    try:
        cli('sync', 'lib', '--into', 'into')
    except KilledError:
        pass
    monkeypatch.setattr(synced_folder.os, 'rename', real)
    assert names_in(work / 'into') == ['a']
    told = report(cli, 'lib')
    assert (told['came'], told['unchanged'], told['left_alone']) == (['b'], ['a'], [])
    assert 'Newer.' in (work / 'into/b/SKILL.md').read_text()


def test_two_at_once_wait_for_each_other(work: Path, cli: Cli, monkeypatch: Any) -> None:
    write_skill(work / 'lib/a')
    (work / 'into').mkdir()
    monkeypatch.setattr(synced_folder, '_LOCK_SECONDS', 0.05)
    with FileLock(work / 'into/.pydantic-ai-skills.lock'):
        done = cli('sync', 'lib', '--into', 'into')
    assert done.code == 2 and 'Another process' in done.err
