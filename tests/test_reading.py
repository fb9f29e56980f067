from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import codes
from pydantic_ai_skills.frontmatter import MAX_SKILL_BYTES, split_frontmatter
from pydantic_ai_skills.lines import split_lines
from pydantic_ai_skills.packages import index_libraries
from pydantic_ai_skills.reading import ReadSkill, SkillSource, read_skills

from .skill_texts import folders, skill_files, skill_texts

QUOTES = r"""It's for "bills": C:\new files, and 100% more: all"""
INFOS = {code for code, meaning in codes.CODES.items() if meaning.severity == 'info'}


def skill_md(frontmatter: str, body: str = 'Do it.\n') -> bytes:
    return f'---\n{frontmatter}\n---\n\n{body}'.encode()


def read(raw: bytes, folder: str = 'demo', *, strict: bool = False) -> ReadSkill:
    [found] = read_skills([SkillSource(folder, raw)], strict=strict)
    return found


def found_codes(found: ReadSkill) -> list[str]:
    return [finding.code for finding in found.findings]


# One package for each trouble in the figures on published skills: what it is, what loads, what is said.
TROUBLES: dict[str, tuple[str, bytes, str, str | None, list[str]]] = {
    'an unquoted colon': (
        'invoices', skill_md('description: Use this skill when: the user asks about invoices'),
        'invoices', 'Use this skill when: the user asks about invoices', ['value-quoted'],
    ),
    'a colon, quotes and a backslash': ('bills', skill_md(f'description: {QUOTES}'), 'bills', QUOTES, ['value-quoted']),
    'vendor- and the directory': (
        'todoist-cli', skill_md('name: acme-todoist-cli\ndescription: Tasks.'), 'todoist-cli', 'Tasks.', ['name-mended'],
    ),
    'Title Case': ('desktop', skill_md('name: Desktop\ndescription: Desktop.'), 'desktop', 'Desktop.', ['name-mended']),
    'a/b': ('b', skill_md('name: a/b\ndescription: Both.'), 'b', 'Both.', ['name-mended']),
    'an illegal name in an illegal folder': (
        'My Skill', skill_md('name: My Skill\ndescription: Mine.'), 'my-skill', 'Mine.', ['name-mended'],
    ),
    'an illegal folder and no name': ('twoFactor', skill_md('description: Two.'), 'two-factor', 'Two.', ['name-mended']),
    'an illegal folder and a legal name': (
        'Two_Factor', skill_md('name: otp\ndescription: Codes: six digits.'), 'otp', 'Codes: six digits.',
        ['value-quoted', 'name-mended'],
    ),
    'a long description': ('long', skill_md('description: ' + 'x' * 1_434), 'long', 'x' * 1_434, ['description-long']),
    'CRLF': (
        'crlf', skill_md('description: >-\n  Two line\n  description').replace(b'\n', b'\r\n'),
        'crlf', 'Two line description', [],
    ),
    'a byte order mark': ('bom', b'\xef\xbb\xbf' + skill_md('description: B.'), 'bom', 'B.', ['byte-order-mark']),
    'values that are no strings': (
        'values', skill_md('description: V.\nmetadata:\n  date: 2026-01-02\n  list: [a, 1.10]\nversion: 1.10'),
        'values', 'V.', [],
    ),
    'allowed-tools as a list': (
        'tools', skill_md('description: T.\nallowed-tools: [Read, "Bash(git:*)"]'), 'tools', 'T.', ['fields-ignored'],
    ),
    'an argument hint in brackets': (
        'hint', skill_md('description: H.\nargument-hint: [file] [options]'), 'hint', 'H.',
        ['value-quoted', 'fields-ignored'],
    ),
    'a licence in a comment above': (
        'comment', b'<!-- (c) 2026 -->\n\n' + skill_md('description: C.'), 'comment', 'C.', ['text-above-frontmatter'],
    ),
    'blank lines above': ('blank', b'\n \n' + skill_md('description: B.'), 'blank', 'B.', ['text-above-frontmatter']),
    'blanks after the fences': (
        'fences', b'---  \ndescription: F.\n---\t\n\nDo it.\n', 'fences', 'F.', ['fence-blanks'],
    ),
    'no frontmatter': ('demo', b'# Tracer API\n\nUse it.\n', 'demo', None, ['no-frontmatter']),
    'nothing': ('demo', b'', 'demo', None, ['no-frontmatter']),
    'open frontmatter': ('demo', b'---\nname: demo\ndescription: Open.\n', 'demo', None, ['frontmatter-unclosed']),
    'no description': ('demo', skill_md('name: demo'), 'demo', None, ['no-description']),
    'cp1252': ('demo', skill_md('description: caf\u00e9').decode().encode('cp1252'), 'demo', None, ['not-utf8']),
    'UTF-16': ('demo', skill_md('description: x').decode().encode('utf-16'), 'demo', None, ['not-utf8']),
    'UTF-32': ('demo', skill_md('description: x').decode().encode('utf-32'), 'demo', None, ['not-utf8']),
    'UTF-32 without a mark': ('demo', skill_md('description: x').decode().encode('utf-32-be'), 'demo', None, ['not-utf8']),
    'UTF-16 without a mark': ('demo', skill_md('description: x').decode().encode('utf-16-le'), 'demo', None, ['not-utf8']),
}  # fmt: skip


