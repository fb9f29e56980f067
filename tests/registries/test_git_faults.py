"""What goes wrong on the way: hosts that are away, slow, silent or broken, and what is left by those that died."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pydantic_ai_skills import GitSkillsRegistry
from pydantic_ai_skills.registries.git_process import GitError

from .helpers import in_child, names_in, said
from .servers import GitShim, Repo, git, git_host


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / 'upstream' / 'repo')
    repo.write('demo/SKILL.md', '---\nname: demo\ndescription: Demo.\n---\n')
    repo.write('demo/data.bin', os.urandom(100_000))
    repo.commit()
    return repo


@pytest.fixture
def silent() -> Iterator[str]:
    """A host that takes the connection and never answers."""
    server = socket.create_server(('127.0.0.1', 0), backlog=16)
    yield f'http://127.0.0.1:{server.getsockname()[1]}/repo'
    server.close()


def alive(pid: int) -> bool:
    """Whether a process still runs; a zombie that nobody has reaped does not."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def test_a_silent_host_is_given_up_and_nothing_is_left_running(
    silent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    with pytest.raises(RuntimeError, match=r'`git ls-remote` took longer than 0\.5 s and was ended'):
        GitSkillsRegistry(silent, timeout=0.5).sync()
    assert shim.pids and not any(alive(pid) for pid in shim.pids)


def test_a_slow_host_is_waited_for(repo: Repo, tmp_path: Path):
    with git_host(tmp_path / 'upstream', delay=0.2) as host:
        assert names_in(GitSkillsRegistry(f'{host.url}/repo', timeout=60).sync()) == ['demo']


@pytest.mark.parametrize('fault', [{'refuse': 500}, {'refuse': 404}, {'cut': 50_000}])
def test_a_faulty_host_is_an_error_without_a_generation_and_a_warning_with_one(
    repo: Repo, tmp_path: Path, fault: dict[str, int]
):
    with git_host(tmp_path / 'upstream') as host:
        registry = GitSkillsRegistry(f'{host.url}/repo', target_dir=tmp_path / 'store')
        first = registry.sync()
        repo.write('demo/data.bin', os.urandom(100_000))
        repo.commit()
        for name, value in fault.items():
            setattr(host, name, value)
        with said() as warned:
            assert registry.sync() == first
        assert 'Using what was fetched' in warned[0] and ' second' in warned[0]
        with pytest.raises(RuntimeError, match='could not be synced, and nothing from before'):
            GitSkillsRegistry(f'{host.url}/repo').sync()
        host.refuse = host.cut = None
        assert registry.sync() != first
    assert len(list((tmp_path / 'store/generations').iterdir())) == 2


def test_a_host_that_is_away(repo: Repo, tmp_path: Path):
    with git_host(tmp_path / 'upstream') as host:
        library = GitSkillsRegistry(f'{host.url}/repo').sync()
    with said() as warned:
        assert GitSkillsRegistry(f'{host.url}/repo').sync() == library
        assert GitSkillsRegistry(f'{host.url}/repo', auto_install=False).sync() == library
    assert len(warned) == 1 and 'Is the host reachable' in warned[0]


def test_auto_install_off_reads_what_is_there(repo: Repo, tmp_path: Path):
    plain = tmp_path / 'plain'
    shutil.copytree(repo.path, plain, ignore=shutil.ignore_patterns('.git'))
    registry = GitSkillsRegistry('https://example.invalid/x', target_dir=plain, auto_install=False)
    assert registry.sync() == plain and registry.skill_names() == ['demo'] and registry.generation is None
    with pytest.raises(ValueError, match='its commit is not known'):
        registry.revision()
    shutil.copytree(plain, tmp_path / 'clone' / 'skills')
    clone = GitSkillsRegistry('https://x.invalid/x', path='skills', target_dir=tmp_path / 'clone', auto_install=False)
    assert clone.skill_names() == ['demo']
    for folder, message in ((tmp_path / 'no', 'is not there'), (plain / 'demo', 'is itself a skill')):
        with pytest.raises(ValueError, match=message):
            GitSkillsRegistry('https://example.invalid/x', target_dir=folder, auto_install=False).sync()
    (tmp_path / 'empty').mkdir()
    with pytest.raises(ValueError, match='is empty'):
        GitSkillsRegistry('https://example.invalid/x', target_dir=tmp_path / 'empty', auto_install=False).sync()
    with pytest.raises(ValueError, match='is not empty and was not made by a registry'):
        GitSkillsRegistry(repo.url, target_dir=plain).sync()
    with pytest.raises(RuntimeError):
        GitSkillsRegistry('file:///nowhere', target_dir=tmp_path / 'store').sync()
    with pytest.raises(ValueError, match='holds no library yet'):
        GitSkillsRegistry('file:///nowhere', target_dir=tmp_path / 'store', auto_install=False).sync()


def test_auto_install_off_finds_a_tree_too(repo: Repo, tmp_path: Path):
    repo.write('SKILL.md', '---\ndescription: At the top.\n---\n')
    repo.write('deep/in/it/inner/SKILL.md', '---\nname: inner\ndescription: Inner.\n---\n')
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other/SKILL.md').write_text('---\ndescription: Not of this repository.\n---\n')
    (repo.path / 'deep/out').symlink_to(tmp_path / 'other')
    repo.commit()
    clone = tmp_path / 'clone'
    git('clone', '-q', repo.url, str(clone))
    registry = GitSkillsRegistry(
        'https://example.invalid/my-skills.git', layout='tree', target_dir=clone, auto_install=False
    )
    with pytest.warns(UserWarning, match='deep/out: the link leads to'):
        library = registry.sync()
    assert names_in(library) == ['demo', 'inner', 'my-skills'] and registry.sync() == library
    assert clone not in library.parents and registry.skill_names() == ['demo', 'inner', 'my-skills']
    one = GitSkillsRegistry('https://x.invalid/x', path='deep', layout='tree', target_dir=clone, auto_install=False)
    assert names_in(one.sync()) == ['inner']


