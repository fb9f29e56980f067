"""Repositories, servers and surroundings that are not as usual, and yet no reason to fail."""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from pydantic_ai_skills import GitSkillsRegistry

from .helpers import files_in, in_child, names_in, said
from .servers import GitShim, Repo, git, git_host

SKILL = '---\nname: {0}\ndescription: Does {0}.\n---\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / 'upstream' / 'repo')
    repo.write('demo/SKILL.md', SKILL.format('demo'))
    repo.commit()
    return repo


def piped(repo: Repo, content: bytes, *command: str) -> str:
    done = subprocess.run(['git', *command], cwd=repo.path, input=content, check=True, capture_output=True)
    return done.stdout.decode().strip()


def tree(repo: Repo, *entries: tuple[str, str, str, str]) -> str:
    """A tree of (mode, type, id, name), which need not be one that git itself would make."""
    lines = [f'{mode} {kind} {sha}\t{name}' for mode, kind, sha, name in entries]
    return piped(repo, '\0'.join(lines).encode() + b'\0', 'mktree', '-z')


@pytest.mark.parametrize('length', [64, 12])
def test_a_repository_with_sha256_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int):
    path = tmp_path / 'repo'
    git('init', '-q', '--object-format=sha256', str(path))
    (path / 'demo').mkdir()
    (path / 'demo/SKILL.md').write_text(SKILL.format('demo'))
    git('add', '-A', cwd=path)
    git('commit', '-qm', 'first', cwd=path)
    commit = git('rev-parse', 'HEAD', cwd=path)
    for ref in (None, commit[:length]):
        registry = GitSkillsRegistry(path.as_uri(), ref=ref)
        assert names_in(registry.sync()) == ['demo'] and registry.revision() == commit


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('GIT_DEFAULT_HASH', 'sha256'),
        ('GIT_NO_LAZY_FETCH', '1'),
        ('GIT_SHALLOW_FILE', '/nowhere/x'),
        ('GIT_CONFIG', '/x'),
    ],
)
def test_variables_of_a_git_around_us_do_not_matter(repo: Repo, monkeypatch: pytest.MonkeyPatch, name: str, value: str):
    monkeypatch.setenv(name, value)
    assert names_in(GitSkillsRegistry(repo.url, layout='tree').sync()) == ['demo']


def test_the_users_settings_change_no_content(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    repo.write('demo/notes.txt', 'a\nb\n')
    repo.write('demo/.gitattributes', '*.txt text\n')
    repo.commit()
    (tmp_path / 'attributes').write_text('*.md filter=up\n')
    config = tmp_path / 'gitconfig'
    config.write_text(
        f'[core]\neol=crlf\nattributesFile={tmp_path}/attributes\n[filter "up"]\nsmudge=tr a-z A-Z\n'
        '[init]\ndefaultBranch=no branch\n[remote "origin"]\nurl=/nowhere\n[fetch]\nprune=true\n'
        f'[trace2]\neventTarget={tmp_path}/trace\nenvVars=PYDANTIC_AI_SKILLS_GIT_PASSWORD\n'
    )
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(config))
    library = GitSkillsRegistry(repo.url).sync()
    assert (library / 'demo/notes.txt').read_bytes() == b'a\nb\n'
    assert (library / 'demo/SKILL.md').read_text() == SKILL.format('demo')
    assert not (tmp_path / 'trace').exists()


