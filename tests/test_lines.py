from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_skills.lines import (
    SEPARATORS,
    shield,
    single_separator,
    skip_blank_lines,
    split_lines,
    without_blank_ends,
)

pieces = st.sampled_from([*f'ab \n\r{SEPARATORS}\U000f0000\U000f0001', 'f0002', 'F0003'])
texts = st.lists(pieces, max_size=30).map(''.join)


@given(texts)
def test_shielded_text_has_only_the_line_ends_of_the_format(text: str) -> None:
    shielded = shield(text)
    assert shielded.restore(shielded.text) == text
    assert shielded.text.splitlines() == split_lines(shielded.text)
    assert len(split_lines(text)) == len(split_lines(shielded.text))


def test_a_stand_in_is_neither_a_character_of_the_text_nor_an_escape_in_it() -> None:
    shielded = shield('a\u2028b \U000f0000 \\U000F0001 \\U000f0002')
    assert shielded.originals == {0xF0003: '\u2028'}
    assert shield('plain').originals == {}


def test_the_separators_are_what_python_adds() -> None:
    every = {chr(code) for code in range(0x3000) if len(f'a{chr(code)}b'.splitlines()) == 2}
    assert every == {*SEPARATORS, '\n', '\r'}


def test_single_separator() -> None:
    assert single_separator('a\r\nb\rc\u2028d\fe') == 'a\nb\nc\nd\ne'


@given(texts, texts)
def test_skip_blank_lines(before: str, text: str) -> None:
    whole = f'{before}\n{text}'
    start = skip_blank_lines(whole, len(before) + 1)
    dropped, kept = whole[len(before) + 1 : start], whole[start:]
    assert not dropped.strip() and (not dropped or dropped[-1] in '\r\n')
    assert not kept.strip() or split_lines(kept)[0].strip()


def test_without_blank_ends() -> None:
    for text in ('', '\n', ' \n\f\n', '\v'):
        assert without_blank_ends(text) == ''
    assert without_blank_ends('\n \n  a \n\n b\t\n\f\n') == '  a \n\n b\t'
