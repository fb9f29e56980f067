"""Each kind of credential with each failure and each operation: is the secret anywhere afterwards?

    python -m tests.registries.leak_trials

About ten minutes. The suite tries some of them.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
from botocore.config import Config
from pydantic import SecretStr

from pydantic_ai_skills import GitCloneOptions, GitSkillsRegistry, S3SkillsRegistry, SkillRegistry, SkillsCapability

from .leaks import PLAIN, SECRET, Place, found_in, listening, note_error, note_object, private
from .servers import Repo, git_host

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
        place = Place(root)
        stack.enter_context(private(place))
        host = stack.enter_context(git_host(upstream))
        stack.enter_context(listening(place))
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
            note_object(place, registry)
            OPERATIONS[operation](place, registry)
        except Exception as error:
            note_error(place, error)
        else:
            note_object(place, registry)
        stack.close()
        return found_in(place)


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