def test_a_server_that_gives_no_single_blobs_is_asked_for_all(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It can leave blobs out, and does not give them later: so does a server behind a proxy that knows no protocol 2."""
    config = tmp_path / 'gitconfig'
    config.write_text('[protocol]\nversion=0\n')
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(config))
    with git_host(tmp_path / 'upstream') as host:
        registry = GitSkillsRegistry(f'{host.url}/repo', layout='tree')
        first = registry.sync()
        repo.write('demo/new.md', 'x')
        repo.commit()
        assert files_in(first) == ['demo/SKILL.md'] and files_in(registry.sync()) == ['demo/SKILL.md', 'demo/new.md']


def test_a_default_branch_that_is_not_there(repo: Repo, tmp_path: Path):
    bare = tmp_path / 'bare.git'
    git('init', '-q', '--bare', '-b', 'master', str(bare))
    git('push', '-q', str(bare), 'main', cwd=repo.path)
    registry = GitSkillsRegistry(bare.as_uri())
    assert names_in(registry.sync()) == ['demo']
    git('push', '-q', str(bare), 'main:dev', cwd=repo.path)
    with pytest.raises(ValueError, match=r'no default branch.*one of: dev, main'):
        registry.sync()


def test_a_url_with_blanks_and_letters_is_one():
    plain = GitSkillsRegistry('https://h/My Project/_git/büro')
    assert plain.repo_url == 'https://h/My%20Project/_git/b%C3%BCro'
    assert plain.identity() == GitSkillsRegistry('https://h/My%20Project/_git/b%C3%BCro').identity()


def test_references_by_any_name_that_git_has_for_them(repo: Repo):
    first = git('rev-parse', 'HEAD', cwd=repo.path)
    git('tag', 'both', cwd=repo.path)
    git('tag', '-am', 'one', 'signed', cwd=repo.path)
    git('tag', '-am', 'two', 'nested', 'signed', cwd=repo.path)
    git('tag', '-am', 'no commit', 'tree', git('rev-parse', 'HEAD^{tree}', cwd=repo.path), cwd=repo.path)
    tag = git('rev-parse', 'signed', cwd=repo.path)
    second = repo.commit('second')
    git('branch', 'both', cwd=repo.path)
    for ref, commit in {
        'both': second,
        'tags/both': first,
        'heads/both': second,
        'nested': first,
        tag: first,
        first[:7].upper(): first,
        first[:5]: first,
        'HEAD': second,
    }.items():
        registry = GitSkillsRegistry(repo.url, ref=ref)
        library = registry.sync()
        assert registry.revision() == commit, ref
        assert registry.sync() == library, f'{ref}: nothing is new'
    for ref in ('tree', '0' * 40):
        with pytest.raises(ValueError, match=f"'{ref}' stands for no commit"):
            GitSkillsRegistry(repo.url, ref=ref).sync()


def test_paths_made_to_do_harm_are_left_out(repo: Repo):
    skill = piped(repo, SKILL.format('demo').encode(), 'hash-object', '-w', '--stdin')
    x = piped(repo, b'x', 'hash-object', '-w', '--stdin')
    inner = tree(repo, ('100644', 'blob', x, 'config'))
    deep = inner
    for _ in range(150):
        deep = tree(repo, ('40000', 'tree', deep, 'd'))
    demo = tree(
        repo,
        ('40000', 'tree', inner, '..'),
        ('40000', 'tree', inner, '.git'),
        ('40000', 'tree', deep, 'deep'),
        ('100644', 'blob', x, 'n' * 256),
        ('100644', 'blob', skill, 'SKILL.md'),
        ('100644', 'blob', x, 'new\nline'),
    )
    identity = ('-c', 'user.name=a', '-c', 'user.email=a@example.com')
    top = tree(repo, ('40000', 'tree', demo, 'demo'))
    commit = piped(repo, b'', *identity, 'commit-tree', '-m', 'x', top)
    git('update-ref', 'refs/heads/main', commit, cwd=repo.path)
    registry = GitSkillsRegistry(repo.url)
    with said() as warned:
        library = registry.sync()
    assert files_in(library) == ['demo/SKILL.md', 'demo/new\nline']
    (told,) = warned
    assert 'are left out' in told and 'demo/../config' in told and 'demo/.git/config' in told and len(told) < 600


def test_many_links_cost_one_fetch(repo: Repo, tmp_path: Path):
    for number in range(12):
        repo.write(f'shared/{number}.md', str(number))
        (repo.path / f'demo/{number}.md').symlink_to(f'../shared/{number}.md')
    repo.commit()
    with git_host(tmp_path / 'upstream') as host:
        library = GitSkillsRegistry(f'{host.url}/repo', layout='tree').sync()
        assert (library / 'demo/11.md').read_text() == '11'
        assert len(host.requests) < 12


def test_a_file_system_without_hard_links(repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """There is none here, so `os.link` fails as it does on one."""

    def link(*args: object, **options: object) -> None:
        raise PermissionError(errno.EPERM, 'Operation not permitted')

    registry = GitSkillsRegistry(repo.url)
    registry.sync()
    repo.write('demo/new.md', 'x')
    repo.commit()
    monkeypatch.setattr(os, 'link', link)
    with said() as warned:
        assert files_in(registry.sync()) == ['demo/SKILL.md', 'demo/new.md']
    assert warned == []


def test_what_cannot_be_started_says_so(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin/git').write_bytes(b'\x7fELF garbage')
    (tmp_path / 'bin/git').chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path / 'bin'))
    with pytest.raises(RuntimeError, match='git cannot be started: Exec format error'):
        GitSkillsRegistry(repo.url).sync()


def test_an_ssh_key_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    with pytest.raises(RuntimeError, match=r"There is no SSH key '.*/missing'"):
        GitSkillsRegistry('git@example.com:a/b', ssh_key_file=tmp_path / 'missing').sync()
    assert shim.calls == []


def test_what_git_said_is_told_without_its_progress(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / 'bin').mkdir()
    noise = 'remote: Counting objects:  50% (1/2)\rremote: Counting objects: 100% (2/2), done.\nReceiving objects:  3% (1/9)'
    errors = ''.join(f'error: unable to write file {number}\n' for number in range(50))
    (tmp_path / 'said').write_text(f'{noise}\r\n{errors}fatal: enough\n', newline='')
    (tmp_path / 'bin/git').write_text(f'#!/bin/sh\ncat {tmp_path}/said >&2\nexit 128\n')
    (tmp_path / 'bin/git').chmod(0o755)
    monkeypatch.setenv('PATH', f'{tmp_path}/bin{os.pathsep}{os.environ["PATH"]}')
    with pytest.raises(RuntimeError) as raised:
        GitSkillsRegistry(repo.url).sync()
    told = str(raised.value).partition('`git ls-remote` failed: ')[2]
    assert told == (
        'error: unable to write file 45 error: unable to write file 46 error: unable to write file 47 error: unable to '
        'write file 48 error: unable to write file 49 fatal: enough. Is there room on the disk? Another place can be '
        'chosen by target_dir or PYDANTIC_AI_SKILLS_CACHE.'
    )


def test_a_cache_that_cannot_be_written_is_used_as_long_as_it_is_right(repo: Repo, monkeypatch: pytest.MonkeyPatch):
    importlib.import_module('git')  # somebody else may not be able to
    with tempfile.TemporaryDirectory() as folder, git_host(repo.path.parent) as host:
        os.chmod(folder, 0o755)
        cache = Path(folder) / 'cache'
        monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(cache))
        assert in_child(lambda: GitSkillsRegistry(f'{host.url}/repo').sync()) == 0
        (kept,) = cache.glob('registries/*/generations/*')
        for path in [cache, *(path for path in cache.rglob('*') if path.is_dir())]:
            os.chmod(path, 0o555)

        def as_somebody_else() -> None:
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            monkeypatch.setenv('HOME', '/nowhere')
            registry = GitSkillsRegistry(f'{host.url}/repo')
            assert registry.sync() == kept / 'library' == registry.sync()

        def as_somebody_else_later() -> None:
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            library = GitSkillsRegistry(f'{host.url}/repo').sync()
            assert kept not in library.parents and files_in(library) == ['demo/SKILL.md', 'demo/new.md']

        asked = len(host.requests)
        assert in_child(as_somebody_else) == 0
        assert [request.split()[0] for request in host.requests[asked:]] == ['GET', 'POST'] * 2  # two times ls-remote
        repo.write('demo/new.md', 'x')
        repo.commit()
        assert in_child(as_somebody_else_later) == 0
        for path in [cache, *(path for path in cache.rglob('*') if path.is_dir())]:
            os.chmod(path, 0o755)
