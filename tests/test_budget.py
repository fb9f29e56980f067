from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_skills.budget import fit_descriptions


def test_what_fits_stays() -> None:
    descriptions = {'b': 'x' * 10, 'a': 'y' * 5}
    assert list(fit_descriptions(descriptions, 15).items()) == list(descriptions.items())
    assert fit_descriptions({}, 0) == {}


def test_the_longest_are_cut_evenly_at_word_ends() -> None:
    descriptions = {'short': 'Short one.', 'long': 'word, ' * 50, 'longer': 'word ' * 100}
    fitted = fit_descriptions(descriptions, 110)
    assert fitted == {
        'short': 'Short one.',
        'long': 'word, ' * 7 + 'word…',
        'longer': 'word ' * 9 + 'word…',
    }


@pytest.mark.parametrize(
    ('text', 'budget', 'expected'),
    [
        ('Use supercalifragilistic words', 14, 'Use…'),
        ('Processes invoices', 10, 'Processes…'),
        ('Processes invoices', 9, ''),
        ('Reads: files', 9, 'Reads…'),
        ('Use \u6280\u80fd\u6280 now', 7, 'Use…'),
        ('Use ' + 'x' * 41, 9, 'Use xxxx…'),
        ('one\ntwo three', 9, 'one\ntwo…'),
    ],
)
def test_where_it_is_cut(text: str, budget: int, expected: str) -> None:
    assert fit_descriptions({'a': text}, budget) == {'a': expected}


def test_writing_without_blanks_is_cut_between_letters() -> None:
    fitted = fit_descriptions({'a': '\u6280\u80fd' * 50, 'b': 'e\u0301' * 50}, 40)
    assert fitted['a'] == ('\u6280\u80fd' * 10)[:19] + '…'
    assert fitted['b'] == 'e\u0301' * 9 + '…'
    rockets = '\U0001f469\u200d\U0001f680'
    assert fit_descriptions({'a': rockets * 20}, 6) == {'a': rockets + '…'}
    assert fit_descriptions({'a': rockets * 20}, 3) == {'a': ''}


@pytest.mark.parametrize('budget', [0, 1, 3, 5])
def test_hardly_any_budget_drops_no_name(budget: int) -> None:
    fitted = fit_descriptions(dict.fromkeys('abcd', 'some words'), budget)
    assert fitted == dict.fromkeys('abcd', '')


def test_a_negative_budget() -> None:
    with pytest.raises(ValueError, match='catalog_budget must be'):
        fit_descriptions({'a': 'b'}, -1)


@given(
    st.dictionaries(st.text(max_size=3), st.text(st.sampled_from('ab \n,\u0301\u200d\U0001f469'), max_size=40)),
    st.integers(0, 300),
)
def test_never_more_than_the_budget(descriptions: dict[str, str], budget: int) -> None:
    fitted = fit_descriptions(descriptions, budget)
    assert list(fitted) == list(descriptions)
    assert sum(map(len, fitted.values())) <= budget or fitted == descriptions
    cut = {name for name in fitted if fitted[name] != descriptions[name]}
    assert (sum(map(len, descriptions.values())) > budget) == bool(cut)
    for name in cut:
        kept = fitted[name].removesuffix('…')
        assert descriptions[name].startswith(kept) and (fitted[name].endswith('…') or not fitted[name])
    kept_whole = [len(text) for name, text in descriptions.items() if name not in cut]
    assert not cut or not kept_whole or max(kept_whole) < min(len(descriptions[name]) for name in cut)
