from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pydantic_ai_skills import GitCloneOptions, GitSkillsRegistry, S3SkillsRegistry
from pydantic_ai_skills.registries.work import Progress

from .helpers import files_in, names_in, said
from .servers import GitShim, Repo, git, git_host

SKILL = '---\nname: {0}\ndescription: Does {0}.\n---\n\nDo it.\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / 'upstream' / 'acme-skills')
    repo.write('skills/demo/SKILL.md', SKILL.format('demo'))
    repo.write('skills/demo/scripts/run.sh', '#!/bin/sh\necho hi\n')
    (repo.path / 'skills/demo/scripts/run.sh').chmod(0o755)
    repo.write('README.md', 'about')
    repo.commit('first')
    return repo


def test_sync_brings_the_folder_without_git(repo: Repo):
    registry = GitSkillsRegistry(repo.url, path='/skills/')
    library = registry.sync()
    assert files_in(library) == ['demo/SKILL.md', 'demo/scripts/run.sh']
    assert os.access(library / 'demo/scripts/run.sh', os.X_OK)
    assert not os.access(library / 'demo/SKILL.md', os.X_OK)
    assert registry.revision() == git('rev-parse', 'HEAD', cwd=repo.path)
    generation = registry.generation
    assert generation is not None and generation.revision == registry.revision()
    assert (datetime.now(UTC) - generation.when).total_seconds() < 60
    assert len(generation.digest) == 64
    assert repr(registry) == f"GitSkillsRegistry('{repo.url}', path='skills')"
    assert registry.origin == 'remote'
    assert [info.name for info in registry.skill_infos()] == ['demo']


