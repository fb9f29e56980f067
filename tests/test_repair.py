from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings

from pydantic_ai_skills import frontmatter
from pydantic_ai_skills.codes import CODES
from pydantic_ai_skills.repair import repair

from .skill_texts import folders, skill_files

BODY = '\r\nDo it.\x0c\u2028---\r\n\tEnd '


def mended(text: str, folder: str = 'demo') -> tuple[str | None, list[str]]:
    found = repair(text.encode(), folder)
    return found.text, [finding.code for finding in found.findings]


def test_a_sound_text_comes_back_as_it_is() -> None:
    for text in (
        f'---\nname: demo\ndescription: x # comment\n---\n{BODY}',
        '---\r\ndescription: >\r\n  a: b\r\n---\r\n',
        '---\ndescription: "a\u2028b\x85c"\n---',
        '---\ndescription: a\n---\n---\n---',
    ):
        assert mended(text) == (text, [])


@pytest.mark.parametrize(
    ('above', 'codes'),
    [
        ('\ufeff', ['byte-order-mark']),
        ('\ufeff\ufeff', ['byte-order-mark']),
        ('\n\t\r\n  \r', ['text-above-frontmatter']),
        ('<!-- one --><!---->\n', ['text-above-frontmatter']),
        ('\n<!--\n---\ndescription: not this\n---\n-->  \n\n', ['text-above-frontmatter']),
        ('\ufeff\n', ['text-above-frontmatter', 'byte-order-mark']),
        ('<!-- c -->\n\ufeff', ['no-frontmatter']),
        ('<!-- c -->', ['no-frontmatter']),
        ('<!-- never closed\n', ['no-frontmatter']),
        ('# Title\n', ['no-frontmatter']),
        ('  ', ['no-frontmatter']),
        ('----\n', ['no-frontmatter']),
    ],
)
def test_what_stands_above_the_frontmatter(above: str, codes: list[str]) -> None:
    text = f'---\ndescription: x\n---\n{BODY}'
    assert mended(above + text) == (None if codes == ['no-frontmatter'] else text, codes)


@pytest.mark.parametrize('opening', ['---', '--- ', '---\t'])
@pytest.mark.parametrize('closing', ['---', '---  ', '---\u00a0'])
def test_blanks_after_a_fence(opening: str, closing: str) -> None:
    text, codes = mended(f'{opening}\ndescription: x\n{closing}\n{BODY}')
    assert text == f'---\ndescription: x\n---\n{BODY}'
    assert codes == ([] if opening == closing == '---' else ['fence-blanks'])


def test_a_name_is_replaced_where_it_stands() -> None:
    before = '---\r\n# first\r\nname:   Other  # why\r\ndescription: |\r\n  name: Other\r\n---\r\n' + BODY
    assert mended(before) == (before.replace('  Other  #', '"demo"  #', 1).replace(': "', ': "'), ['name-mended'])


def test_the_id_that_a_folder_and_a_name_give() -> None:
    named = b'---\nname: good-name\ndescription: x\n---\n'
    assert [repair(named, folder).id for folder in ('demo', 'De_mo', '___', 'CAF\u00c9')] == [
        'demo',
        'good-name',
        'good-name',
        'good-name',
    ]
    assert repair(b'---\nname: good-name\ndescription: when: x\n---\n', 'De_mo').id == 'good-name'
    assert repair(b'---\ndescription: x\n---\n', 'CAFE\u0301 1').id == 'caf\u00e9-1'
    assert repair(b'\xff', 'My Skill').id == 'my-skill' and repair(b'', '___').id == ''


def test_fields_are_text() -> None:
    found = repair(b'---\ndescription: x\nversion: 1.10\non: yes\nlist: [1, null, ~]\nempty:\n---\n', 'demo')
    assert found.fields == {'description': 'x', 'version': '1.10', 'on': 'yes', 'list': ['1', 'null', '~'], 'empty': ''}


def test_whether_a_refusal_is_certain() -> None:
    assert repair(b'---\ndescription: when: x! {y}\n---\n', 'demo').certain
    assert not repair(b'---\ndescription: when: !x\n---\n', 'demo').certain
    assert not repair(b'---\ndescription:\tx\n---\n', 'demo').certain


@pytest.mark.parametrize(
    'text', ['---\ndescription: when: x\n---\n', '---\ndescription:\tx\n---\n', '---\na: ' + '[' * 9_000 + '\n---\n']
)
def test_without_libyaml(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = repair(text.encode(), 'demo')
    monkeypatch.setattr(frontmatter, '_CLoader', yaml.BaseLoader)
    found = repair(text.encode(), 'demo')
    assert (found.text, [item.code for item in found.findings]) == (
        expected.text,
        [item.code for item in expected.findings],
    )


@settings(max_examples=300, deadline=None)
@given(skill_files, folders)
def test_repair_is_idempotent(raw: bytes, folder: str) -> None:
    check_repair(raw, folder)


def check_repair(raw: bytes, folder: str) -> None:
    """What holds for any file: for the suite, and for `scripts/soak`."""
    found = repair(raw, folder)
    assert {finding.code for finding in found.findings} <= CODES.keys()
    assert (found.text is None) == any(CODES[finding.code].severity == 'error' for finding in found.findings)
    if found.text is not None:
        again = repair(found.text.encode(), folder)
        assert (again.text, again.id, again.fields.get('description')) == (
            found.text,
            found.id,
            found.fields.get('description'),
        )
        assert {finding.code for finding in again.findings} <= {'name-mended'}