@pytest.mark.parametrize('trouble', TROUBLES)
def test_every_trouble_of_published_skills(trouble: str) -> None:
    folder, raw, name, description, expected = TROUBLES[trouble]
    found = read(raw, folder)
    assert (found.id, found_codes(found)) == (name, expected)
    if description is None:
        assert found.definition is None
    else:
        assert found.definition is not None
        assert (found.definition.name, found.definition.description) == (name, description)
        assert found.definition.body == 'Do it.'
        assert found.fields['description'] == description
    for finding in found.findings:
        diagnostic = finding.about(Path('/lib') / folder / 'SKILL.md')
        assert str(Path('/lib') / folder / 'SKILL.md') in diagnostic.message
        assert diagnostic.hint or diagnostic.code == 'fields-ignored'
        assert diagnostic.severity == codes.CODES[diagnostic.code].severity


@pytest.mark.parametrize('trouble', TROUBLES)
def test_strict_leaves_out_what_would_be_mended(trouble: str) -> None:
    folder, raw, _, description, expected = TROUBLES[trouble]
    found = read(raw, folder, strict=True)
    if description is not None and set(expected) <= INFOS:
        assert found.definition is not None and found.definition.description == description
        assert found_codes(found) == expected
    else:
        assert found.definition is None
        [finding] = found.findings
        assert finding.code == expected[0] and finding.hint
        diagnostic = finding.about('lib/SKILL.md')
        assert diagnostic.severity == 'error' and 'lib/SKILL.md' in diagnostic.message


def test_all_troubles_at_once_are_what_they_are_alone() -> None:
    sources = [SkillSource(folder, raw) for folder, raw, *_ in TROUBLES.values()]
    for strict in (False, True):
        assert read_skills(sources, strict=strict) == [read(raw, folder, strict=strict) for folder, raw in sources]


def test_fields_that_harness_does_not_keep() -> None:
    found = read(TROUBLES['values that are no strings'][1])
    assert (
        found.fields['metadata'] == {'date': '2026-01-02', 'list': ['a', '1.10']} and found.fields['version'] == '1.10'
    )
    mended = read(skill_md('license: "a\u2028b"\ndescription: when: x\nmetadata:\n  note: a: b'))
    assert mended.fields['license'] == 'a\u2028b' and mended.fields['metadata'] == {'note': 'a: b'}


def test_a_name_is_told_of_where_it_was_and_where_it_is() -> None:
    [finding] = read(skill_md('name: acme-todoist\ndescription: x'), 'todoist-cli').findings
    assert "'acme-todoist'" in finding.message and "'todoist-cli'" in finding.message
    [finding] = read(skill_md('name: Math Add\ndescription: x'), 'math_add').findings
    assert all(name in finding.message for name in ("'math_add'", "'Math Add'", "'math-add'"))
    assert finding.hint == "Rename the folder to 'math-add'."


