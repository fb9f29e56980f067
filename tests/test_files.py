"""Opening one file so that nothing outside its package, and nothing but a regular file, is ever read."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pydantic_ai_skills import files
from pydantic_ai_skills.files import UnsafeFileError, is_inside, open_inside, read_inside

from .support import make_library


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_library(tmp_path, {'in/a.md': 'inside', 'in/deep/er/b.md': 'deep', 'out/secret.md': 'SECRET'})
    return tmp_path / 'in'


@pytest.mark.parametrize(
    ('path', 'parent', 'inside'),
    [('/a/b', '/a', True), ('/a', '/a', True), ('/ab', '/a', False), ('/', '/a', False), ('/a', '/', True)],
)
def test_is_inside(path: str, parent: str, inside: bool) -> None:
    assert is_inside(path, parent) is inside


def test_reads(root: Path) -> None:
    assert read_inside(root, root / 'a.md') == b'inside'
    assert read_inside(root, root / 'deep/er/b.md') == b'deep'
    assert read_inside(root, root / 'a.md', 3) == b'ins'
    assert read_inside(root, root / 'deep/../a.md') == b'inside'


def test_a_link_inside_is_followed(root: Path) -> None:
    (root / 'link.md').symlink_to('deep/er/b.md')
    (root / 'folder').symlink_to('deep')
    assert read_inside(root, root / 'link.md') == b'deep'
    assert read_inside(root, root / 'folder/er/b.md') == b'deep'


def test_a_root_that_has_become_a_link_leads_nowhere(root: Path) -> None:
    root.rename(root.parent / 'before')
    root.symlink_to('out')
    with pytest.raises(UnsafeFileError):
        read_inside(root, root / 'secret.md')


@pytest.mark.parametrize('path', ['../out/secret.md', 'deep/../../out/secret.md', '..', '', '.'])
def test_leading_out(root: Path, path: str) -> None:
    with pytest.raises(UnsafeFileError, match='leads out of'):
        open_inside(root, root / path)


@pytest.mark.parametrize('target', ['../out/secret.md', '../out'])
def test_a_link_out_is_refused(root: Path, target: str) -> None:
    (root / 'link').symlink_to(target)
    path = root / 'link' if target.endswith('.md') else root / 'link' / 'secret.md'
    with pytest.raises(UnsafeFileError):
        read_inside(root, path)


def test_what_is_no_regular_file(root: Path) -> None:
    os.mkfifo(root / 'fifo')
    (root / 'device').symlink_to('/dev/zero')
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(root / 'socket'))
    with server:
        for name in ['fifo', 'deep', 'socket', 'device']:
            with pytest.raises(OSError):
                read_inside(root, root / name)


def test_a_device_in_the_package(root: Path) -> None:
    try:
        os.mknod(root / 'null', 0o600 | 0o020000, os.makedev(1, 3))
    except (PermissionError, OSError):
        pytest.skip('making a device needs root')
    with pytest.raises(UnsafeFileError, match='not a regular file'):
        read_inside(root, root / 'null')


def test_what_is_gone(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_inside(root, root / 'gone.md')
    with pytest.raises(OSError):
        read_inside(root, root / 'a.md/below')
    (root / 'loop').symlink_to('loop')
    with pytest.raises(OSError):
        read_inside(root, root / 'loop')


@pytest.mark.parametrize('swapped', ['file', 'folder'])
def test_a_swap_between_the_check_and_the_opening(root: Path, swapped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is resolved, then swapped for a link: the moment is reached by swapping when it is resolved."""
    path = root / 'a.md' if swapped == 'file' else root / 'deep/er/secret.md'
    real, resolved = os.path.realpath, []

    def swap(given: str | Path) -> str:
        answer = str(real(given))
        if str(given) == str(path):
            resolved.append(answer)
            if swapped == 'file':
                path.unlink()
                path.symlink_to('../out/secret.md')
            else:
                (root / 'deep/er').rename(root / 'deep/before')
                (root / 'deep/er').symlink_to('../../out')
        return answer

    monkeypatch.setattr(files.os.path, 'realpath', swap)
    with pytest.raises(OSError) as caught:
        read_inside(root, path)
    assert resolved and not isinstance(caught.value, FileNotFoundError)


def test_no_descriptor_is_left_open(root: Path) -> None:
    os.mkfifo(root / 'fifo')
    (root / 'link').symlink_to('../out/secret.md')
    before = len(os.listdir('/proc/self/fd'))
    for name in ['a.md', 'deep/er/b.md', 'fifo', 'link', 'gone', 'deep/gone/x', 'deep']:
        try:
            read_inside(root, root / name)
        except OSError:
            pass
    assert len(os.listdir('/proc/self/fd')) == before


def test_what_is_no_regular_file_is_not_even_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    opening = files.os.open

    def watch(path: str, *rest: int, **options: int) -> int:
        opened.append(os.path.basename(path))
        return opening(path, *rest, **options)

    os.mkfifo(root / 'fifo')
    monkeypatch.setattr(files.os, 'open', watch)
    with pytest.raises(UnsafeFileError, match='not a regular file'):
        read_inside(root, root / 'fifo')
    assert opened == ['in']


def test_a_swap_between_looking_and_opening(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looking = files.os.stat

    def swap(path: str, **options: int) -> os.stat_result:
        info = looking(path, **options)
        if path == 'a.md':
            (root / 'a.md').unlink()
            os.mkfifo(root / 'a.md')
        return info

    monkeypatch.setattr(files.os, 'stat', swap)
    with pytest.raises(UnsafeFileError, match='not a regular file'):
        read_inside(root, root / 'a.md')
