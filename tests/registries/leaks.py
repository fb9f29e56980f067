"""Looks for a secret everywhere that a sync could have left it, over each credential, failure and operation.

    python -m tests.registries.leaks

Searched are the arguments of every process that is started, by us or by git; the environment of those that are not git;
every file that is left in the stores, the home and the temporary folder; results, warnings, log records, progress;
messages and tracebacks with their local variables; reprs, attributes, copies and pickles.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import itertools
import logging
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote

import boto3
from botocore.config import Config
from pydantic import SecretStr

from pydantic_ai_skills import GitCloneOptions, GitSkillsRegistry, S3SkillsRegistry, SkillRegistry, SkillsCapability

from .servers import GitHost, Repo, git_host

SECRET = 'ghp_hush/+=&%40#"\'hush0123456789'
PLAIN = 'ghp_hush0123456789hush'


@dataclass(repr=False)
class Place:
    """Where one combination is tried: everything that it may write is below `root`."""

    root: Path
    host: GitHost
    repo: Repo
    shown: list[str] = field(default_factory=list[str])
    """All that was said."""

    @property
    def store(self) -> Path:
        return self.root / 'store'

    def note(self, *things: object) -> None:
        self.shown += [text for thing in things for text in (str(thing), repr(thing))]


Making = Callable[[Place, str], SkillRegistry]


def _git(place: Place, url: str, **options: Any) -> GitSkillsRegistry:
    return GitSkillsRegistry(url, target_dir=place.store, timeout=1, **options)


def _in_url(form: str) -> Making:
    return lambda place, url: _git(place, url.replace('//', f'//{form.format(quote(SECRET, safe=""))}@'))


def _github(place: Place, url: str) -> SkillRegistry:
    os.environ['GITHUB_TOKEN'] = PLAIN
    Path(os.environ['HOME'], '.gitconfig').write_text(f'[url "{url}"]\n\tinsteadOf = https://github.com/a/b\n')
    return _git(place, 'https://github.com/a/b')


def _s3(place: Place, url: str) -> SkillRegistry:
    client = boto3.session.Session().client(
        's3',
        endpoint_url=url,
        region_name='us-east-1',
        aws_access_key_id='AKIAKEY',
        aws_secret_access_key=SECRET,
        aws_session_token=PLAIN,
        config=Config(connect_timeout=1, read_timeout=1, retries={'total_max_attempts': 1}),
    )
    return S3SkillsRegistry('bucket', boto3_client=client, target_dir=place.store)


CREDENTIALS: dict[str, Making] = {
    'token': lambda place, url: _git(place, url, token=PLAIN),
    'odd token': lambda place, url: _git(place, url, token=SecretStr(SECRET), token_user='oauth2'),
    'url user:token': _in_url('me:{}'),
    'url token:x': _in_url('{}:x-oauth-basic'),
    'url token': _in_url('{}'),
    'header': lambda place, url: _git(
        place,
        url,
        clone_options=GitCloneOptions(multi_options=[f'-c http.extraHeader="Authorization: Bearer {PLAIN}"']),
    ),
    'variable': lambda place, url: _git(
        place,
        url,
        clone_options=GitCloneOptions(
            env={
                'GIT_CONFIG_COUNT': '1',
                'GIT_CONFIG_KEY_0': 'http.extraHeader',
                'GIT_CONFIG_VALUE_0': f'Authorization: Bearer {PLAIN}',
            }
        ),
    ),
    'GITHUB_TOKEN': _github,
    's3': _s3,
}

FAILURES: dict[str, Mapping[str, Any]] = {
    'none': {},
    'other credentials wanted': {'token': 'another'},
    'refused with an echo': {'refuse': 403},
    'not found with an echo': {'refuse': 404},
    'broken with an echo': {'refuse': 500},
    'cut': {'cut': 60},
    'silent': {'delay': 1.3},
    'redirect': {'redirect': 'http://localhost:1'},
    'files only': {'smart': False},
    'no git': {'PATH': '/nowhere'},
    'no store': {'in_way': True},
}


def _first(place: Place, registry: SkillRegistry) -> None:
    place.note(registry.sync(progress=place.note))  # pyright: ignore[reportCallIssue]


def _questions(place: Place, registry: SkillRegistry) -> None:
    place.note(registry.skill_infos(), registry.diagnostics)
    if isinstance(registry, GitSkillsRegistry):
        place.note(registry.revision())
    generation: Any = getattr(registry, 'generation', None)
    place.note(generation, generation and generation.digest)


def _view(place: Place, registry: SkillRegistry) -> None:
    view = (registry.prefixed('x-') | registry.renamed({'y': 'demo'})).filtered(lambda info: info.name != 'z')
    place.note(view, view.identity(), vars(view))
    place.note(view.sync())


def _capability(place: Place, registry: SkillRegistry) -> None:
    made = SkillsCapability(registries=[registry], missing_directories='skip', scripts=False)
    place.note(made, made.diagnostics, made.skill_names, asyncio.run(made.refresh()))


OPERATIONS: dict[str, Callable[[Place, SkillRegistry], None]] = {
    'sync': _first,
    'questions': _questions,
    'view': _view,
    'capability': _capability,
}


@contextmanager
def _private(root: Path) -> Iterator[None]:
    """A home, a temporary folder and a `git` that notes what is started, of this combination alone."""
    for name in ('home', 'tmp', 'cache', 'noted', 'bin'):
        (root / name).mkdir()
    (root / 'home/.gitconfig').write_text('[credential]\n\thelper = store\n')
    shim = root / 'bin/git'
    shim.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {root}/noted/argv\nGIT_TRACE2_EVENT={root}/noted/children '
        f'exec {shutil.which("git")} "$@"\n'
    )
    shim.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith(('GIT', 'AWS_', 'XDG_'))}
    env |= {'HOME': f'{root}/home', 'TMPDIR': f'{root}/tmp', 'PYDANTIC_AI_SKILLS_CACHE': f'{root}/cache'}
    env |= {'PATH': f'{root}/bin{os.pathsep}{env["PATH"]}', 'GIT_CONFIG_NOSYSTEM': '1'}
    with mock.patch.dict(os.environ, env, clear=True), mock.patch.object(tempfile, 'tempdir', None):
        yield


class _Log(logging.Handler):
    def __init__(self, place: Place) -> None:
        super().__init__(logging.DEBUG)
        self._place = place

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition('.')[0] not in ('botocore', 'boto3', 'urllib3', 'werkzeug'):  # theirs to say
            self._place.note(record.getMessage(), record.args, record.exc_text)


@contextmanager
def _listening(place: Place) -> Iterator[None]:
    """Notes warnings, log records, and children of ours that are not git."""
    real = subprocess.Popen.__init__

    def noted(self: Any, args: Any, *more: Any, **options: Any) -> None:
        place.note(args)
        if 'git' not in str(args):
            place.note(options.get('env') or dict(os.environ))
        real(self, args, *more, **options)

    handler, root = _Log(place), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as caught, mock.patch.object(subprocess.Popen, '__init__', noted):
            warnings.simplefilter('always')
            yield
        place.note(*(item.message for item in caught))
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def _note_error(place: Place, error: BaseException) -> None:
    """Messages, tracebacks, and the local variables of every frame that is not ours."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        if (one := pending.pop()) is None or id(one) in seen:
            continue
        seen.add(id(one))
        place.note(one, one.args, getattr(one, '__notes__', ()), ''.join(traceback.format_exception(one)))
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if frame.f_code.co_filename != __file__:
                place.note(*frame.f_locals.values())
        pending += [one.__cause__, one.__context__]


