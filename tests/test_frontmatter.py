from __future__ import annotations

from pydantic_ai_skills.frontmatter import frontmatter_fields, frontmatter_obstacle, split_frontmatter, text_field


def test_fields() -> None:
    text = '---\r\nname: demo\r\nlist: [a, {b: 1.10}]\r\ntext: "a\u2028b"\r\n---\r\nbody'
    fields = frontmatter_fields(text)
    assert fields == {'name': 'demo', 'list': ['a', {'b': '1.10'}], 'text': 'a\u2028b'}
    assert text_field(fields, 'name') == 'demo'
    assert text_field(fields, 'list') is None and text_field(fields, 'none') is None
    assert frontmatter_fields('\ufeff' + text.replace('---\r\n', '--- \r\n')) == fields


def test_no_fields() -> None:
    for source in (
        '- a',
        'text',
        'a: b: c',
        '? [a]\n: b',
        '',
        'a: "\\UFFFFFFFF"',
        'a: ' + '[' * 9_000,
        'a: &a [*a]',
        'a\0: b',
    ):
        assert frontmatter_fields(f'---\n{source}\n---\n') == {}, source
    for text in (
        '',
        '---',
        '---\n',
        'a: b',
        '---\na: b\n',
        ' ---\na: b\n---\n',
        '---\na: b\n ---\n',
        '----\na: b\n----\n',
    ):
        assert frontmatter_fields(text) == {}, text


def test_the_first_fence_closes() -> None:
    text = '---\na: b\n---\nc\n---\n'
    span = split_frontmatter(text)
    assert span is not None
    assert (text[span.start : span.stop], text[span.end :]) == ('a: b\n', 'c\n---\n')
    span = split_frontmatter('---\n---')
    assert span is not None and (span.start, span.stop, span.end) == (4, 4, 7)


def test_no_obstacle() -> None:
    for source in (
        'description: see ' + '[a](b) ' * 200,
        'description: when: ' + '[a](b) ' * 200,
        'description: *.md & *more*',
        'a: &a [x, y]\nb: [*a, *a]',
        '\n'.join('  ' * depth + 'a:' for depth in range(30)),
    ):
        assert frontmatter_obstacle(source) is None, source
