"""Which files a package has and what each is: the table of section 3, and arbitrary and hostile trees."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import index as index_module
from pydantic_ai_skills.discovery import FoundPackage, Library, find_packages
from pydantic_ai_skills.excludes import combined_globs
from pydantic_ai_skills.executors import LocalSkillScriptExecutor
from pydantic_ai_skills.index import index_files, is_text, skill_file_among, walk
from pydantic_ai_skills.packages import file_kinds, index_package

from .support import make_library, skill_text
from .trees import grow, trees

EXECUTABLE = 0o755


def kinds(folder: Path, boundary: Path | None = None) -> dict[str, str]:
    return {
        found.file.name: found.kind + ('+' if found.runnable and found.kind != 'script' else '')
        for found in index_files(folder, boundary)
    }


@pytest.mark.parametrize(
    ('name', 'content', 'mode', 'kind'),
    [
        ('a.md', 'x', 0o644, 'resource'),
        ('deep/er/a.md', 'x', 0o644, 'resource'),
        ('a.md', 'x', EXECUTABLE, 'resource'),
        ('scripts/a.json', '{}', EXECUTABLE, 'resource'),
        ('data.csv', 'x', EXECUTABLE, 'resource'),
        ('page.HTML', 'x', EXECUTABLE, 'resource'),
        ('a.py', 'x', 0o644, 'script'),
        ('scripts/a.PY', 'x', 0o644, 'script'),
        ('scripts/deep/a.py', 'x', 0o644, 'resource+'),
        ('tools/go.sh', 'x', EXECUTABLE, 'resource+'),
        ('scripts/__init__.py', '', EXECUTABLE, 'resource'),
        ('__init__.py', '', 0o644, 'resource'),
        *[(f'scripts/a{end}', 'x', 0o644, 'script') for end in '.sh .bash .zsh .fish .ps1 .bat .cmd'.split()],
        *[(f'a{end}', 'x', 0o644, 'script') for end in '.js .mjs .cjs .ts .rb .pl'.split()],
        ('run', '#!/bin/sh\n', 0o644, 'script'),
        ('run', 'echo', EXECUTABLE, 'script'),
        ('run', 'echo', 0o644, 'resource'),
        ('Makefile', 'all:', 0o644, 'resource'),
        ('bin/run', '#!/bin/sh\n', 0o644, 'resource+'),
        ('run.xyz', '#!/bin/sh\n', 0o644, 'resource'),
        ('run.xyz', 'x', EXECUTABLE, 'script'),
        ('.hidden', '#!/bin/sh\n', 0o644, 'script'),
        ('tool', b'\x7fELF\0', EXECUTABLE, 'script'),
        ('logo.png', b'\x89PNG\0', 0o644, 'asset'),
        ('logo.png', b'\x89PNG\0', EXECUTABLE, 'asset'),
        ('assets/font', b'\0\1', 0o644, 'asset'),
        ('latin.txt', b'caf\xe9', 0o644, 'asset'),
        ('late.txt', b'x' * 65536 + b'\xff', 0o644, 'resource'),
        ('split.txt', b'x' * 65535 + 'ä'.encode(), 0o644, 'resource'),
        ('cut.txt', 'ä'.encode()[:1], 0o644, 'asset'),
        ('utf16.txt', 'hello'.encode('utf-16'), 0o644, 'asset'),
        ('empty.dat', b'', 0o644, 'resource'),
        ('bom.txt', b'\xef\xbb\xbfx', 0o644, 'resource'),
        ('.env.example', 'A=', 0o644, 'resource'),
        ('docs/SKILL.markdown', 'x', 0o644, 'resource'),
    ],
)
def test_kinds(tmp_path: Path, name: str, content: str | bytes, mode: int, kind: str) -> None:
    make_library(tmp_path, {'SKILL.md': skill_text(), name: content}, {name: mode})
    assert kinds(tmp_path) == {name: kind}


def test_what_is_no_file_of_the_skill(tmp_path: Path) -> None:
    names = '.env .git/config node_modules/x/a.js .venv/a.py __pycache__/a.pyc server.pem deep/.ssh/id .aws/credentials'
    files = dict.fromkeys([*names.split(), 'nested/a.md', 'nested/deep/b.md', 'Skill.md', 'a.md'], 'x')
    make_library(tmp_path, {**files, 'SKILL.md': skill_text(), 'nested/SKILL.md': skill_text('nested')})
    os.mkfifo(tmp_path / 'fifo')
    os.mkfifo(tmp_path / 'run.py')
    (tmp_path / 'dangling.md').symlink_to('nowhere')
    (tmp_path / 'loop').symlink_to('loop')
    assert kinds(tmp_path) == {'a.md': 'resource'}


def test_excluded_folders_are_not_visited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_library(
        tmp_path,
        {'SKILL.md': 'x', 'node_modules/deep/a.js': 'x', 'docs/a.md': 'x', 'in/SKILL.md': 'x', 'in/to/b.md': 'x'},
    )
    visited: list[str] = []
    scan = os.scandir
    monkeypatch.setattr(index_module.os, 'scandir', lambda path: visited.append(str(path)) or scan(path))
    assert [file.name for file in walk(tmp_path)] == ['SKILL.md', 'docs/a.md']
    assert sorted(os.path.relpath(path, tmp_path) for path in visited) == ['.', 'docs', 'in']


def test_links(tmp_path: Path) -> None:
    make_library(tmp_path, {'out/secret.md': 'SECRET', 'in/SKILL.md': 'x', 'in/real/a.md': 'x', 'in/.env': 'S'})
    package = tmp_path / 'in'
    links = {
        'alias.md': 'real/a.md', 'folder': 'real', 'up': '.', 'real/parent': '..', 'out.md': '../out/secret.md',
        'outside': '../out', 'absolute': str(tmp_path / 'out'), 'env.md': '.env', 'device.md': '/dev/zero',
    }  # fmt: skip
    for name, target in links.items():
        (package / name).symlink_to(target)
    with pytest.warns(UserWarning) as caught:
        found = kinds(package)
    assert found == dict.fromkeys(['alias.md', 'real/a.md', 'folder/a.md'], 'resource')
    told = sorted(str(item.message).split(': ')[0] for item in caught)
    assert told == sorted(
        f'Skipping {package / name}' for name in ['out.md', 'outside', 'absolute', 'env.md', 'device.md']
    )
    assert 'Copy the file into the skill instead.' in str(caught[0].message)


def test_links_within_a_boundary(tmp_path: Path) -> None:
    make_library(tmp_path, {'gen/shared/b.md': 'x', 'gen/in/SKILL.md': 'x', 'gen/other/SKILL.md': 'x', 'secret': 'S'})
    package = tmp_path / 'gen/in'
    (package / 'b.md').symlink_to('../shared/b.md')
    (package / 'shared').symlink_to('../shared')
    (package / 'other').symlink_to('../other')
    (package / 'library').symlink_to('..')
    (package / 'secret').symlink_to('../../secret')
    with pytest.warns(UserWarning, match='secret') as caught:
        assert kinds(package, tmp_path / 'gen') == {'b.md': 'resource', 'shared/b.md': 'resource'}
    assert len(caught) == 1


def test_many_links_to_a_big_folder_do_not_blow_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module._Budget, '__init__', lambda self: setattr(self, 'left', 100))
    make_library(tmp_path, {'SKILL.md': 'x', **{f'big/{number}.md': '' for number in range(30)}})
    for number in range(50):
        (tmp_path / f'link{number:02d}').symlink_to('big')
    with pytest.warns(UserWarning, match='link03 in .* lead to more files than any skill has'):
        found = kinds(tmp_path)
    assert len(found) == 30 + 3 * 30 and 'big/29.md' in found and 'link02/29.md' in found


def test_deep_and_long_trees(tmp_path: Path) -> None:
    make_library(tmp_path, {'SKILL.md': 'x'})
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(60):  # deeper than a path can say
            os.mkdir('d' * 100, dir_fd=here)
            inner = os.open('d' * 100, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
            os.close(os.open('x.md', os.O_CREAT | os.O_WRONLY, dir_fd=here))
    finally:
        os.close(here)
    assert 20 < len(kinds(tmp_path)) < 60
    import shutil

    shutil.rmtree(tmp_path)  # pytest's own cleaning up would warn


def test_a_name_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    make_library(
        tmp_path, {'SKILL.md': 'x', os.fsdecode(b'caf\xe9.md'): 'x', os.fsdecode(b'\xe9/a.md'): 'x', 'a.md': 'x'}
    )
    with pytest.warns(UserWarning, match='the name is not UTF-8') as caught:
        assert kinds(tmp_path) == {'a.md': 'resource'}
    assert len(caught) == 2


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(index_files(tmp_path / 'gone'))
    with pytest.raises(NotADirectoryError):
        make_library(tmp_path, {'file': ''})
        list(walk(tmp_path / 'file'))


def test_a_file_that_vanishes_before_it_is_read(tmp_path: Path) -> None:
    make_library(tmp_path, {'SKILL.md': 'x', 'a.md': 'x', 'b.md': 'x'})
    found = index_files(tmp_path)
    assert next(found).file.name == 'a.md'
    (tmp_path / 'b.md').unlink()
    assert list(found) == []


@pytest.mark.parametrize(
    ('names', 'expected'),
    [
        (['a', 'SKILL.md', 'skill.md'], 'SKILL.md'),
        (['skill.md', 'Skill.md'], 'Skill.md'),
        (['skill.markdown'], None),
        ([], None),
    ],
)
def test_which_name_is_the_skill_file(names: list[str], expected: str | None) -> None:
    assert skill_file_among(names) == expected


@given(st.binary(max_size=200), st.integers(0, 10))
def test_text_is_what_decodes(content: bytes, size: int) -> None:
    try:
        decodes = '\0' not in content.decode('utf-8')
    except UnicodeDecodeError:
        decodes = False
    assert is_text(content, len(content)) is decodes
    if decodes:
        assert is_text(content[:size], len(content))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(trees, st.booleans())
def test_arbitrary_trees(tree: Any, from_registry: bool) -> None:
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        root = Path(os.path.realpath(place))
        make_library(root, {'outside/secret': 'SECRET', 'lib/demo/SKILL.md': skill_text()})
        folder = root / 'lib/demo'
        tree.pop('SKILL.md', None)
        grow(folder, tree)
        [found] = find_packages(Library(root / 'lib', from_registry=from_registry))
        package = index_package('demo', found, LocalSkillScriptExecutor(), combined_globs(None))
        boundary = found.library.boundary or folder

        members = [*package.resources, *package.scripts, *package.assets]
        names = [member.name for member in members]
        assert len(set(names)) == len(names), 'a file is of one kind'
        for kind in (package.resources, package.scripts, package.assets):
            assert [item.name for item in kind] == sorted(item.name for item in kind)
        for member in [*members, *package.unlisted_scripts]:
            uri = str(member.uri)
            assert uri == os.path.realpath(uri) and os.path.isfile(uri), 'only regular files'
            assert uri.startswith(f'{boundary}/'), 'nothing outside'
            assert member.name.lower() != 'skill.md' and not member.name.startswith(('/', '../'))
            assert not {'.env', '.git', 'node_modules'} & set(member.name.split('/'))
            assert not {'.env', '.git', 'node_modules'} & set(Path(uri).relative_to(boundary).parts)
            member.name.encode()
        assert all('/' not in script.name.removeprefix('scripts/') for script in package.scripts)
        assert {script.name for script in package.unlisted_scripts} <= {
            item.name for item in [*package.resources, *package.assets]
        }
        kinds = file_kinds(found, combined_globs(None))
        assert kinds.readable == bool(package.resources or package.assets)
        assert kinds.runnable == bool(package.scripts or package.unlisted_scripts)
        assert len(str(package.digest)) == 64


def test_kinds_of_a_package_agree_with_hidden_files(tmp_path: Path) -> None:
    make_library(tmp_path, {'demo/SKILL.md': skill_text(), 'demo/tools/a.sh': '', 'demo/a.md': ''})
    [found] = find_packages(Library(tmp_path))
    for globs, expected in [(None, (True, True)), (['*.sh'], (True, False)), (['tools', '*.md'], (False, False))]:
        kinds = file_kinds(found, combined_globs(globs))
        package = index_package('demo', found, LocalSkillScriptExecutor(), combined_globs(globs))
        assert (kinds.readable, kinds.runnable) == expected
        assert (bool(package.resources), bool(package.unlisted_scripts)) == expected


def test_found_packages_compare_by_place(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert FoundPackage(library, 'a', f'{tmp_path}/a/SKILL.md', (1, 2, 3, 4)) == FoundPackage(
        library, 'a', f'{tmp_path}/a/SKILL.md', (5, 6, 7, 8)
    )
