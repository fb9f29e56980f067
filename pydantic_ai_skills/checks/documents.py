"""Markdown of a skill as tokens: its links, and its code.

Parsing is most of what checking costs, so a text is parsed once for both, none that holds neither, and of its
paragraphs only those that may: 1,000 skills with 11 pages each take 9 s and not 64 (measured).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LINKED = re.compile(r'\]\(|\]:|<[^\s<>]*[:@]')
"""What every text with a link has: one in place, the address of one that is named, or an address in angle brackets."""


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
    if not _LINKED.search(text):
        return
    for token, line in _inline(text, first_line, '[<'):
        if token.type == 'link_open':
            yield Link(str(token.attrs.get('href', '')), line)
        elif token.type == 'image':
            yield Link(str(token.attrs.get('src', '')), line)


def codes(text: str, first_line: int = 1) -> Iterator[Code]:
    """Each block of code and each piece of code within a line."""
    for token in _blocks(text)[0]:
        if token.type in ('fence', 'code_block') and token.map is not None:
            line = first_line + token.map[0] + (token.type == 'fence')
            yield Code(token.content, token.info.strip().partition(' ')[0].lower(), line, True)
    for token, line in _inline(text, first_line, '`'):
        if token.type == 'code_inline':
            yield Code(token.content, '', line, False)


def _inline(text: str, first_line: int, marks: str) -> Iterator[tuple[Token, int]]:
    """What is in those paragraphs that hold one of the marks, with its line."""
    blocks, env = _blocks(text)
    for block in blocks:
        if block.type != 'inline' or block.map is None or not any(mark in block.content for mark in marks):
            continue
        line = first_line + block.map[0]
        children: list[Token] = []
        _parser().inline.parse(block.content, _parser(), env, children)
        for token in children:
            yield token, line
            line += token.type in ('softbreak', 'hardbreak')


@lru_cache(maxsize=2)
def _blocks(text: str) -> tuple[list[Token], dict[str, Any]]:
    """The blocks of a text, with paragraphs as they are written; and the links that it names."""
    env: dict[str, Any] = {}
    return _parser().parse(text, env), env


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt('commonmark').enable('table').disable(['inline', 'text_join'])
