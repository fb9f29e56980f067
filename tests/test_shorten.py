from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import LocalSkillsRegistry, SkillsCapability, frontmatter
from pydantic_ai_skills.frontmatter import MAX_EVENTS, MAX_FRONTMATTER_CHARACTERS, parse_frontmatter
from pydantic_ai_skills.reading import SkillSource, read_skills
from pydantic_ai_skills.shorten import KEPT_FIELDS, shorten

from .support import load, make_library, run, skill_text

LONG = 'x' * 20_000
COMMENTS = '# c\n' * 9_000


@pytest.mark.parametrize(
    ('source', 'expected', 'names'),
    [
        (f'description: d\nm: {LONG}', 'description: d\n', ['m']),
        (f'm:\n  - {LONG}\n  - a: b\ndescription: d\nz: 1\n', 'description: d\nz: 1\n', ['m']),
        (f'description: d\r\nm: {LONG}\r\nz: 1\r\n', 'description: d\r\nz: 1\r\n', ['m']),
        (f'description: d\rm: {LONG}\rz: 1\r', 'description: d\rz: 1\r', ['m']),
        (f'  description: d\n  m: {LONG}', '  description: d\n', ['m']),
        (f'"description": d\n"m" : {LONG}\n', '"description": d\n', ['m']),
        (f'description: "d\n  e"\nm: "a\nname: b\n{LONG}"\nz: 1', 'description: "d\n  e"\nz: 1', ['m']),
        (f'description: d\nm: {LONG}\nn: y{LONG}\nz: 1', 'description: d\nz: 1', ['n', 'm']),
        (f'description: d\n{COMMENTS}z: 1', 'description: d\nz: 1', ['comments']),
        (f'{COMMENTS}description: d\nz: 1', 'description: d\nz: 1', ['comments']),
        (f'description: |\n  d\n{COMMENTS}z: 1', 'description: |\n  d\nz: 1', ['comments']),
    ],
)  # fmt: skip
def test_the_longest_are_left_away(source: str, expected: str, names: list[str]) -> None:
    assert shorten(source) == (expected, names)


@pytest.mark.parametrize(
    'source',
    [
        'description: d\nm: ' + 'x' * (MAX_FRONTMATTER_CHARACTERS - 18),  # just short enough
        f'description: {LONG}',
        f'description: d\nname: {LONG}',
        f'description: d\ndisable-model-invocation: {LONG}',
        f'{{description: d, m: {LONG}}}',
        f'- {LONG}',
        LONG,
        f'm: &a {LONG}\ndescription: *a',
        f'm: {LONG}\nm: b\ndescription: d',
        f'description: d\n? m\n: {LONG}',
        f'description: d\n? [m]\n: {LONG}',
        f'description: a: b\nm: {LONG}',
        f'description: d\nm: "{LONG}',
        'description: d\nm: ' + '[' * 20_000,
        'description: d\nm: [' + 'b,' * MAX_EVENTS + ']',
    ],
)
def test_what_cannot_be_left_away_stays(source: str) -> None:
    assert shorten(source) == (source, [])


def test_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontmatter, '_CLoader', yaml.BaseLoader)
    assert shorten(f'description: d\nm: {LONG}')[1] == []


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*KEPT_FIELDS, 'm', 'n', 'license', 'a b']),
        st.recursive(
            st.text('ab: #\n\'"é', max_size=30) | st.just(LONG),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab', min_size=1), inner, max_size=3),
            max_leaves=5,
        ),
    ),
    st.sampled_from([None, '"', "'"]),
)
def test_what_stays_means_the_same(fields: dict[str, object], style: str | None) -> None:
    source = yaml.safe_dump(fields, default_style=style, allow_unicode=True, sort_keys=False)
    short, names = shorten(source)
    if short != source:
        assert len(short) <= MAX_FRONTMATTER_CHARACTERS < len(source) and not KEPT_FIELDS & set(names)
        left = parse_frontmatter(source).value
        assert isinstance(left, dict)
        assert (parse_frontmatter(short).value or {}) == {key: left[key] for key in left if key not in names}


def test_a_megabyte_of_frontmatter(tmp_path: Path) -> None:
    entries = ''.join(f'  key_{number}: some text\n' for number in range(40_000))
    library = make_library(
        tmp_path,
        {
            'one/SKILL.md': skill_text('one', 'Use one.', 'Steps.', f'metadata:\n{entries}license: MIT\n'),
            'two/SKILL.md': skill_text('two', 'Use two.', 'Steps.', f'note: {"word " * 200_000}\n'),
            'Three_/SKILL.md': skill_text('three', 'Use three.', 'Steps.', f'note: {"word " * 200_000}\n'),
            'four/SKILL.md': skill_text('four', 'word ' * 200_000),
            'good/SKILL.md': skill_text('good'),
        },
    )
    with pytest.warns(UserWarning, match='Passed over'):
        capability = SkillsCapability(library)
    assert capability.skill_names == ['good', 'one', 'three', 'two']
    assert capability.packages['three'].directory == library / 'Three_'
    assert [(item.name, item.license) for item in capability.skills if item.name == 'one'] == [('one', 'MIT')]
    assert sorted((item.code, item.severity) for item in capability.diagnostics) == [
        ('frontmatter-long', 'warning'), ('frontmatter-long', 'warning'), ('frontmatter-long', 'warning'),
        ('frontmatter-too-large', 'error'), ('name-mended', 'warning'),
    ]  # fmt: skip
    seen = run(capability, [load('one')])
    assert '- one: Use one.\n' in seen.everything and '# Skill: one\n\nSteps.' in seen.everything
    with pytest.warns(UserWarning):
        view = SkillsCapability(registries=[LocalSkillsRegistry(library).prefixed('x-')])
    assert view.skill_names == ['x-good', 'x-one', 'x-three', 'x-two']
    with pytest.warns(UserWarning):
        assert SkillsCapability(library, strict=True).skill_names == ['good']


def test_the_file_stays_as_it_is() -> None:
    [found] = read_skills([SkillSource('demo', f'---\ndescription: d\nm: {LONG}\n---\nDo it.'.encode())])
    assert found.definition is not None and found.definition.body == 'Do it.'
    [finding] = found.findings
    assert finding.message == ('SKILL.md has 20,019 characters of frontmatter. Passed over, since it is so long: `m`.')
