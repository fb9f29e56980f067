"""Who is given which credentials, and that nobody else ever sees them."""

from __future__ import annotations

import base64
import copy
import os
import pickle
import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr

from pydantic_ai_skills import GitCloneOptions, GitSkillsRegistry
from pydantic_ai_skills.registries.git_auth import GitEnvironment, find_credentials
from pydantic_ai_skills.registries.git_url import parse_url

from .helpers import names_in, said
from .servers import GitShim, Repo, git_host

TOKEN = 'ghp_secret0123456789'
AMBIENT = 'ghp_ambient0123456789'


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    repo = Repo(tmp_path / 'upstream' / 'repo')
    repo.write('demo/SKILL.md', '---\nname: demo\ndescription: Demo.\n---\n')
    repo.commit()
    return tmp_path / 'upstream'


def spellings(token: str, user: str = 'x-access-token') -> set[str]:
    return {token, base64.b64encode(f'{user}:{token}'.encode()).decode()}


def test_the_token_opens_the_host_and_leaks_nowhere(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The leak test: argv of every process, every file of the store, repr, messages and tracebacks."""
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    shown: list[str] = []
    with git_host(upstream, token=TOKEN) as host:
        registry = GitSkillsRegistry(f'{host.url}/repo', token=TOKEN, target_dir=tmp_path / 'store')
        assert names_in(registry.sync()) == ['demo']
        assert host.credentials and set(host.credentials) == {f'x-access-token:{TOKEN}'}
        host.token = 'another'
        with said() as warned:
            registry.sync()
        assert 'Authentication failed' in warned[0] and 'refused' in warned[0]
        shown += warned
        refused = GitSkillsRegistry(f'{host.url}/repo', token=TOKEN, target_dir=tmp_path / 'empty')
        with pytest.raises(RuntimeError, match='Authentication failed') as raised:
            refused.sync()
        shown += traceback.format_exception(raised.value)
        for frame, _ in list(traceback.walk_tb(raised.tb))[1:]:  # what a debugger, or rich, would show
            shown += [repr(value) for value in frame.f_locals.values()]
    shown += [repr(registry), str(registry), repr(vars(registry)), repr(registry.generation), registry.identity()]
    shown += shim.calls
    for root in (tmp_path / 'store', tmp_path / 'empty'):
        shown += [path.read_bytes().decode('latin-1') for path in root.rglob('*') if path.is_file()]
    own = [text for text in shown if any(spelling in text for spelling in spellings(TOKEN))]
    assert [text[:200] for text in own] == []


@pytest.mark.parametrize('form', ['user:{}', '{}:x-oauth-basic', '{}'])
def test_credentials_in_the_url(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str):
    shim = GitShim(tmp_path / 'bin', monkeypatch)
    with git_host(upstream, token=TOKEN) as host:
        url = host.url.replace('//', f'//{form.format(TOKEN)}@')
        registry = GitSkillsRegistry(f'{url}/repo')
        library = registry.sync()
        assert names_in(library) == ['demo']
        host.token = 'another'
        with said() as warned:
            registry.sync()
    assert registry.repo_url == f'{host.url}/repo'
    shown = ''.join([*shim.calls, *warned, repr(registry), repr(vars(registry)), registry.identity(), str(library)])
    assert TOKEN not in shown


def test_the_environments_token_is_for_github_alone(upstream: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('GITHUB_TOKEN', AMBIENT)
    for url, sent in (
        ('https://github.com/a/b', True),
        ('https://GitHub.com:443/a/b', True),
        ('http://github.com/a/b', False),
        ('https://github.com.evil.example/a/b', False),
        ('https://evil.example/github.com/b', False),
        ('https://github.com@evil.example/a/b', False),
        ('https://github.com:8443/a/b', False),
        ('git@github.com:a/b', False),
        ('ssh://git@github.com/a/b', False),
    ):
        secrets = [item.secret for item in find_credentials(parse_url(url), None, 'x') if item is not None]
        assert (SecretStr(AMBIENT) in secrets) == sent, url
    (explicit,) = find_credentials(parse_url('https://github.com/a/b'), SecretStr(TOKEN), 'x')
    assert explicit is not None and explicit.secret == SecretStr(TOKEN)
    with git_host(upstream) as host:
        GitSkillsRegistry(f'{host.url}/repo').sync()
        assert host.credentials == []


def test_a_redirect_to_another_host_gets_no_credentials(upstream: Path):
    with git_host(upstream, token='something else') as thief, git_host(upstream) as host:
        # Another host: the same machine by another name.
        host.redirect = thief.url.replace('127.0.0.1', 'localhost')
        with pytest.raises(RuntimeError):
            GitSkillsRegistry(f'{host.url}/repo', token=TOKEN).sync()
        assert thief.requests and thief.credentials == []


def test_credential_helpers_of_the_users_git_work(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    config = tmp_path / 'gitconfig'
    helper = f'!f() {{ test "$1" = get && echo username=me && echo password={TOKEN}; }}; f'
    config.write_text(f"[credential]\n\thelper = '{helper}'\n".replace("'", '"').replace('test "$1"', r'test \"$1\"'))
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(config))
    with git_host(upstream, token=TOKEN) as host:
        assert names_in(GitSkillsRegistry(f'{host.url}/repo').sync()) == ['demo']
        assert set(host.credentials) == {f'me:{TOKEN}'}
        host.credentials.clear()
        with pytest.raises(RuntimeError):  # what is given explicitly is what is used
            GitSkillsRegistry(f'{host.url}/repo', token='wrong-token', target_dir=tmp_path / 'x').sync()
        assert set(host.credentials) == {'x-access-token:wrong-token'}


@pytest.mark.parametrize('form', ['{}', 'me'])
def test_a_user_name_alone_is_tried_by_itself_and_with_the_helpers(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
):
    """Helpers write down what has worked, so a token must not have worked in their presence."""
    stored = tmp_path / 'stored'
    config = tmp_path / 'gitconfig'
    config.write_text(f'[credential]\n\thelper = store --file={stored}\n')
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(config))
    with git_host(upstream, token=TOKEN) as host:
        known = f'{host.url.replace("//", f"//me:{TOKEN}@")}\n' if form == 'me' else ''
        stored.write_text(known)
        registry = GitSkillsRegistry(f'{host.url.replace("//", f"//{form.format(TOKEN)}@")}/repo')
        assert names_in(registry.sync()) == ['demo']
    assert TOKEN not in stored.read_text() or form == 'me'
    assert set(host.credentials) == {f'me:{TOKEN}' if form == 'me' else f'{TOKEN}:'}


def test_a_helper_that_a_git_around_us_was_given_gets_no_token(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stored = tmp_path / 'stored'
    monkeypatch.setenv('GIT_CONFIG_PARAMETERS', f"'credential.helper=store --file={stored}'")
    with git_host(upstream, token=TOKEN) as host:
        assert names_in(GitSkillsRegistry(f'{host.url}/repo', token=TOKEN).sync()) == ['demo']
    assert not stored.exists()


def test_credentials_are_in_no_pickle_and_copies_have_them(upstream: Path, tmp_path: Path):
    for url, token in (('https://h/x', TOKEN), (f'https://u:{TOKEN}@h/x', None), (f'https://{TOKEN}@h/x', None)):
        with pytest.raises(TypeError, match='A registry with credentials cannot be pickled'):
            pickle.dumps(GitSkillsRegistry(url, token=token).prefixed('x-'))
    plain = GitSkillsRegistry('https://h/x', clone_options=GitCloneOptions(sparse_paths=['a']))
    assert repr(pickle.loads(pickle.dumps(plain))) == repr(plain)
    with git_host(upstream, token=TOKEN) as host:
        registry = GitSkillsRegistry(f'{host.url}/repo', token=TOKEN)
        for copied in (copy.copy(registry), copy.deepcopy(registry)):
            assert names_in(copied.sync()) == ['demo']


@pytest.mark.parametrize(
    'url',
    ['https://h/x?private_token={}', 'u:{}@h/x', 'https:/u:{}@h/x', 'ftp://u:{}@h/x', 'https://u:{}@h:port/x'],
)
def test_urls_that_cannot_be_right_are_refused_without_showing_secrets(url: str):
    with pytest.raises(ValueError) as raised:
        GitSkillsRegistry(url.format(TOKEN))
    assert TOKEN not in str(raised.value)


@pytest.mark.parametrize(
    'arguments',
    [{'token_user': 'a\ud800'}, {'token': TOKEN + '\ud800'}, {'repo_url': 'https://u:a%ED%A0%80%0Ab@h/x'}],
)
def test_credentials_that_no_environment_can_hold(arguments: dict[str, str]):
    with pytest.raises(ValueError, match='characters that git cannot be told') as raised:
        GitSkillsRegistry(**{'repo_url': 'https://h/x', 'token': TOKEN} | arguments)
    assert TOKEN not in str(raised.value)


def test_variables_that_no_environment_can_hold():
    for env in ({'A=B': 'x'}, {'': 'x'}, {'A': 'x\0'}):
        with pytest.raises(ValueError, match='what no environment can hold'):
            GitCloneOptions(env=env)


def test_the_users_own_ssh_command_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv('GIT_SSH_COMMAND', 'ssh -J jump')
    env = GitEnvironment(parse_url('git@h:a/b'), None, tmp_path / 'my key').variables({})
    assert env['GIT_SSH_COMMAND'].startswith(f"ssh -J jump -i '{tmp_path}/my key' -o IdentitiesOnly=yes")


def test_token_user(upstream: Path):
    with git_host(upstream, token=TOKEN) as host:
        GitSkillsRegistry(f'{host.url}/repo', token=SecretStr(TOKEN + '\n'), token_user='oauth2').sync()
        assert set(host.credentials) == {f'oauth2:{TOKEN}'}


def test_plain_http_beyond_this_machine_is_warned_about():
    with pytest.warns(UserWarning, match='plain http'):
        GitSkillsRegistry('http://example.com/x', token=TOKEN)
    with said() as warned:
        GitSkillsRegistry('http://localhost:80/x', token=TOKEN)
        GitSkillsRegistry('http://[::1]/x', token=TOKEN)
        GitSkillsRegistry('http://127.0.0.1/x', token=TOKEN)
        GitSkillsRegistry('https://example.com/x', token=TOKEN)
        GitSkillsRegistry('http://example.com/x')
    assert warned == []


def test_no_credentials_is_an_error_with_the_way_out(upstream: Path):
    with git_host(upstream, token=TOKEN) as host, pytest.raises(RuntimeError) as raised:
        GitSkillsRegistry(f'{host.url}/repo').sync()
    message = str(raised.value)
    for part in ('GitSkillsRegistry(', 'ls-remote', 'could not read Username', 'pass token='):
        assert part in message


def test_the_ssh_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """There is no sshd here, so `ssh` is a script that notes what it is called with and serves the repository."""
    repo = Repo(tmp_path / 'repo')
    repo.write('demo/SKILL.md', '---\nname: demo\ndescription: Demo.\n---\n')
    repo.commit()
    tools = tmp_path / 'tools'
    tools.mkdir()
    log = tools / 'log'
    (tools / 'ssh').write_text(
        f'#!/bin/sh\nfor a in "$@"; do printf "%s|" "$a" >> {log}; done\necho "$SSH_ASKPASS_REQUIRE" >> {log}\n'
        f'exec git-upload-pack "{repo.path}"\n'
    )
    (tools / 'ssh').chmod(0o755)
    monkeypatch.setenv('PATH', f'{tools}{os.pathsep}{os.environ["PATH"]}')
    key = tmp_path / "my 'secret' key"
    key.touch()
    registry = GitSkillsRegistry('git@example.com:acme/skills.git', ssh_key_file=key)
    assert names_in(registry.sync()) == ['demo']
    first = log.read_text().splitlines()[0]
    assert first.startswith(f'-i|{key}|-o|IdentitiesOnly=yes|-o|BatchMode=yes|')
    assert '|git@example.com|' in first and first.endswith('|never')
    log.unlink()
    GitSkillsRegistry('ssh://git@example.com:22/acme/skills.git').sync()
    assert log.read_text().startswith('-o|SendEnv=GIT_PROTOCOL|-p|22|git@example.com|')  # as the user has set it up


def test_settings_go_after_those_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('GIT_CONFIG_COUNT', '1')
    monkeypatch.setenv('GIT_CONFIG_KEY_0', 'http.proxy')
    monkeypatch.setenv('GIT_CONFIG_VALUE_0', 'http://proxy')
    env = GitEnvironment(parse_url('https://h/x'), None).variables({})
    assert env['GIT_CONFIG_KEY_0'] == 'http.proxy' and env['GIT_CONFIG_KEY_1'] == 'credential.interactive'
    assert env['GIT_TERMINAL_PROMPT'] == '0' and env['GIT_ASKPASS'] == ''
    monkeypatch.setenv('GIT_CONFIG_COUNT', 'many')
    assert GitEnvironment(parse_url('https://h/x'), None).variables({})['GIT_CONFIG_KEY_0'] == 'credential.interactive'


def test_secrets_in_clone_options_are_masked_in_messages(upstream: Path):
    options = GitCloneOptions(
        env={'MY_PASSWORD': 'hush-hush'}, multi_options=['-c http.extraHeader="Authorization: Bearer hush-hush-2"']
    )
    with git_host(upstream, refuse=403) as host, pytest.raises(RuntimeError, match=r'remote: bad \*\*\*') as raised:
        GitSkillsRegistry(f'{host.url}/repo', clone_options=options).sync()
    assert host.credentials == ['hush-hush-2']
    assert 'hush' not in str(raised.value) + repr(options)
