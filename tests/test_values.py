from __future__ import annotations

import pytest
import yaml

from pydantic_ai_skills.values import mend_values

WORD_FOR_WORD = [
    'Use this skill when: the user asks',
    r"""It's for "bills": C:\new files, and 100% more: all""",
    '[draft] Writes drafts',
    '{beta} Tests: all of them',
    '[a]: b',
    '[file] [--flag: x]',
    'ends with a colon:',
    'a: b: c: [d] {e} #f, "g", \'h\' & *i | j > k % l @ m ` n ! o',
    'issues: see #12 and the rest',
    '"Foo" is: a word',
    "'It's for x'",
    '"Matches \\d+ digits"',
    '"He said "hi" to me"',
    '**Bold** text',
    '*.md files: all',
    '@mention',
    '`code` first',
    '%percent',
    '- item',
    '? what',
    '> quoted',
    '| piped | table |',
    '& more: x',
    ', comma: first',
    '] closes: first',
    'tab\tinside: kept',
    '\U0001f600 emoji: \u6280\u80fd',
    'x: |',
    'x: >-',
    '"a": "b"',
    'http://example.com: a page',
]


@pytest.mark.parametrize('value', WORD_FOR_WORD)
@pytest.mark.parametrize(
    'form', ['description: {}\n', 'name: demo\ndescription:   {}  \nlicense: MIT\n', '"description" : {}\n']
)
def test_a_value_is_taken_word_for_word(value: str, form: str) -> None:
    mended = mend_values(form.replace('{}', value))
    assert yaml.load(mended.source, yaml.BaseLoader)['description'] == value
    assert mended.quoted == ['description'] and not mended.expanded


@pytest.mark.parametrize(
    'source',
    [
        'description: Fine\n',
        'description: "when: x"\ntags:\n- a\n- b: c\n',
        'description: >-\n  when: x\n  [y\nmetadata: {"a": "b: c"}\n# comment: with: colons\n',
        'description: a: b\n  # a comment, and what follows it\n  c\n',
        'description: "never closed: x\nlicense: MIT\n',
        "description: 'never closed: x\nlicense: MIT\n",
        'metadata: {"a": {,\n"disable-model-invocation": true}\n',
        'metadata: [a: b: c\nlicense: MIT\n',
        'description: >- text: x\n  more\n',
        'description: a: b\nat the margin\n',
        'just text: with: colons\nand more',
        '- item: a: b\n',
        '',
        '\n\n',
        ': a: b\n',
    ],
)
def test_what_may_mean_something_else_stays(source: str) -> None:
    lines = [line for line in mend_values(source).source.split('\n') if line]
    untouched = [line for line in source.split('\n') if line]
    assert lines == untouched or yaml.load('\n'.join(lines[:1]), yaml.BaseLoader) == {'just text': 'with: colons'}


def test_only_what_does_not_parse_is_touched() -> None:
    source = '# top: of: all\nname: demo\nmetadata:\n  # in: side\n  a: b: c\n  d: "e"\n\n  f:\n    g: h: i\ndescription: x\n'
    mended = mend_values(source)
    assert mended.source == source.replace('b: c', '"b: c"').replace('h: i', '"h: i"')
    assert mended.quoted == ['a', 'g']


def test_lines_that_continue_a_value_are_joined() -> None:
    mended = mend_values('description: Use when: the user\n  asks for it:\n    now\n\n\n\t  or later\n\nlicense: MIT\n')
    assert yaml.load(mended.source, yaml.BaseLoader) == {
        'description': 'Use when: the user asks for it: now\n\nor later',
        'license': 'MIT',
    }


@pytest.mark.parametrize('end', ['\n', '\r\n', '\r'])
def test_tabs_that_indent(end: str) -> None:
    source = 'description: |\n\tone: a\n\ttwo\nmetadata:\n\tauthor: me\n\tdeep:\n\t\tnote: use: it\n'.replace('\n', end)
    mended = mend_values(source)
    assert yaml.load(mended.source, yaml.BaseLoader) == {
        'description': 'one: a\ntwo\n',
        'metadata': {'author': 'me', 'deep': {'note': 'use: it'}},
    }
    assert mended.expanded and mended.quoted == ['note']


def test_a_tab_after_the_colon() -> None:
    assert yaml.load(mend_values('name:\tdemo\ndescription: x\n').source, yaml.BaseLoader) == {
        'name': 'demo',
        'description': 'x',
    }


@pytest.mark.parametrize(
    ('source', 'value'),
    [
        ('description:\n  Use it when: asked\n  or told\n', 'Use it when: asked or told'),
        ('description:\n\n    Use it: when: asked\n\n    or told\nname: demo\n', 'Use it: when: asked\nor told'),
        ('description:\n\tUse it when: asked\n', 'Use it when: asked'),
        ('"description" :\n  "Use" it\n', '"Use" it'),
    ],
)
def test_a_text_that_begins_below_its_key(source: str, value: str) -> None:
    mended = mend_values(source)
    assert yaml.load(mended.source, yaml.BaseLoader)['description'] == value and mended.quoted == ['description']
    other = mend_values(source.replace('description', 'metadata'))
    assert 'metadata' not in other.quoted  # there it may be a mapping


@pytest.mark.parametrize(
    'source', ['description:\n  # of a: b: c\n  "x" y\n', 'description:\n"x" y\n', 'description:\n  |\n"x" y\n']
)
def test_a_text_below_its_key_that_may_be_something_else(source: str) -> None:
    assert mend_values(source).quoted == []


def test_items_of_a_list() -> None:
    source = 'globs:\n  - *.ts\n  - "a" or "b"\n  - fine\n\n  - @x\nmetadata:\n  for:\n  - `x`\n  - "c: d"\n'
    mended = mend_values(source)
    assert yaml.load(mended.source, yaml.BaseLoader) == {
        'globs': ['*.ts', '"a" or "b"', 'fine', '@x'],
        'metadata': {'for': ['`x`', 'c: d']},
    }
    assert mended.quoted == ['globs', 'for']


@pytest.mark.parametrize('item', ['- when: a: b', '- "open', '- *.ts\n    more', '- [x', '- - *.ts'])
def test_items_that_may_be_something_else(item: str) -> None:
    with pytest.raises(yaml.YAMLError):
        yaml.load(mend_values(f'globs:\n  {item}\n  - x\n').source, yaml.BaseLoader)
