from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_skills.links import resolve_link

FILES = [
    'forms.md',
    'references/a.md',
    'references/b.md',
    'references/deep/c.md',
    'references/deep/img/x 1.png',
    'guides/a.md',
    'guides/b.md',
    'data/table.csv',
    'odd#name.md',
    '50%25.md',
]


@pytest.mark.parametrize(
    ('link', 'from_file', 'expected'),
    [
        ('b.md', 'references/a.md', 'references/b.md'),
        ('./b.md#part-two', 'references/a.md', 'references/b.md'),
        ('<b.md>', './references/a.md', 'references/b.md'),
        ('b.md "The other one"', 'references/a.md', 'references/b.md'),
        ("<img/x 1.png#a> 'T'", 'references/deep/c.md', 'references/deep/img/x 1.png'),
        ('[the other](b.md#x "B")', 'references/a.md', 'references/b.md'),
        ('![](img/x%201.png)', 'references/deep/c.md', 'references/deep/img/x 1.png'),
        ('../forms.md', 'references/a.md', 'forms.md'),
        ('../a.md', 'references/deep/c.md', 'references/a.md'),
        ('img/x%201.png?raw=1', 'references/deep/c.md', 'references/deep/img/x 1.png'),
        ('img\\x 1.png', 'references\\deep\\c.md', 'references/deep/img/x 1.png'),
        ('b.md', 'references', 'references/b.md'),
        ('references/a.md', 'guides/a.md', 'references/a.md'),
        ('/references/a.md', 'guides/a.md', 'references/a.md'),
        ('references/a.md', 'SKILL.md', 'references/a.md'),
        ('a.md', 'SKILL.md', None),
        ('../forms.md', 'forms.md', None),
        ('../../forms.md', 'references/a.md', None),
        ('../../references/../x', 'references/a.md', None),
        ('odd#name.md', 'forms.md', 'odd#name.md'),
        ('50%25.md', 'forms.md', '50%25.md'),
        ('#part', 'references/a.md', None),
        ('', 'references/a.md', None),
        ('.', 'references/a.md', None),
        ('https://example.com/forms.md', 'forms.md', None),
        ('mailto:forms.md', 'forms.md', None),
        ('forms.md', '../../etc/passwd', 'forms.md'),
        ('%00', 'forms.md', None),
    ],
)
def test_a_link_in_a_file(link: str, from_file: str, expected: str | None) -> None:
    assert resolve_link(link, from_file, FILES) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ('link', 'expected'),
    [
        ('forms.md', ['forms.md']),
        ('../forms.md', ['forms.md']),
        ('c.md', ['references/deep/c.md']),
        ('deep/c.md#x', ['references/deep/c.md']),
        ('img/x%201.png', ['references/deep/img/x 1.png']),
        ('../data/table.csv', ['data/table.csv']),
        ('a.md', ['guides/a.md', 'references/a.md']),
        ('../guides/b.md', ['guides/b.md']),
        ('table.csv', []),  # no Markdown lies there that could have said so
        ('other/c.md', []),
        ('../../../forms.md', []),
    ],
)
def test_a_link_of_which_nobody_says_where_it_was_read(link: str, expected: list[str]) -> None:
    assert resolve_link(link, None, FILES) == expected


@given(st.text('ab./\\%#?<> 2fF0', max_size=20), st.none() | st.text('ab./\\', max_size=9))
def test_nothing_but_the_files_given(link: str, from_file: str | None) -> None:
    files = {'a', 'b.md', 'a/b.md', 'a/a', 'b/a/b.md'}
    found = resolve_link(link, from_file, files)
    assert set(found) <= files and (from_file is None or len(found) <= 1)
