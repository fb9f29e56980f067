"""Looks for a secret everywhere that a sync could have left it.

Searched are the arguments of every process that is started, by us or by git; the environment of those that are not git;
every file that is left in the stores, the home and the temporary folder; results, warnings, log records, progress;
messages and tracebacks with their local variables; reprs, attributes, copies and pickles.
"""

from __future__ import annotations

import base64
import copy
import itertools
import json
import logging
import os
import pickle
import shutil
import subprocess
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote

from pydantic_ai_skills import GitSkillsRegistry, SkillRegistry

SECRET = 'ghp_hush/+=&%40#"\'hush0123456789'
PLAIN = 'ghp_hush0123456789hush'


@dataclass(repr=False)
class Place:
    """Where one combination is tried: everything that it may write is below `root`."""

    root: Path
    shown: list[str] = field(default_factory=list[str])
    """All that was said."""

    @property
    def store(self) -> Path:
        return self.root / 'store'

    @property
    def noted(self) -> Path:
        """What is put here is searched by other means than as a file."""
        return self.root.with_name('noted')

    def note(self, *things: object) -> None:
        self.shown += [text for thing in things for text in (str(thing), repr(thing))]


@contextmanager
def private(place: Place) -> Iterator[None]:
    """A home, a temporary folder and a `git` that notes what is started, of this place alone."""
    root = place.root
    for name in ('home', 'tmp', 'cache', 'bin'):
        (root / name).mkdir()
    noted = place.noted
    noted.mkdir()
    (root / 'home/.gitconfig').write_text('[credential]\n\thelper = store\n')
    shim = root / 'bin/git'
    shim.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {noted}/argv\nGIT_TRACE2_EVENT={noted}/children '
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
def listening(place: Place) -> Iterator[None]:
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


def note_error(place: Place, error: BaseException) -> None:
    """Messages, tracebacks, and the local variables of every frame that is not ours."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        if (one := pending.pop()) is None or id(one) in seen:
            continue
        seen.add(id(one))
        place.note(one, one.args, getattr(one, '__notes__', ()), ''.join(traceback.format_exception(one)))
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if os.path.dirname(frame.f_code.co_filename) != os.path.dirname(__file__):
                place.note(*frame.f_locals.values())
        pending += [one.__cause__, one.__context__]


def note_object(place: Place, registry: SkillRegistry) -> None:
    place.note(registry, vars(registry), registry.identity(), registry.diagnostics, copy.deepcopy(registry))
    if isinstance(registry, GitSkillsRegistry) and not registry.clone_options.env | dict.fromkeys(
        registry.clone_options.multi_options
    ):  # what the caller has written into options is theirs
        try:
            place.note(pickle.dumps(registry))
        except TypeError as error:
            note_error(place, error)


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


def found_in(place: Place) -> list[str]:
    """Where a secret is, in any spelling."""
    noted = {path.name: path.read_text() for path in place.noted.iterdir()}
    place.note(noted.get('argv', ''))
    for event in map(json.loads, noted.get('children', '').splitlines()):
        place.note(event.get('argv', ''))  # not its messages, which are not told to us
    forms = _spellings()
    found = [
        f'said: {text[:200]}' for text in place.shown if any(form in text.encode(errors='replace') for form in forms)
    ]
    for path in place.root.rglob('*'):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [f'in {path.relative_to(place.root)}' for form in forms if form in content]
    return found
