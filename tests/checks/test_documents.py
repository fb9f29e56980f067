"""What is read of Markdown without reading all of it is what the whole of it holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pydantic_ai_skills.checks.documents import Code, Link, codes, links

PIECES = st.sampled_from(
    ['[a](b.md)', '![i](p.png)', '[a][r]', '[r]', '[r]: c.md', '<https://e.org>', '<m@e.org>', '`code`', '``a`b``']
    + ['```sh', '```', '~~~', '    indented', '> quoted', '- item', '| a | b |', '|---|---|', '# h', '\\[x](y)', '<b>']
    + ['text', '', '', '\n', '[', ']', '(', ')', '<', '`', ' ']
)


def whole(text: str) -> tuple[list[Link], list[Code]]:
    """By a parse of everything."""
    found: list[Link] = []
    blocks: list[Code] = []
    inline: list[Code] = []
    for token in MarkdownIt('commonmark').enable('table').parse(text):
        if token.map is None:
            continue
        line = 1 + token.map[0]
        if token.type in ('fence', 'code_block'):
            language = token.info.strip().partition(' ')[0].lower()
            blocks.append(Code(token.content, language, line + (token.type == 'fence'), True))
        for child in token.children or ():
            if child.type == 'link_open':
                found.append(Link(str(child.attrs['href']), line))
            elif child.type == 'image':
                found.append(Link(str(child.attrs['src']), line))
            elif child.type == 'code_inline':
                inline.append(Code(child.content, '', line, False))
            line += child.type in ('softbreak', 'hardbreak')
    return found, blocks + inline


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(PIECES, min_size=1, max_size=4).map(''.join), max_size=12).map('\n'.join))
def test_links_and_code_are_those_of_a_whole_parse(text: str) -> None:
    assert (list(links(text)), list(codes(text))) == whole(text)


def test_lines_count_from_where_the_text_begins() -> None:
    text = 'one\ntwo [a](b.md)\n\n```sh\nrun\n```\n`x`\n'
    assert list(links(text, 10)) == [Link('b.md', 11)]
    assert list(codes(text, 10)) == [Code('run\n', 'sh', 14, True), Code('x', '', 16, False)]
