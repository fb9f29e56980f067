from __future__ import annotations

import asyncio
import unicodedata
from pathlib import Path

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend, WorkspaceBackend, WorkspaceReadOnlyError
from pydantic_ai_harness.skills import SkillDefinition, Skills

from pydantic_ai_skills import definitions
from pydantic_ai_skills.definitions import parse_definitions
from pydantic_ai_skills.frontmatter import MAX_FRONTMATTER_CHARACTERS

SEPARATORS = '\v\f\x1c\x1d\x1e\x85\u2028\u2029'


def skill_md(frontmatter: str, body: str = 'Do it.\n') -> bytes:
    return f'---\n{frontmatter}\n---\n\n{body}'.encode()


def definition(frontmatter: str, body: str = 'Do it.\n') -> SkillDefinition:
    found = parse_definitions({'demo': skill_md(frontmatter, body)})['demo']
    assert isinstance(found, SkillDefinition), found
    return found


def refusal(raw: bytes, name: str = 'demo') -> str:
    found = parse_definitions({name: raw})[name]
    assert isinstance(found, str), found
    return found


SOUND = {
    'folded': 'description: >-\n  Two line\n  description\ncompatibility: any',
    'literal': 'description: |\n  Use for it.\n  Triggers: /it, bug report',
    'hidden': 'name: hidden\ndescription: Only for people.\ndisable-model-invocation: true',
    'quiet': 'description: "Only for the model."\nuser-invocable: False\nallowed-tools: [Read, Bash]\nmodel: x',
    'on': "name: on\ndescription: 'It''s true'",
}


def test_definitions_are_those_that_harness_reads_from_disk(tmp_path: Path) -> None:
    texts = {name: skill_md(frontmatter, 'Do it.\n\n  ```\n  x\n  ```\n\n') for name, frontmatter in SOUND.items()}
    for name, raw in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / 'SKILL.md').write_bytes(raw)
    catalog = asyncio.run(Skills(tmp_path, workspace=LocalWorkspaceBackend(tmp_path)).load())
    ours = parse_definitions(texts)
    assert not catalog.skipped and list(ours) == list(texts)
    for theirs in catalog.skills:
        mine = ours[theirs.name]
        assert isinstance(mine, SkillDefinition)
        assert (mine.name, mine.description, mine.body, mine.ignored_behavioral_fields) == (
            theirs.name,
            theirs.description,
            theirs.body,
            theirs.ignored_behavioral_fields,
        )
        assert (mine.model_invocable, mine.user_invocable) == (theirs.model_invocable, theirs.user_invocable)
        assert mine.render('args') == theirs.render('args') and 'Skill directory' not in mine.render()


def test_inside_a_running_event_loop() -> None:
    async def parse() -> object:
        return parse_definitions({'demo': skill_md('description: Fine.')})['demo']

    assert isinstance(asyncio.run(parse()), SkillDefinition)


def test_no_texts() -> None:
    assert parse_definitions({}) == {}


@pytest.mark.parametrize(
    ('raw', 'expected'),
    [
        (b'', 'SKILL.md must start with YAML frontmatter delimited by `---`.'),
        (b'---\nname: demo\n', 'SKILL.md has unclosed YAML frontmatter.'),
        (b'\xff\xfe', 'SKILL.md is not valid UTF-8'),
        (skill_md('name: other\ndescription: x'), "Skill name 'other' in SKILL.md must match its parent directory 'demo'."),
        (skill_md('description: when: x'), 'Invalid YAML frontmatter in SKILL.md: mapping values are not allowed here'),
        (skill_md('name: demo'), 'Invalid Agent Skill frontmatter in SKILL.md: 1 validation error'),
        (skill_md('description: x\ndescription: y'), "found duplicate key 'description'"),
        (skill_md('description: a\0b'), 'unacceptable character #x0000'),
    ],
)  # fmt: skip
def test_a_refusal_is_one_line_that_calls_the_file_by_its_name(raw: bytes, expected: str) -> None:
    found = refusal(raw)
    assert expected in found and '/skills' not in found and '\n' not in found and 'errors.pydantic.dev' not in found


@pytest.mark.parametrize('name', ['', '.', '..', 'a/b', 'a\0b'])
def test_an_id_that_is_no_folder_name(name: str) -> None:
    assert 'no name of a folder' in refusal(skill_md('description: x'), name)


def test_illegal_names_are_for_harness_to_refuse() -> None:
    for name in ('My Skill', 'a\nb', 'surrogate\udcff', 'SKILL.md'):
        assert refusal(skill_md('description: x'), name).startswith(f'Invalid skill name {name!r} in SKILL.md')


@pytest.mark.parametrize(
    'hostile',
    [
        'description: x\na: ' + '[' * 5_000,
        'description: x\na: ' + '[{x: ' * 300 + '1' + '}]' * 300,
        'description: x\na: ' + '[' * 33 + ']' * 33,
        'description: x\n' + '? ' * 5_000,
        'description: x\n' + '\n'.join(' ' * depth + 'a:' for depth in range(170)),
        'description: "\\UFFFFFFFF"',
        'description: "\\U00110000"',
        '\n'.join(
            ['a: &a [x,x,x,x,x,x,x,x,x,x]']
            + [f'{this}: &{this} [{",".join([f"*{last}"] * 10)}]' for last, this in zip('abcdefgh', 'bcdefghi', strict=True)]
        ),
        'description: x\na: &a ' + 'x' * 200 + '\nb: [' + '*a, ' * 100 + ']',
        'description: x\na: &a [*a]',
        'description: x\na: [' + 'b,' * 8_200 + ']',
        'description: x\n' + 'a: b\n' * 250_000,
    ],
)  # fmt: skip
def test_a_hostile_text_fails_alone(hostile: str) -> None:
    texts = {'demo': skill_md(hostile), 'after': skill_md('description: After.'), 'zebra': skill_md('description: Z.')}
    found = parse_definitions({'before': skill_md('description: Before.'), **texts})
    assert isinstance(found['demo'], str) and len(found['demo']) < 1_000
    assert all(isinstance(found[name], SkillDefinition) for name in ('before', 'after', 'zebra'))


