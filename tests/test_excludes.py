"""What is never shown to a model, and the caller's globs on top."""

from __future__ import annotations

from typing import Any

import pytest

from pydantic_ai_skills.excludes import DEFAULT_RESOURCE_EXCLUDES, ResourceFilter, combined_globs, is_excluded_part

SHUT = """__pycache__ x.pyc x.pyo .DS_Store .git .hg .svn node_modules .venv .env .env.local .env.production server.pem
    tls.key id_rsa id_rsa.pub id_ed25519 .ssh .aws .npmrc .netrc .pypirc .git-credentials .ENV Server.PEM ID_RSA
    .Git Node_Modules""".split()
OPEN = """.env.example env .environment git node_module a.py keys.md pem id.md .gitignore .github venv rsa .github
    .envy x.key.md monkey .env.example""".split()


@pytest.mark.parametrize('name', SHUT)
def test_shut(name: str) -> None:
    assert is_excluded_part(name)


@pytest.mark.parametrize('name', OPEN)
def test_open(name: str) -> None:
    assert not is_excluded_part(name)


def test_the_defaults_are_public_and_plain() -> None:
    import pydantic_ai_skills.packages

    assert pydantic_ai_skills.packages.DEFAULT_RESOURCE_EXCLUDES is DEFAULT_RESOURCE_EXCLUDES
    assert isinstance(DEFAULT_RESOURCE_EXCLUDES, tuple)
    assert {'__pycache__', '.git', 'node_modules', '.env', '*.pem'} <= set(DEFAULT_RESOURCE_EXCLUDES)


@pytest.mark.parametrize(
    ('glob', 'hidden', 'shown'),
    [
        ('*.csv', ['a.csv', 'data/deep/a.csv'], ['a.csv.md', 'csv']),
        ('drafts', ['drafts/a.md', 'x/drafts/a.md', 'drafts'], ['drafts.md']),
        ('data/*.md', ['data/a.md'], ['a.md', 'x/data/a.md', 'data/deep/a.md']),
        ('data/**', ['data/a.md', 'data/deep/a.md'], ['a.md']),
        ('**/tmp/*', ['tmp/a', 'x/tmp/a'], ['tmp']),
        ('a.md', ['a.md', 'x/a.md'], ['b.md']),
        ('[ab].md', ['a.md'], ['c.md']),
    ],
)
def test_globs(glob: str, hidden: list[str], shown: list[str]) -> None:
    chosen = combined_globs([glob])
    assert [name for name in [*hidden, *shown] if chosen.hides(name)] == hidden


def test_a_later_glob_takes_back() -> None:
    chosen = ResourceFilter(['*.md', '!keep.md'])
    assert (chosen.hides('a.md'), chosen.hides('keep.md')) == (True, False)


@pytest.mark.parametrize('none', [None, [], ()])
def test_no_globs_hide_nothing(none: Any) -> None:
    assert not combined_globs(none).hides('a.md')


def test_a_bare_string_is_a_mistake() -> None:
    with pytest.raises(TypeError, match=r"sequence of globs, not the string '\*\.md'"):
        ResourceFilter('*.md')


@pytest.mark.parametrize('bad', [[1], [None], [b'*.md']])
def test_something_else_than_strings(bad: Any) -> None:
    with pytest.raises(TypeError, match='only globs as strings'):
        ResourceFilter(bad)


def test_an_invalid_glob_is_named() -> None:
    with pytest.raises(ValueError, match='exclude_resources has a glob that is not valid'):
        ResourceFilter(['!'])
