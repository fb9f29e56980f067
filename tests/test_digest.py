"""The digest of a package, computed again here from its documentation alone."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from pathlib import Path

import pytest

from pydantic_ai_skills import digest as digest_module
from pydantic_ai_skills.digest import package_digest
from pydantic_ai_skills.packages import index_libraries

from .support import make_library, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(),
    'demo/a.md': 'alpha',
    'demo/ä.md': 'umlaut',
    'demo/Z.md': 'capital',
    'demo/scripts/x.py': 'print(1)',
    'demo/logo.png': b'\x89PNG\0',
    'demo/empty': b'',
    'demo/nested/SKILL.md': skill_text('nested'),
    'demo/nested/inner.md': 'of another skill',
    'demo/.env': 'SECRET=1',
    'demo/.git/config': 'x',
    'demo/deep/__pycache__/x.pyc': b'x',
}
COUNTED = ['SKILL.md', 'Z.md', 'a.md', 'empty', 'logo.png', 'scripts/x.py', 'ä.md']


def recomputed(folder: Path, names: list[str]) -> str:
    """What the module's docstring says, in as few words of another kind as possible."""
    lines = b''
    for name in sorted(os.fsencode(name) for name in names):
        path = os.path.join(os.fsencode(folder), name)
        mark = b'x' if os.stat(path).st_mode & 0o111 else b'-'
        content = hashlib.sha256(Path(os.fsdecode(path)).read_bytes()).hexdigest().encode()
        lines += name + b'\0' + mark + b'\0' + content + b'\n'
    return hashlib.sha256(lines).hexdigest()


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return make_library(tmp_path, FILES, {'demo/scripts/x.py': 0o755}) / 'demo'


def test_it_is_what_its_documentation_says(demo: Path) -> None:
    assert package_digest(demo) == recomputed(demo, COUNTED)
    assert index_libraries(demo.parent)['demo'].digest == recomputed(demo, COUNTED)


def test_names_that_are_not_utf8_count(demo: Path) -> None:
    (demo / os.fsdecode(b'caf\xe9.md')).write_text('x')
    (demo / 'line\nfeed.md').write_text('x')
    assert package_digest(demo) == recomputed(demo, [*COUNTED, os.fsdecode(b'caf\xe9.md'), 'line\nfeed.md'])


@pytest.mark.parametrize('change', ['content', 'mode', 'name', 'more', 'less'])
def test_each_change_shows(demo: Path, change: str) -> None:
    before = package_digest(demo)
    path = demo / 'scripts/x.py'
    if change == 'content':
        path.write_text('print(2)')
    elif change == 'mode':
        path.chmod(0o644)
    elif change == 'name':
        path.rename(demo / 'scripts/y.py')
    elif change == 'more':
        (demo / 'scripts/y.py').write_text('')
    else:
        path.unlink()
    assert package_digest(demo) != before


@pytest.mark.parametrize('change', ['.env', 'nested/inner.md', '.git/config', 'deep/__pycache__/x.pyc'])
def test_what_is_excluded_does_not_show(demo: Path, change: str) -> None:
    before = package_digest(demo)
    (demo / change).write_text('changed')
    assert package_digest(demo) == before


def test_it_does_not_depend_on_the_place_or_the_times(demo: Path, tmp_path: Path) -> None:
    other = make_library(tmp_path / 'other', FILES, {'demo/scripts/x.py': 0o700}) / 'demo'
    for path in other.rglob('*'):
        os.utime(path, (1, 1))
    assert package_digest(other) == package_digest(demo)


def test_a_change_that_leaves_size_and_times_shows(demo: Path) -> None:
    """Within one tick of the file system's clock nothing tells two writings apart, so young files are not cached."""
    path = demo / 'a.md'
    package_digest(demo)
    stat = path.stat()
    with open(path, 'r+') as file:
        file.write('ALPHA')
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert package_digest(demo) == recomputed(demo, COUNTED)


def test_it_is_cached_once_files_have_settled(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, 'SETTLED_NS', 0)
    first = package_digest(demo)
    read: list[str] = []
    monkeypatch.setattr(digest_module, 'file_digest', lambda root, path: read.append(path) or '0' * 64)
    assert (package_digest(demo), read) == (first, [])
    (demo / 'a.md').write_text('other')
    assert package_digest(demo) != first and read


def test_the_cache_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, 'SETTLED_NS', 0)
    monkeypatch.setattr(digest_module, '_CACHED_PACKAGES', 3)
    monkeypatch.setattr(digest_module, '_cache', OrderedDict())
    for name in 'abcdefgh':
        package_digest(make_library(tmp_path, {f'{name}/SKILL.md': skill_text(name)}) / name)
    assert len(digest_module._cache) <= 3


def test_a_linked_skill_file_counts_with_what_it_leads_to(tmp_path: Path) -> None:
    make_library(tmp_path, {'far/f.md': skill_text(), 'lib/demo/a.md': 'x'})
    (tmp_path / 'lib/demo/SKILL.md').symlink_to('../../far/f.md')
    assert package_digest(tmp_path / 'lib/demo') == recomputed(tmp_path / 'lib/demo', ['SKILL.md', 'a.md'])


def test_another_spelling_beside_it_is_no_way_out(tmp_path: Path) -> None:
    make_library(tmp_path, {'far/secret': 'SECRET', 'lib/demo/SKILL.md': skill_text()})
    before = package_digest(tmp_path / 'lib/demo')
    (tmp_path / 'lib/demo/Skill.md').symlink_to('../../far/secret')
    assert package_digest(tmp_path / 'lib/demo') == before


def test_a_folder_that_is_gone_has_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        package_digest(tmp_path / 'gone')