@pytest.mark.parametrize('damage', ['objects', 'lock', 'shallow', 'gone', 'head'])
def test_a_broken_repository_of_the_last_sync_does_not_matter(repo: Repo, tmp_path: Path, damage: str):
    registry = GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store')
    registry.sync()
    assert registry.generation is not None
    kept = registry.generation.folder / 'repo.git'
    if damage == 'objects':
        for pack in kept.glob('objects/pack/*.pack'):
            pack.chmod(0o644)
            pack.write_bytes(b'PACK garbage')
    elif damage == 'lock':
        for name in ('shallow.lock', 'config.lock', 'HEAD.lock', 'refs/skills/wanted.lock', 'packed-refs.lock'):
            (kept / name).write_text('')
    elif damage == 'shallow':
        (kept / 'shallow').write_text('garbage')
    elif damage == 'gone':
        shutil.rmtree(kept)
    else:
        (kept / 'HEAD').write_text('')
    repo.write('demo/a.md', 'new')
    repo.commit()
    assert (registry.sync() / 'demo/a.md').read_text() == 'new'


def test_many_small_syncs_start_afresh_now_and_then(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr('pydantic_ai_skills.registries.git_repository._MOST_PACKS', 3)
    registry = GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store')
    for number in range(6):
        repo.write('demo/a.md', str(number))
        repo.commit()
        assert (registry.sync() / 'demo/a.md').read_text() == str(number)
    assert registry.generation is not None
    assert len(list(registry.generation.folder.glob('repo.git/objects/pack/*.pack'))) <= 3


def test_a_full_disk_keeps_the_old_generation(repo: Repo, tmp_path: Path):
    """A limit on the size of files stands in for the disk: writing past it fails in the same place."""
    registry = GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store')
    first = registry.sync()
    repo.write('demo/data.bin', os.urandom(3_000_000))
    repo.commit()

    def with_little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        with said() as warned:
            assert registry.sync() == first
        assert 'Using what was fetched' in warned[0]

    assert in_child(with_little_room) == 0
    assert (registry.sync() / 'demo/data.bin').stat().st_size == 3_000_000


def test_eight_processes_fetch_once(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    GitSkillsRegistry(repo.url).identity()
    go, start = os.pipe()
    children: list[int] = []
    for _ in range(8):
        if (child := os.fork()) == 0:
            os.close(start)
            os.read(go, 1)
            names = names_in(GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store').sync())
            os._exit(0 if names == ['demo'] else 1)
        children.append(child)
    os.close(start)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert sum(call.startswith('fetch') for call in shim.calls) == 1


def test_there_is_no_git(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    registry = GitSkillsRegistry(repo.url)
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(RuntimeError, match='no git on PATH'):
        registry.sync()


def test_a_child_that_holds_the_output_open_does_not_keep_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As a credential cache does that a helper has started."""
    folder = tmp_path / 'bin'
    folder.mkdir()
    (folder / 'git').write_text('#!/bin/sh\nsleep 30 &\necho $! > "$0.pid"\necho fatal: no such thing >&2\nexit 3\n')
    (folder / 'git').chmod(0o755)
    monkeypatch.setenv('PATH', f'{folder}{os.pathsep}{os.environ["PATH"]}')
    started = time.monotonic()
    with pytest.raises(RuntimeError, match='`git ls-remote` failed: fatal: no such thing'):
        GitSkillsRegistry('file:///x').sync()
    assert time.monotonic() - started < 25
    os.kill(int((folder / 'git.pid').read_text()), signal.SIGKILL)


def test_a_git_that_ends_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / 'bin'
    folder.mkdir()
    (folder / 'git').write_text('#!/bin/sh\nexec >&- 2>&-\nkill -9 $$\n')
    (folder / 'git').chmod(0o755)
    monkeypatch.setenv('PATH', f'{folder}{os.pathsep}{os.environ["PATH"]}')
    with pytest.raises(RuntimeError, match='`git ls-remote` failed: exit status -9'):
        GitSkillsRegistry('file:///x').sync()
    assert not GitError('x').timed_out


def test_upstream_that_vanishes_is_told_with_its_age(repo: Repo, tmp_path: Path):
    registry = GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store')
    first = registry.sync()
    record = registry.generation.folder / 'generation.json' if registry.generation else tmp_path
    text = record.read_text()
    when = text[text.index('"when": "') + 9 :][:10]
    record.write_text(text.replace(when, f'{int(when[:4]) - 1}{when[4:]}'))
    shutil.rmtree(repo.path)
    with pytest.warns(UserWarning, match=r'Using what was fetched 36\d days ago'):
        assert GitSkillsRegistry(repo.url, target_dir=tmp_path / 'store').sync() == first
    with pytest.raises(ValueError, match='no branch or tag'):  # a mistake is not a failure of the network
        other = Repo(tmp_path / 'other')
        other.commit()
        git('branch', 'gone', cwd=other.path)
        gone = GitSkillsRegistry(other.url, ref='gone', target_dir=tmp_path / 'store2')
        with said():
            gone.sync()
        git('branch', '-D', 'gone', cwd=other.path)
        gone.sync()