def test_nothing_changed_is_one_ls_remote_in_another_process_too(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    library = GitSkillsRegistry(repo.url, path='skills').sync()
    shim.forget()
    assert GitSkillsRegistry(repo.url, path='skills').sync() == library
    assert [call.split()[0] for call in shim.calls] == ['ls-remote']
    shim.forget()
    code = f'from pydantic_ai_skills import GitSkillsRegistry; print(GitSkillsRegistry({repo.url!r}, path="skills").sync())'
    shown = subprocess.run([sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == str(library)
    assert [call.split()[0] for call in shim.calls] == ['ls-remote']


def test_a_full_commit_id_asks_nobody_once_it_is_there(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    commit = git('rev-parse', 'HEAD', cwd=repo.path)
    repo.write('skills/demo/SKILL.md', SKILL.format('demo') + 'More.\n')
    repo.commit()
    registry = GitSkillsRegistry(repo.url, path='skills', ref=commit)
    assert 'More.' not in (registry.sync() / 'demo/SKILL.md').read_text()
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    registry.sync()
    assert shim.calls == []


def test_a_short_commit_id_is_found_in_the_history(repo: Repo):
    commit = git('rev-parse', 'HEAD', cwd=repo.path)
    repo.commit('second')
    registry = GitSkillsRegistry(repo.url, path='skills', ref=commit[:9])
    first = registry.sync()
    assert registry.revision() == commit
    assert registry.sync() == first
    with pytest.raises(ValueError, match="'abcdef1' stands for no commit"):
        GitSkillsRegistry(repo.url, path='skills', ref='abcdef1').sync()


def test_each_kind_of_reference(repo: Repo):
    git('tag', '-am', 'x', 'v1', cwd=repo.path)
    git('branch', 'v1', cwd=repo.path)  # a branch wins over a tag of the same name, as in git clone
    git('update-ref', 'refs/pull/7/head', 'HEAD', cwd=repo.path)
    first = git('rev-parse', 'HEAD', cwd=repo.path)
    git('checkout', '-q', 'v1', cwd=repo.path)
    repo.write('skills/demo/a.md', 'branch')
    second = repo.commit()
    git('checkout', '-q', 'main', cwd=repo.path)
    assert GitSkillsRegistry(repo.url, path='skills', ref='v1').revision() == second
    assert GitSkillsRegistry(repo.url, path='skills', ref='refs/tags/v1').revision() == first
    assert GitSkillsRegistry(repo.url, path='skills', ref='refs/pull/7/head').revision() == first
    assert GitSkillsRegistry(repo.url, path='skills').revision() == first
    with pytest.raises(ValueError, match="no branch or tag 'nope'"):
        GitSkillsRegistry(repo.url, path='skills', ref='nope').sync()


def test_a_moved_tag_and_a_renamed_default_branch_are_followed(repo: Repo):
    git('tag', 'v1', cwd=repo.path)
    tagged, default = GitSkillsRegistry(repo.url, path='skills', ref='v1'), GitSkillsRegistry(repo.url, path='skills')
    tagged.sync()
    default.sync()
    git('branch', '-m', 'main', 'trunk', cwd=repo.path)
    second = repo.commit('second')
    git('tag', '-f', 'v1', cwd=repo.path)
    tagged.sync()
    default.sync()
    assert tagged.revision() == default.revision() == second


def test_links_become_what_they_lead_to(repo: Repo):
    repo.write('shared/far/SKILL.md', SKILL.format('far'))
    repo.write('shared/far/notes.md', 'far notes')
    os.symlink('../shared/far', repo.path / 'skills/linked')
    os.symlink('../../README.md', repo.path / 'skills/demo/about.md')
    os.symlink('../shared/far/notes.md', repo.path / 'skills/via')
    os.symlink('../via', repo.path / 'skills/demo/two-hops.md')
    os.symlink('/etc/passwd', repo.path / 'skills/demo/passwd')
    os.symlink('../../../outside', repo.path / 'skills/demo/outside')
    os.symlink('nowhere', repo.path / 'skills/demo/nowhere')
    os.symlink('loop', repo.path / 'skills/demo/loop')
    os.symlink('.', repo.path / 'skills/demo/self')
    repo.commit()
    registry = GitSkillsRegistry(repo.url, path='skills')
    with pytest.warns(UserWarning, match='Links that lead nowhere or out of the repository'):
        library = registry.sync()
    assert names_in(library) == ['demo', 'linked']
    assert (library / 'linked/notes.md').read_text() == 'far notes'
    assert (library / 'demo/about.md').read_text() == 'about'
    assert (library / 'demo/two-hops.md').read_text() == 'far notes'
    assert not any(path.is_symlink() for path in library.rglob('*'))
    (finding,) = registry.diagnostics
    assert finding.code == 'link-escape'
    for name in ('passwd', 'outside', 'nowhere', 'loop', 'self'):
        assert f'demo/{name}' in finding.message
        assert not os.path.lexists(library / 'demo' / name)


def test_submodules_and_lfs_pointers_are_told(repo: Repo, tmp_path: Path):
    other = Repo(tmp_path / 'other')
    other.write('a', 'b')
    other.commit()
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.url, 'skills/sub', cwd=repo.path)
    repo.write('skills/demo/big.bin', f'version https://git-lfs.github.com/spec/v1\noid sha256:{"0" * 64}\nsize 9\n')
    repo.commit()
    registry = GitSkillsRegistry(repo.url, path='skills')
    with said() as warned:
        registry.sync()
        GitSkillsRegistry(repo.url, path='skills').sync()
    assert [finding.code for finding in registry.diagnostics] == ['not-fetched', 'not-fetched']
    assert 'sub' in warned[0] and 'demo/big.bin' in warned[1]
    assert warned[2:] == warned[:2]  # once for each registry object


def test_tree_takes_only_what_belongs_to_skills(repo: Repo):
    repo.write('SKILL.md', SKILL.format('root'))
    repo.write('src/code.py', 'x = 1')
    repo.write('plugins/a/Odd Name/SKILL.md', SKILL.format('whatever'))
    repo.write('plugins/b/.env', 'SECRET=1')
    repo.commit()
    library = GitSkillsRegistry(repo.url, layout='tree').sync()
    assert names_in(library) == ['acme-skills', 'demo', 'whatever']
    assert 'acme-skills/src/code.py' in files_in(library)
    assert not any('.env' in name for name in files_in(library))
    assert not any(name.startswith('acme-skills/skills/demo') for name in files_in(library))
    git('rm', '-q', 'SKILL.md', cwd=repo.path)
    repo.commit()
    assert files_in(GitSkillsRegistry(repo.url, layout='tree', path='skills').sync()) == [
        'demo/SKILL.md',
        'demo/scripts/run.sh',
    ]


def test_contents_that_are_not_needed_are_not_fetched(repo: Repo, tmp_path: Path):
    repo.write('big.bin', os.urandom(2_000_000))
    repo.commit()
    with git_host(tmp_path / 'upstream') as host:
        registry = GitSkillsRegistry(f'{host.url}/acme-skills', path='skills')
        registry.sync()
    assert registry.generation is not None
    folder = registry.generation.folder
    assert sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) < 200_000
    assert not (folder / 'library' / '.git').exists()


def test_the_next_fetch_starts_from_the_last_one(repo: Repo, tmp_path: Path):
    repo.write('skills/demo/data.bin', os.urandom(2_000_000))
    repo.commit()
    seen: list[tuple[str, int, int | None]] = []
    progress: Progress = lambda *event: seen.append(event)  # noqa: E731
    with git_host(tmp_path / 'upstream') as host:
        registry = GitSkillsRegistry(f'{host.url}/acme-skills', path='skills')
        first = registry.sync(progress=progress)
        repo.write('skills/demo/a.md', 'new')
        repo.commit()
        host.cut = 200_000  # what is new fits easily
        second = registry.sync()
    assert (second / 'demo/a.md').read_text() == 'new'
    assert (second / 'demo/data.bin').read_bytes() == (first / 'demo/data.bin').read_bytes()
    phases = [phase for phase, _, _ in seen]
    assert phases[0] == 'check' and 'fetch' in phases and phases[-1] == 'checkout'
    assert seen[-1][1] == seen[-1][2] == 3


@pytest.mark.parametrize('setting', ['uploadpack.allowFilter=false', 'protocol.version=0'])
def test_servers_that_can_do_less(repo: Repo, tmp_path: Path, setting: str):
    key, _, value = setting.partition('=')
    git('config', key, value, cwd=repo.path)
    first = git('rev-parse', 'HEAD', cwd=repo.path)
    repo.commit('second')
    with git_host(tmp_path / 'upstream') as host:
        url = f'{host.url}/acme-skills'
        assert names_in(GitSkillsRegistry(url, path='skills').sync()) == ['demo']
        assert GitSkillsRegistry(url, path='skills', ref=first).revision() == first


def test_a_server_that_only_has_files(repo: Repo, tmp_path: Path):
    """The oldest way of serving a repository can neither cut a history nor leave contents out."""
    bare = tmp_path / 'www' / 'bare.git'
    git('clone', '-q', '--bare', repo.url, str(bare))
    git('update-server-info', cwd=bare)
    with git_host(tmp_path / 'www', smart=False) as host:
        assert names_in(GitSkillsRegistry(f'{host.url}/bare.git', path='skills').sync()) == ['demo']


def test_sparse_paths(repo: Repo):
    repo.write('skills/other/SKILL.md', SKILL.format('other'))
    repo.write('skills/third/SKILL.md', SKILL.format('third'))
    repo.commit()
    options = GitCloneOptions(sparse_paths=['skills/other', 'skills/th*'])
    assert names_in(GitSkillsRegistry(repo.url, path='skills', clone_options=options).sync()) == ['other', 'third']


def test_clone_options_are_honoured_and_not_changed(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    git('branch', 'dev', cwd=repo.path)
    repo.commit('on main')
    env, multi = {'MARK': 'x'}, ['--config http.extraHeader="X-Secret: hush"', '--depth=2', '--branch dev', '--no-tags']
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    options = GitCloneOptions(env=env, multi_options=multi, git_options={'filter': 'blob:limit=1m', 'jobs': 2})
    registry = GitSkillsRegistry(repo.url, path='skills', clone_options=options)
    registry.sync()
    assert registry.ref == 'dev' and registry.revision() == git('rev-parse', 'dev', cwd=repo.path)
    fetch = next(call for call in shim.calls if call.startswith('fetch'))
    for argument in ('--depth=2', '--filter=blob:limit=1m', '--jobs=2', '--no-tags'):
        assert argument in fetch
    assert 'hush' not in '\n'.join(shim.calls) + repr(options) + repr(registry)
    assert env == {'MARK': 'x'} and options.env == env and options.multi_options == multi


@pytest.mark.parametrize(
    'options',
    [{'multi_options': ['--mirror']}, {'multi_options': ['--upload-pack', 'x']}, {'git_options': {'bare': True}}],
)
def test_clone_options_that_mean_nothing_are_refused(options: dict[str, object]):
    with pytest.raises(ValueError, match='means nothing here'):
        GitSkillsRegistry('https://example.com/x', clone_options=GitCloneOptions(**options))  # pyright: ignore[reportArgumentType]


def test_path_that_is_not_there_names_what_is(repo: Repo):
    with pytest.raises(ValueError, match=r"no folder 'skill' at .* It has: skills, skills/demo"):
        GitSkillsRegistry(repo.url, path='skill').sync()
    with pytest.raises(ValueError, match=r"no folder 'README\.md'"):
        GitSkillsRegistry(repo.url, path='README.md').sync()
    with pytest.raises(ValueError, match=r"'skills/demo' is itself a skill"):
        GitSkillsRegistry(repo.url, path='skills/demo').sync()


def test_a_linked_path_is_followed(repo: Repo):
    os.symlink('skills', repo.path / 'link')
    repo.commit()
    assert names_in(GitSkillsRegistry(repo.url, path='link').sync()) == ['demo']


def test_an_empty_repository_says_so(tmp_path: Path):
    with pytest.raises(ValueError, match='has no commit yet'):
        GitSkillsRegistry(Repo(tmp_path / 'empty').url).sync()


def test_a_folder_without_packages_says_how_to_find_them(repo: Repo):
    registry = GitSkillsRegistry(repo.url)
    with pytest.warns(UserWarning, match="no skill package.*layout='tree'"):
        registry.sync()
    assert [finding.code for finding in registry.diagnostics] == ['library-empty']


def test_local_paths_with_blanks(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree(repo.path, tmp_path / 'a "b" \\c')
    assert names_in(GitSkillsRegistry(str(tmp_path / 'a "b" \\c'), path='skills').sync()) == ['demo']
    monkeypatch.chdir(tmp_path)
    assert names_in(GitSkillsRegistry('upstream/acme-skills', path='skills').sync()) == ['demo']


def test_another_url_in_the_same_folder_is_made_anew(repo: Repo, tmp_path: Path):
    other = Repo(tmp_path / 'other')
    other.write('new/SKILL.md', SKILL.format('new'))
    other.commit()
    target = tmp_path / 'store'
    assert names_in(GitSkillsRegistry(repo.url, path='skills', target_dir=target).sync()) == ['demo']
    assert names_in(GitSkillsRegistry(other.url, target_dir=target).sync()) == ['new']
    shutil.rmtree(other.path)
    with pytest.raises(RuntimeError):  # never the skills of another source
        GitSkillsRegistry(repo.url + '-gone', target_dir=target).sync()
    with pytest.warns(UserWarning, match='another source'):
        library = GitSkillsRegistry(repo.url, target_dir=target, auto_install=False).sync()
    assert names_in(library) == ['new']


def test_user_settings_and_surroundings_do_not_matter(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Hooks, attributes, and a repository around the store: none of it changes what is checked out."""
    hooks = tmp_path / 'hooks'
    hooks.mkdir()
    (hooks / 'post-checkout').write_text('#!/bin/sh\ntouch "$PWD/hooked"\n')
    (hooks / 'post-checkout').chmod(0o755)
    config = tmp_path / 'gitconfig'
    config.write_text(f'[core]\n\thooksPath = {hooks}\n\tautocrlf = true\n[fetch]\n\trecurseSubmodules = true\n')
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(config))
    monkeypatch.setenv('GIT_DIR', str(tmp_path / 'nowhere'))
    monkeypatch.setenv('GIT_TRACE', '1')
    around = Repo(tmp_path / 'project')
    library = GitSkillsRegistry(repo.url, path='skills', target_dir=around.path / '.skills').sync()
    assert files_in(library) == ['demo/SKILL.md', 'demo/scripts/run.sh']
    assert b'\r' not in (library / 'demo/SKILL.md').read_bytes()


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        ({'repo_url': 7}, TypeError, 'repo_url must be text'),
        ({'repo_url': ''}, ValueError, 'no repository URL'),
        ({'repo_url': '--upload-pack=x'}, ValueError, 'no repository URL'),
        ({'repo_url': 'ext::sh -c x'}, ValueError, 'transport helper'),
        ({'repo_url': 'ftp://h/x'}, ValueError, 'ftp'),
        ({'repo_url': 'https:///x'}, ValueError, 'no host'),
        ({'repo_url': 'https://u:hush@h:port/x'}, ValueError, r'\*\*\*@h:port'),
        ({'repo_url': 'ssh://u:hush@h/x'}, ValueError, 'ssh_key_file'),
        ({'ref': '-x'}, ValueError, 'no branch'),
        ({'ref': 'a..b'}, ValueError, 'no branch'),
        ({'ref': ''}, ValueError, 'no branch'),
        ({'ref': 3}, TypeError, 'ref must be text'),
        ({'path': '../x'}, ValueError, 'path must be'),
        ({'path': None}, TypeError, 'path must be text'),
        ({'timeout': 0}, ValueError, 'timeout'),
        ({'timeout': True}, ValueError, 'timeout'),
        ({'timeout': 'x'}, ValueError, 'timeout'),
        ({'timeout': float('inf')}, ValueError, 'timeout'),
        ({'token_user': None}, TypeError, 'token_user'),
        ({'clone_options': {'depth': 1}}, TypeError, 'clone_options must be GitCloneOptions'),
        ({'layout': 'flat'}, ValueError, 'layout'),
        ({'token': 3}, TypeError, 'token'),
        ({'token': 'hush\nhush'}, ValueError, 'single line'),
        ({'token_user': 'a\nb'}, ValueError, 'git cannot be told'),
        ({'target_dir': 3}, TypeError, 'target_dir'),
        ({'ssh_key_file': 'key'}, ValueError, 'ssh_key_file= is for SSH'),
        ({'repo_url': 'git@h:x', 'token': 'hush'}, ValueError, 'token= is for HTTPS'),
    ],
)
def test_arguments_that_cannot_be_right(arguments: dict[str, object], error: type[Exception], message: str):
    with pytest.raises(error, match=message) as raised:
        GitSkillsRegistry(**{'repo_url': 'https://example.com/x'} | arguments)  # pyright: ignore[reportArgumentType]
    assert 'hush' not in str(raised.value)


@pytest.mark.parametrize(
    'options', [{'depth': 0}, {'depth': True}, {'multi_options': ['--depth', 'x']}, {'multi_options': ['-b']}]
)
def test_clone_options_that_cannot_be_right(options: dict[str, object]):
    with pytest.raises(ValueError, match=r'depth|without a value'):
        GitSkillsRegistry('https://example.com/x', clone_options=GitCloneOptions(**options))  # pyright: ignore[reportArgumentType]
    for wrong in (
        {'sparse_paths': 'skills'},
        {'sparse_paths': None},
        {'multi_options': [1]},
        {'env': None},
        {'git_options': 3},
    ):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            GitCloneOptions(**wrong)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match='multi_options what a shell could not split') as raised:
        GitSkillsRegistry('https://example.com/x', clone_options=GitCloneOptions(multi_options=["-c 'hush"]))
    assert 'hush' not in str(raised.value)


def test_a_store_is_read_without_the_extras(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    GitSkillsRegistry(repo.url, path='skills', target_dir=tmp_path / 'store').sync()
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    installed = GitSkillsRegistry(repo.url, path='skills', target_dir=tmp_path / 'store', auto_install=False)
    assert names_in(installed.sync()) == ['demo']
    assert S3SkillsRegistry('b', auto_install=False).bucket == 'b'
    for make in (lambda: GitSkillsRegistry(repo.url), lambda: S3SkillsRegistry('b')):
        with pytest.raises(ImportError, match=r'pip install .pydantic-ai-skills\['):
            make()


def test_importing_the_package_imports_no_git():
    code = 'import sys, pydantic_ai_skills; print([m for m in ("git", "boto3", "botocore", "ruamel.yaml") if m in sys.modules])'
    shown = subprocess.run([sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == '[]'