@pytest.mark.parametrize(
    'name',
    ['', ' other', '"Other"', "'o: o'", '|\n  other', '>-\n  a\n  b', '[a, b]', '\n  - a', '{a: b}', 'x # comment', '&n x', '😀'],
)  # fmt: skip
def test_any_spelling_of_a_wrong_name(name: str) -> None:
    for frontmatter in (f'name: {name}\ndescription: When.', f'description: When.\nname: {name}'):
        found = read(skill_md(frontmatter))
        assert found.definition is not None, (frontmatter, found.findings)
        assert (found.definition.name, found.definition.description) == ('demo', 'When.')
        assert found_codes(found) == ['name-mended']


def test_a_name_in_a_flow_mapping() -> None:
    found = read(skill_md('{"name": Other, description: "When."}'))
    assert found.definition is not None and found.definition.name == 'demo'


def test_two_folders_of_one_id_are_both_read() -> None:
    found = read_skills([SkillSource(folder, skill_md(f'description: {folder}')) for folder in ('a-b', 'A_B', 'a b')])
    assert [(item.id, item.definition and item.definition.description) for item in found] == [
        ('a-b', 'a-b'),
        ('a-b', 'A_B'),
        ('a-b', 'a b'),
    ]


def test_the_index_has_the_ids_of_the_catalog(tmp_path: Path) -> None:
    files = {
        'Two_Factor': skill_md('name: otp\ndescription: Codes: six digits.'),
        'My Notes': b'\n<!-- (c) -->\n' + skill_md('name: notes\ndescription: x'),
        'Odd_One': skill_md('name: other\ndescription: "open'),
        'Old_One': skill_md('name: old\ndescription: caf\u00e9').decode().encode('cp1252'),
        'plain': skill_md('name: Vendor Plain\ndescription: x'),
        '___': skill_md('description: x'),
    }
    for folder, raw in files.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / 'SKILL.md').write_bytes(raw)
    ids = [read(raw, folder).id for folder, raw in files.items()]
    assert ids == ['otp', 'notes', 'odd-one', 'old-one', 'plain', '']
    assert set(index_libraries([tmp_path])) == set(ids) - {''}


def test_no_name_at_all() -> None:
    found = read(skill_md('description: x'), '___')
    assert (found.id, found.definition, found_codes(found)) == ('', None, ['no-name'])


def test_what_is_worth_knowing() -> None:
    found = read(skill_md('description: Think.\nmodel: x\nallowed-tools: y'), 'thinking')
    assert found_codes(found) == ['fields-ignored', 'name-risky']
    assert '`allowed-tools`, `model`' in found.findings[0].message and "'thinking'" in found.findings[1].message


@pytest.mark.parametrize(
    ('frontmatter', 'code'),
    [
        ('description: x\ndescription: y', 'duplicate-key'),
        ('description: x\nmetadata:\n  k: v\n  k: w', 'duplicate-key'),
        ('description: [a, b]', 'no-description'),
        ('description: "  "', 'no-description'),
        ('description: \v', 'no-description'),
        ('description: "\\u2028"', 'no-description'),
        ('description: x\nuser-invocable: yes', 'field-invalid'),
        ('description: x\ndisable-model-invocation: [true]', 'field-invalid'),
        ('- description', 'frontmatter-invalid'),
        ('description: "open', 'frontmatter-invalid'),
        ('description: a\0b', 'frontmatter-invalid'),
        ('description: x\n[a]: b', 'frontmatter-invalid'),
        ('description: x\na: *nothing', 'frontmatter-invalid'),
        ('description: x\n' + 'a: b\n' * 250_000, 'frontmatter-too-large'),
        ('description: x\na: &a [' + 'x,' * 999 + ']\nb: [' + '*a,' * 99 + ']', 'frontmatter-too-large'),
        ('description: x\na: ' + '[' * 40 + ']' * 40, 'frontmatter-too-deep'),
        ('description: x\na: ' + '[' * 16_000, 'frontmatter-too-deep'),
        ('description: x\na: ' + '{x: ' * 4_000, 'frontmatter-too-deep'),
        ('description: x\n' + '- ' * 8_000, 'frontmatter-invalid'),
        ('? ' * 8_000, 'frontmatter-too-deep'),
        ('description: x\na: &a [*a]', 'frontmatter-too-deep'),
        ('? name\n: other\n? description\n: x', 'refused'),
    ],
)
def test_what_is_left_out(frontmatter: str, code: str) -> None:
    found = read(skill_md(frontmatter))
    assert (found.definition, found_codes(found)) == (None, [code])
    assert found.findings[0].message.count('SKILL.md') == 1 and len(found.findings[0].message) < 500


