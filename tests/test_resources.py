"""Reading a file for a model: verbatim, a page at a time, and what is said of what is no text."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import ModelRetry

from pydantic_ai_skills import resources
from pydantic_ai_skills.resources import (
    MAX_TEXT_CHARACTERS,
    describe_asset,
    guess_media_type,
    page_arguments,
    page_of,
    read_text,
    size_text,
)

LINES = 'one\ntwo\nthree\n'
NOTE = re.compile(r'\n\[Cut[^\n]*\]\Z')
ADVICE = re.compile(r'"offset": (\d+)')


@pytest.mark.parametrize(
    ('args', 'expected'),
    [
        (None, (1, None)),
        ({}, (1, None)),
        ({'offset': 3}, (3, None)),
        ({'limit': 2}, (1, 2)),
        ({'offset': '3', 'limit': 2.0}, (3, 2)),
        ({'offset': None, 'limit': None}, (1, None)),
        ({'offset': 10**400}, (10**400, None)),
    ],
)
def test_page_arguments(args: Any, expected: tuple[int, int | None]) -> None:
    assert page_arguments(args) == expected


@pytest.mark.parametrize(
    'value', [0, -1, 1.5, True, False, 'soon', '', '1.5', [1], {}, float('nan'), float('inf'), '1' * 5000, -(10**400)]
)
@pytest.mark.parametrize('name', ['offset', 'limit'])
def test_page_arguments_that_are_mistakes(name: str, value: Any) -> None:
    with pytest.raises(ModelRetry, match=f'`{name}` must be a whole number of lines'):
        page_arguments({name: value})


def test_an_unknown_page_argument_is_named() -> None:
    with pytest.raises(ModelRetry, match=r"only `offset` and `limit` \(lines\) as args, not 'page'"):
        page_arguments({'page': 2})


@pytest.mark.parametrize(
    ('offset', 'limit', 'expected'),
    [
        (1, None, LINES),
        (1, 1, 'one\n'),
        (2, None, 'two\nthree\n'),
        (2, 1, 'two\n'),
        (3, 1, 'three\n'),
        (3, 10**400, 'three\n'),
        (4, None, '(The file has 3 lines; there is nothing from line 4 on.)'),
        (10**400, 1, f'(The file has 3 lines; there is nothing from line {10**400} on.)'),
    ],
)
def test_pages_are_lines(offset: int, limit: int | None, expected: str) -> None:
    assert page_of(LINES, offset, limit) == expected


@pytest.mark.parametrize(
    'text', ['', '\n', 'x', 'x\r\ny\r', '\ufeffx\n', 'a\x0bb\x0cc\u2028d\n', 'ä' * MAX_TEXT_CHARACTERS]
)
def test_short_text_is_verbatim(text: str) -> None:
    assert page_of(text) == text


def test_nothing_beyond_an_empty_file() -> None:
    assert page_of('', 1) == ''
    assert page_of('', 2) == '(The file has 0 lines; there is nothing from line 2 on.)'


def test_long_text_is_cut_between_lines_and_says_how_to_go_on() -> None:
    text = ''.join(f'row {number:06d}\n' for number in range(1, 20_001))
    page = page_of(text)
    note = NOTE.search(page)
    assert note is not None and len(page) - len(note[0]) <= MAX_TEXT_CHARACTERS
    assert note[0] == '\n[Cut at 50,000 characters: lines 1 to 4545 of 20000. Go on with args={"offset": 4546}.]'
    assert page_of(text, 4546).startswith('row 004546\n')


def test_one_endless_line_is_cut() -> None:
    page = page_of('z' * 300_000)
    assert page.startswith('z' * 50_000 + '\n[Cut: line 1 of 1 has more than 50,000 characters.]')
    page = page_of('z' * 300_000 + '\nnext\n')
    assert page.endswith(
        '\n[Cut: line 1 of 2 has more than 50,000 characters; go on with the next line by args={"offset": 2}.]'
    )


@pytest.mark.parametrize('extra', ['', '\n', '\nnext'])
def test_a_line_of_exactly_a_page(extra: str) -> None:
    line = 'z' * MAX_TEXT_CHARACTERS
    page = page_of(line + extra)
    if extra == '\nnext':
        assert page == f'{line}\n[Cut at 50,000 characters: lines 1 to 1 of 2. Go on with args={{"offset": 2}}.]'
        assert page_of(line + extra, 1, 1) == line + '\n'
    else:
        assert page == line + extra


@given(st.lists(st.text('ab é\r\x0c', max_size=9)).map('\n'.join), st.sampled_from([4, 7, 10, 25]))
def test_paging_by_the_advice_it_gives_loses_no_line(text: str, room: int) -> None:
    with patch.object(resources, 'MAX_TEXT_CHARACTERS', room):
        shown: list[str] = []
        page, offset = page_of(text), 1
        while note := NOTE.search(page):
            kept = page[: note.start()]
            assert len(kept) <= room
            shown += kept.split('\n')
            if (following := ADVICE.search(note[0])) is None:
                break
            assert int(following[1]) == offset + kept.count('\n') + 1 > offset
            offset = int(following[1])
            page = page_of(text, offset)
        else:
            shown += page.split('\n')
        assert shown == [line[:room] for line in text.split('\n')][: len(shown)]
        assert len(text.split('\n')) - len(shown) in (0, int(text.endswith('\n')))


@given(st.text('ab\n', max_size=40), st.integers(1, 12), st.none() | st.integers(1, 12))
def test_a_page_is_those_lines(text: str, offset: int, limit: int | None) -> None:
    lines = text.splitlines(keepends=True)
    page = page_of(text, offset, limit)
    if offset > max(len(lines), 1):
        assert 'there is nothing' in page
    else:
        assert page == ''.join(lines[offset - 1 :][:limit])


def test_a_file_is_read_like_its_text(tmp_path: Path) -> None:
    path = tmp_path / 'a.txt'
    path.write_bytes('ä\r\n'.encode() * 30_000 + b'\xff\xfe\rend')
    assert read_text(tmp_path, path) == page_of(path.read_bytes().decode('utf-8', 'replace'))
    assert read_text(tmp_path, path, {'offset': 30_001}) == '\ufffd\ufffd\rend'
    assert read_text(tmp_path, path, {'limit': 1}) == 'ä\r\n'


def test_a_huge_file_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / 'huge.log'
    with open(path, 'wb') as file:
        file.write(b'first\n' + b'x' * 1000)
        file.truncate(64 * 2**20)  # sparse: one line of NULs
        file.seek(0, 2)
        file.write(b'\nlast\n')
    tracemalloc.start()
    try:
        assert read_text(tmp_path, path, {'offset': 3}) == 'last\n'
        assert read_text(tmp_path, path).startswith('first\n[Cut at 50,000 characters: lines 1 to 1 of 3.')
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2**20


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('a.png', 'image/png'),
        ('a.PDF', 'application/pdf'),
        ('a', 'application/octet-stream'),
        ('a.qq', 'application/octet-stream'),
    ],
)
def test_media_types(name: str, expected: str) -> None:
    assert guess_media_type(name) == expected


@pytest.mark.parametrize(
    ('size', 'expected'),
    [
        (0, '0 bytes'),
        (1, '1 byte'),
        (9_999, '9,999 bytes'),
        (118_400, '118 KB'),
        (999_999, '1,000 KB'),
        (2_345_678, '2.3 MB'),
    ],
)
def test_sizes(size: int, expected: str) -> None:
    assert size_text(size) == expected


def test_an_asset_is_described() -> None:
    line = describe_asset('logo.png', '/lib/demo/logo.png', 4274, 'image/png')
    assert (
        line == 'logo.png is a binary file (image/png, 4,274 bytes) at /lib/demo/logo.png. It cannot be shown as text.'
    )
