"""Which names are legal, and which name a package gets when its folder has another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_skills.names import MAX_NAME_LENGTH, is_legal_name, normalize_name, skill_id, slug


@pytest.mark.parametrize('name', ['a', 'pdf', 'my-skill', 'x2', '2x', 'é', 'ｆｕｌｌ', '技能', 'a' * 64, 'e\u0301tude'])
def test_legal(name: str) -> None:
    assert is_legal_name(name)
    assert skill_id(name) == normalize_name(name)


@pytest.mark.parametrize(
    'name', ['', '-', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'a/b', '../a', '.a', 'a' * 65, 'a\n', '\udcff', 'ǅ']
)
def test_not_legal(name: str) -> None:
    assert not is_legal_name(name)


@pytest.mark.parametrize(
    ('folder', 'expected'),
    [
        ('twoFactor', 'two-factor'),
        ('My Skill', 'my-skill'),
        ('snake_case__name', 'snake-case-name'),
        ('.hidden', 'hidden'),
        ('--x--', 'x'),
        ('v1.2', 'v1-2'),
        ('PDFTools', 'pdftools'),
        ('a2B', 'a2-b'),
        ('___', ''),
        ('x' * 63 + '-yz', 'x' * 63),
        ('İstanbul', 'i-stanbul'),
        ('caf\udce9', 'caf'),
    ],
)
def test_slug(folder: str, expected: str) -> None:
    assert slug(folder) == expected


@pytest.mark.parametrize(
    ('folder', 'frontmatter', 'expected'),
    [
        ('pdf', 'vendor-pdf', 'pdf'),
        ('My Skill', 'mine', 'mine'),
        ('My Skill', 'Mine Too', 'my-skill'),
        ('___', 'Mine Too', 'mine-too'),
        ('___', '___', ''),
        ('___', None, ''),
    ],
)
def test_the_order_of_preference(folder: str, frontmatter: str | None, expected: str) -> None:
    assert skill_id(folder, frontmatter) == expected


@given(st.text(), st.none() | st.text())
def test_an_id_is_legal_or_empty(folder: str, frontmatter: str | None) -> None:
    name = skill_id(folder, frontmatter)
    assert name == '' or (is_legal_name(name) and len(name) <= MAX_NAME_LENGTH and normalize_name(name) == name)
    assert skill_id(name, None) == name