def _note_object(place: Place, registry: SkillRegistry) -> None:
    place.note(registry, vars(registry), registry.identity(), registry.diagnostics, copy.deepcopy(registry))
    if isinstance(registry, GitSkillsRegistry) and not registry.clone_options.env | dict.fromkeys(
        registry.clone_options.multi_options
    ):  # what the caller has written into options is theirs
        try:
            place.note(pickle.dumps(registry))
        except TypeError as error:
            _note_error(place, error)


def _spellings() -> set[bytes]:
    forms = {form for secret in (SECRET, PLAIN) for form in (secret, quote(secret, safe=''), quote(secret))}
    for secret, user in itertools.product((SECRET, PLAIN), ('x-access-token', 'oauth2', 'me')):
        forms.add(base64.b64encode(f'{user}:{secret}'.encode()).decode())
    forms |= {
        base64.b64encode(f'{secret}:{rest}'.encode()).decode()
        for secret in (SECRET, PLAIN)
        for rest in ('', 'x-oauth-basic')
    }
    return {form.encode() for form in forms} | {repr(form)[1:-1].encode() for form in forms}


def try_one(credential: str, failure: str, operation: str, before: bool) -> list[str]:
    """Try one combination and return where a secret was found.

    Args:
        credential: Of `CREDENTIALS`.
        failure: Of `FAILURES`.
        operation: Of `OPERATIONS`.
        before: Whether there is a generation from before the failure, and something new since.
    """
    options = dict(FAILURES[failure])
    path, in_way = options.pop('PATH', None), options.pop('in_way', False)
    with tempfile.TemporaryDirectory(prefix='leak-') as folder, ExitStack() as stack:
        root, upstream = Path(folder) / 'root', Path(folder) / 'upstream'
        root.mkdir()
        repo = Repo(upstream / 'repo')
        repo.write('demo/SKILL.md', '---\nname: demo\ndescription: Demo.\n---\n')
        repo.commit()
        stack.enter_context(_private(root))
        host = stack.enter_context(git_host(upstream))
        place = Place(root, host, repo)
        stack.enter_context(_listening(place))
        url = host.url if credential == 's3' else f'{host.url}/repo'
        try:
            registry = CREDENTIALS[credential](place, url)
            if before and credential != 's3':
                registry.sync()
                repo.commit('second')
            for name, value in options.items():
                setattr(host, name, value)
            if path is not None:
                os.environ['PATH'] = path
            if in_way and not before:
                place.store.write_text('in the way')
            _note_object(place, registry)
            OPERATIONS[operation](place, registry)
        except Exception as error:
            _note_error(place, error)
        else:
            _note_object(place, registry)
        stack.close()
        return _found(place)


def _found(place: Place) -> list[str]:
    forms = _spellings()
    found = [
        f'said: {text[:200]}' for text in place.shown if any(form in text.encode(errors='replace') for form in forms)
    ]
    for path in place.root.rglob('*'):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [f'in {path.relative_to(place.root)}' for form in forms if form in content]
    return found


def combinations() -> Iterator[tuple[str, str, str, bool]]:
    """Every combination that makes sense."""
    for credential, failure, operation, before in itertools.product(CREDENTIALS, FAILURES, OPERATIONS, (False, True)):
        if credential != 's3' or not before:
            yield credential, failure, operation, before


def main() -> int:
    """Run all; the exit code says whether something was found."""
    tried = leaked = 0
    for combination in combinations():
        tried += 1
        if found := try_one(*combination):
            leaked += 1
            print(*combination, *found, sep='\n    ', flush=True)
    print(f'leaks: {tried} combinations, {leaked} with a secret where none may be')
    return 1 if leaked else 0


if __name__ == '__main__':
    sys.exit(main())