def test_bounded_aliases_are_fine() -> None:
    assert (
        definition('metadata:\n  a: &a [x, y]\n  b: *a\ndescription: &d Shared.\nsummary: *d').description == 'Shared.'
    )


def test_frontmatter_at_the_limit() -> None:
    head = 'description: x\nnote: '
    fits = head + 'y' * (MAX_FRONTMATTER_CHARACTERS - len(head) - 1)
    assert definition(fits).description == 'x'
    assert f'at most {MAX_FRONTMATTER_CHARACTERS:,} are read' in refusal(skill_md(fits + 'y'))


def test_two_spellings_of_one_name_are_both_read() -> None:
    composed, decomposed = (unicodedata.normalize(form, 'caf\u00e9') for form in ('NFC', 'NFD'))
    found = parse_definitions({name: skill_md('description: Same.') for name in (composed, decomposed)})
    assert [item.name for item in found.values() if isinstance(item, SkillDefinition)] == [composed, composed]


def test_a_body_comes_through_but_for_its_line_ends() -> None:
    assert definition('description: x', 'a\r\nb\rc\n\n').body == 'a\nb\nc'
    for separator in SEPARATORS:
        body = f'a{separator}b\n---{separator}\n\ue000\U000f0000 f0001 \0\t.'
        assert definition('description: x', body).body == body


@pytest.mark.parametrize('end', ['\r\n', '\r'])
def test_any_line_end(end: str) -> None:
    text = '---\ndescription: >-\n  Two line\n  description\n---\n\nDo it.\n\nThen stop.\n'.replace('\n', end)
    found = parse_definitions({'demo': text.encode()})['demo']
    assert isinstance(found, SkillDefinition)
    assert (found.description, found.body) == ('Two line description', 'Do it.\n\nThen stop.')


@pytest.mark.parametrize('separator', SEPARATORS)
@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        ('One.{}name: evil', 'One.\nname: evil'),
        ('"One.{}disable-model-invocation: true"', 'One.\ndisable-model-invocation: true'),
        ('|\n  One.{}---{}name: evil\n  Two.', 'One.\n---\nname: evil\nTwo.'),
    ],
)
def test_a_separator_inside_a_value_ends_nothing(separator: str, value: str, expected: str) -> None:
    if ': ' in value and value.startswith('One'):
        value, expected = value.replace(': ', ':'), expected.replace(': ', ':')
    found = definition(f'description: {value.replace("{}", separator)}')
    assert (found.name, found.description, found.model_invocable) == ('demo', expected, True)


def test_escaped_separators_in_a_description_are_line_feeds_too() -> None:
    assert definition(r'description: "a\N- b\L- c\P- d\r- e\v- f"').description == 'a\n- b\n- c\n- d\n- e\n- f'


def test_many_lines() -> None:
    body = 'line\n' * 100_000
    assert definition('description: x', body).body == body.rstrip()
    assert definition('description: x', ' \t\n' * 300_000 + '  end').body == '  end'
    assert definition('description: x', '\n' * 300_000).body == ''


class TestWorkspace:
    """What harness is handed keeps the framework's protocol, of which harness 0.62 uses only a part."""

    def test_it_holds_one_library(self) -> None:
        texts = definitions._Texts({'demo': b'text'})
        assert isinstance(texts, WorkspaceBackend) and texts.ref is None
        assert asyncio.run(texts.working_dir()) == '/'
        assert [entry.path for entry in asyncio.run(texts.list_dir('/skills'))] == ['/skills/demo']
        assert [entry.path for entry in asyncio.run(texts.list_dir('/skills/demo'))] == ['/skills/demo/SKILL.md']
        assert asyncio.run(texts.read_bytes('/skills/demo/SKILL.md')) == b'text'
        assert [asyncio.run(texts.exists(path)) for path in ('/skills', '/skills/demo', '/skills/x', '/etc')] == [
            True,
            True,
            False,
            False,
        ]
        for call, error in [
            (texts.list_dir('/skills/demo/SKILL.md'), NotADirectoryError),
            (texts.read_bytes('/skills/demo'), IsADirectoryError),
            (texts.read_bytes('/etc/passwd'), FileNotFoundError),
            (texts.write_bytes('/skills/demo/SKILL.md', b''), WorkspaceReadOnlyError),
            (texts.make_dir('/skills/x'), WorkspaceReadOnlyError),
            (texts.remove('/skills/demo'), WorkspaceReadOnlyError),
        ]:
            with pytest.raises(error):
                asyncio.run(call)

    def test_a_harness_that_waits_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A later harness may suspend while it loads; nothing here could wake it, so it is an error and no hang."""

        class Waiting:
            def __class_getitem__(cls, _: object) -> type[Waiting]:
                return cls

            def __init__(self, *_: object, **__: object) -> None: ...

            async def load(self) -> None:
                await asyncio.sleep(0)

        monkeypatch.setattr(definitions, 'Skills', Waiting)
        with pytest.raises(RuntimeError, match='Install a version of pydantic-ai-skills that knows this one'):
            parse_definitions({'demo': b'---\nname: demo\ndescription: D.\n---\n'})
