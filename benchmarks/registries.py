"""What syncs cost: S3, Git and views, the first time and with nothing new, and many at once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .libraries import library
from .measure import measure, scratch
from .rows import Row, Unavailable

_OBJECTS, _SKILLS = 400, 40


def rows() -> list[Row]:
    """Seven rows."""
    return [*_s3(), *_views(), *_git()]


def _s3() -> list[Row]:
    with _slow_s3() as url:
        best = measure('s3_sync', url, _SKILLS)
    ours, yardstick = best['ours'], best['yardstick']
    asked = [ours['unchanged list'] == 1 and ours['unchanged get'] == 0, ours['first get'] == _OBJECTS]
    failures = () if all(asked) else ('more was asked for than is needed',)
    work = f'S3, {_OBJECTS} objects, 20 ms a request'
    return [
        Row(f'{work}: first sync', ours['first'], yardstick['first'], reach=1 / 10, failures=failures),
        Row(f'{work}: nothing changed', ours['unchanged'], yardstick['unchanged'], reach=1 / 50, failures=failures),
    ]


def _views() -> list[Row]:
    best = measure('view_sync', library(300, 14), 300, scratch())
    ours, yardstick = best['ours'], best['yardstick']
    work = 'A prefixed view of 300 skills with 14 files each'
    return [
        Row(f'{work}: first sync', ours['first'], yardstick['first'], reach=1 / 2),
        Row(f'{work}: nothing changed', ours['unchanged'], yardstick['unchanged'], reach=1 / 50),
    ]


def _git() -> list[Row]:
    url = _repository().as_uri()
    best = measure('git_unchanged', url)
    ours, yardstick = best['ours'], best['yardstick']
    failures = () if ours['ls-remote'] == ours['all'] == 1 else (f'{ours["all"]:.0f} processes instead of one',)
    at_once = measure('git_at_once', url, 100, sides=['ours'])['ours']
    fetched = () if at_once['fetches'] == 1 else (f'{at_once["fetches"]:.0f} fetches instead of one',)
    return [
        Row('Git: nothing changed', ours['seconds'], yardstick['seconds'], failures=failures),
        Row('Git: eight processes sync one store at once, one fetches', at_once['seconds'], failures=fetched),
    ]


def _repository() -> Path:
    if shutil.which('git') is None:
        raise Unavailable('there is no git')
    folder = scratch() / 'repository'
    if not folder.exists():
        shutil.copytree(library(100, 14), folder / 'skills')
        for command in (['init', '-q'], ['add', '-A'], ['commit', '-qm', 'x']):
            identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
            subprocess.run(['git', *identity, *command], cwd=folder, check=True)
    return folder


@contextmanager
def _slow_s3() -> Iterator[str]:
    script = Path(__file__).parent / 'slow_s3.py'
    server = subprocess.Popen([sys.executable, str(script), '20', str(_OBJECTS)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield f'http://127.0.0.1:{server.stdout.readline().strip()}'
    finally:
        server.kill()
        server.communicate()
