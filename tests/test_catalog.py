"""Libraries in, definitions and diagnostics out: what is kept between readings, and that nothing takes the rest down."""

from __future__ import annotations

import os
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import catalog
from pydantic_ai_skills.catalog import read_catalog
from pydantic_ai_skills.discovery import Library

from .support import make_library, skill_text


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, '_cache', OrderedDict())
    monkeypatch.setattr(catalog, 'SETTLED_NS', 0)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders whose `SKILL.md` was read."""
    read: list[str] = []
    reading = catalog.read_skill_file
    monkeypatch.setattr(catalog, 'read_skill_file', lambda found: read.append(found.folder) or reading(found))
    return read


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(
        tmp_path / 'lib', {'a/SKILL.md': skill_text('a'), 'b/SKILL.md': skill_text('b'), 'c/SKILL.md': 'broken'}
    )


def test_in_the_order_of_libraries_and_names_broken_ones_too(library: Path, tmp_path: Path) -> None:
    other = make_library(
        tmp_path / 'other', {'A/SKILL.md': skill_text('A'), 'a/SKILL.md': skill_text('a', body='Other.')}
    )
    items = read_catalog([Library(library), Library(other)])
    assert [(item.found.folder, item.name, item.definition is not None) for item in items] == [
        ('a', 'a', True), ('b', 'b', True), ('c', 'c', False), ('A', 'a', True), ('a', 'a', True),
    ]  # fmt: skip
    assert [item.definition.body for item in items if item.definition] == ['Do it.', 'Do it.', 'Do it.', 'Other.']
    assert [bool(item.diagnostics) for item in items] == [False, False, True, True, False]
    assert items[0].info is not None and items[2].info is None
    assert items[0].info.directory == library / 'a'


def test_each_is_read_once(library: Path, readings: list[str]) -> None:
    first = read_catalog([Library(library)])
    assert readings == ['a', 'b', 'c']
    second = read_catalog([Library(library)])
    assert readings == ['a', 'b', 'c'] and second == first


@pytest.mark.parametrize('change', ['content', 'touch', 'replaced', 'mode', 'moved'])
def test_again_when_it_changed(library: Path, readings: list[str], change: str) -> None:
    read_catalog([Library(library)])
    path, text = library / 'a/SKILL.md', skill_text('a', body='Now.')
    if change == 'content':
        path.write_text(text)
    elif change == 'touch':
        os.utime(path, (5, 5))
    elif change == 'replaced':
        (library / 'new').write_text(text)
        os.utime(library / 'new', ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
        os.replace(library / 'new', path)
    elif change == 'mode':
        path.chmod(0o600)
    else:
        (library / 'a').rename(library / 'moved')
    del readings[:]
    items = read_catalog([Library(library)])
    assert readings == (['moved'] if change == 'moved' else ['a'])
    if change in ('content', 'replaced'):
        assert items[0].definition is not None and items[0].definition.body == 'Now.'


def test_a_file_that_was_just_written_is_not_kept(
    library: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, 'SETTLED_NS', 10**12)
    read_catalog([Library(library)])
    read_catalog([Library(library)])
    assert readings == ['a', 'b', 'c'] * 2


def test_a_failure_to_read_is_not_kept(library: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    real = catalog.read_skill_file

    def fail(found: Any) -> bytes:
        if found.folder == 'a':
            raise OSError(24, 'Too many open files')
        return real(found)

    with monkeypatch.context() as patched:
        patched.setattr(catalog, 'read_skill_file', fail)
        item = read_catalog([Library(library)])[0]
    assert (item.name, item.definition) == ('a', None)
    assert [found.severity for found in item.diagnostics] == ['error'] and 'Too many open files' in item.diagnostics[
        0
    ].message
    assert read_catalog([Library(library)])[0].definition is not None


def test_one_folder_under_another_library(library: Path) -> None:
    """The parsed text is shared; where it comes from and how far its links may lead is each library's own."""
    [remote, *_] = read_catalog([Library(library, 'remote', from_registry=True, source='registry')])
    [local, *_] = read_catalog([Library(library, source='lib')])
    assert remote.info is not None and local.info is not None and local.definition is remote.definition
    assert (remote.info.source, remote.info.boundary) == ('registry', library)
    assert (local.info.source, local.info.boundary) == ('lib', None)
    assert (local.found.library.origin, local.found.library.from_registry) == ('local', False)


def test_strict_and_lenient_are_kept_apart(tmp_path: Path) -> None:
    library = make_library(
        tmp_path, {'a/SKILL.md': '---\nname: other\ndescription: x: y\n---\n', 'b/skill.md': skill_text('b')}
    )
    for _ in range(2):
        assert [item.definition is None for item in read_catalog([Library(library)])] == [False, False]
        assert [item.definition is None for item in read_catalog([Library(library)], strict=True)] == [True, True]


def test_the_cache_is_bounded(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, '_CACHED_PACKAGES', 2)
    read_catalog([Library(library)])
    assert len(catalog._cache) == 2


def test_a_file_that_is_too_long(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai_skills import discovery

    make_library(library, {'long/SKILL.md': skill_text('long', body='x' * 5000)})
    monkeypatch.setattr(discovery, 'MAX_SKILL_FILE_BYTES', 4000)
    item = read_catalog([Library(library)])[-1]
    assert (item.name, item.definition) == ('long', None) and '4,000 bytes' in item.diagnostics[0].message


def test_from_many_threads(library: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: read_catalog([Library(library)]), range(16)))
    assert all(result == results[0] for result in results)


FRONTMATTERS = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode('utf-8', 'surrogatepass')),
    st.builds(
        lambda name, description, extra, body: f'---\nname: {name}\ndescription: {description}\n{extra}\n---\n{body}'.encode('utf-8', 'surrogatepass'),
        st.sampled_from(['a', 'A b', '"x', '[', '&a *a', '1', '', '🎉', '"\\ud800"']),
        st.sampled_from(['x', 'a: b', '', '|\n  two\n  lines', '[', '{', '"\\ud800"', '*a', '!!python/object:os.system x', '- a', '\x00', '\u2028']),
        st.sampled_from(['', 'metadata: {a: [1, 2]}', 'x: &x [*x]', '? [a]\n: b', 'name: twice', '\t', '---', 'license: 3']),
        st.text(max_size=30),
    ),
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(FRONTMATTERS, min_size=1, max_size=4), st.booleans())
def test_whatever_a_library_holds(tmp_path_factory: pytest.TempPathFactory, texts: list[bytes], strict: bool) -> None:
    """Any bytes at all give an item or a diagnostic, and never take the good package down."""
    root = tmp_path_factory.mktemp('lib')
    files: dict[str, str | bytes] = {f'p{number}/SKILL.md': text for number, text in enumerate(texts)}
    library = make_library(root, {**files, 'good/SKILL.md': skill_text('good')})
    items = read_catalog([Library(library)], strict=strict)
    assert items[0].name == 'good' and items[0].definition is not None
    assert len(items) == len(texts) + 1
    for item in items[1:]:
        assert (item.definition is None) == (item.info is None)
        if item.definition is None:
            assert any(found.severity == 'error' for found in item.diagnostics)
        else:
            assert item.definition.description.strip() and item.info is not None
            item.definition.description.encode()
