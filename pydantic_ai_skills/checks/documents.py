"""Markdown of a skill as tokens: its links, and its code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True)
class Link:
    """A link or an image."""

    target: str
    line: int


@dataclass(frozen=True)
class Code:
    """A block of code, or code within a line."""

    text: str
    language: str
    """The first word after the fence, in lower case; empty where there is none."""
    line: int
    is_block: bool


def links(text: str, first_line: int = 1) -> Iterator[Link]:
    """Each link and image of a Markdown text, with the line of the paragraph that it stands in."""
    for token, line in _inline(text, first_line):
        if token.type == 'link_open':
            yield Link(str(token.attrs.get('href', '')), line)
        elif token.type == 'image':
            yield Link(str(token.attrs.get('src', '')), line)


def codes(text: str, first_line: int = 1) -> Iterator[Code]:
    """Each block of code and each piece of code within a line."""
    for token in MarkdownIt('commonmark').parse(text):
        if token.type in ('fence', 'code_block') and token.map is not None:
            line = first_line + token.map[0] + (token.type == 'fence')
            yield Code(token.content, token.info.strip().partition(' ')[0].lower(), line, True)
    for token, line in _inline(text, first_line):
        if token.type == 'code_inline':
            yield Code(token.content, '', line, False)


def _inline(text: str, first_line: int) -> Iterator[tuple[Token, int]]:
    for block in MarkdownIt('commonmark').enable('table').parse(text):
        if block.type != 'inline' or block.map is None:
            continue
        line = first_line + block.map[0]
        for token in block.children or ():
            yield token, line
            line += token.type in ('softbreak', 'hardbreak')