@pytest.mark.parametrize(
    'value', [' [BETA]', ' {placeholder}', '\n  Use it: when asked\n  Not: otherwise', '\n  - a\n  - b']
)
def test_a_description_that_is_no_text_for_yaml(value: str) -> None:
    [finding] = read(skill_md(f'name: demo\ndescription:{value}')).findings
    assert 'reads as a list or a mapping' in finding.message
    assert finding.hint is not None and finding.hint.startswith('Put the value in quotes')


def test_the_line_of_a_complaint_is_that_of_the_file() -> None:
    [finding] = read(b'<!-- one\ntwo -->\n' + skill_md('description: x\nlicense: "open')).findings
    assert 'line 6' in finding.message  # libyaml says where the quote would have had to be closed
    finding = read(b'\r\n\r\n' + skill_md('license: x\r\ndescription: when: x')).findings[-1]
    assert 'line 5, column 18' in finding.message and '`description`' in finding.message


def test_a_file_of_any_size() -> None:
    assert found_codes(read(skill_md('description: x', 'x' * MAX_SKILL_BYTES))) == ['file-too-large']
    found = read(skill_md('description: x', 'y\n' * 100_000))
    assert found.definition is not None and found.definition.body.count('\n') == 99_999
    for hostile in (b'<!-- x -->' * 200_000, b'\n' * MAX_SKILL_BYTES, b'---\n' * 500_000, b'---\n' + b' ' * 2_000_000):
        assert read(hostile).definition is None


def expected_body(text: str) -> str:
    span = split_frontmatter(text)
    assert span is not None
    lines = split_lines(text[span.end :])
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return '\n'.join(lines)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(folders, skill_files), min_size=1, max_size=4))
def test_no_file_does_harm(files: list[tuple[str, bytes]]) -> None:
    check_files(files)


def check_files(files: list[tuple[str, bytes]]) -> None:
    """What holds for any files: for the suite, and for `scripts/soak`."""
    sources = [SkillSource(*file) for file in files]
    mended, strict = read_skills(sources), read_skills(sources, strict=True)
    for source, found, as_is in zip(sources, mended, strict, strict=True):
        for item in (found, as_is):
            errors = [finding for finding in item.findings if finding.about('x').severity == 'error']
            assert bool(errors) is (item.definition is None) and len(errors) <= 1
            assert all('SKILL.md' in finding.message and len(finding.message) < 1_000 for finding in item.findings)
            assert item.definition is None or item.definition.name == item.id
        if as_is.definition is not None:  # what harness takes is not mended, and comes through the same
            assert found == as_is and set(found_codes(found)) <= INFOS
            assert found.definition is not None
            assert found.definition.body == expected_body(source.raw.decode()), source
            assert not re.search('[\r\v\f\x1c-\x1e\x85\u2028\u2029]', found.definition.description)
    if len(sources) > 1:
        assert mended == [read(raw, folder) for folder, raw in files]


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.characters(codec='utf-8', exclude_characters='\n\r', exclude_categories=['Cc']), min_size=1, max_size=60)
)
def test_a_mended_value_is_word_for_word(value: str) -> None:
    found = read(skill_md(f'license: MIT\ndescription: {value}\nname: demo'))
    if 'value-quoted' in found_codes(found):
        assert found.definition is not None
        assert found.fields == {'license': 'MIT', 'description': value.strip(), 'name': 'demo'}
        assert found.definition.description == '\n'.join(value.strip().splitlines()).strip()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text('ab: -#\'"\\[{', min_size=1, max_size=12), min_size=1, max_size=3), skill_texts)
def test_a_colon_in_plain_text_never_matters(words: list[str], body: str) -> None:
    value = 'Use when: ' + ' '.join(words).strip() + '.'
    found = read(skill_md(f'description: {value}', body))
    assert found.definition is not None and found.definition.description == value
