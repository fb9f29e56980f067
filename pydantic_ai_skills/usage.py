"""What a script wants, in one line, read from its source: its parameters, else what it says of itself first.

Nothing is run. A line that might be wrong is not given: the model would believe it.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from .files import read_inside
from .interfaces.argparse_reader import argparse_usage
from .interfaces.click_reader import click_usage, typer_usage
from .interfaces.parameters import UnsureError

MAX_SOURCE_BYTES = 200_000
"""Longer scripts are not read; measured: no published Python script is."""

MAX_SUMMARY_CHARACTERS = 120
"""Where a first line is cut, at a word."""

_CACHED_SCRIPTS = 4_096
_cache: OrderedDict[str, tuple[tuple[int, int, int, int], ScriptUsage | None]] = OrderedDict()
_lock = Lock()

_COMMENT = re.compile(r'^\s*(?:#+(?!!)|//+|/\*+|\*(?!/))\s?(?P<text>.*?)\s*(?:\*+/)?\s*$')
_NOT_A_SUMMARY = re.compile(
    r'coding[:=]|^\s*///|copyright|licen[cs]e|spdx|all rights|eslint|prettier|^@?ts-|^@|shellcheck|pylint|ruff|noqa|'
    r'mypy:|pyright:|vim:|^-\*-|use strict|^<|^import\b|^todo\b',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ScriptUsage:
    """What a script wants: its parameters, or what it is for; one of the two."""

    arguments: str | None = None
    """Such as `FILE [SECONDS] [--sheet NAME]`; empty for a script that takes none."""

    summary: str | None = None
    """The first line of its docstring or of its first comment."""


def script_usage(path: str | Path, root: Path | None = None) -> ScriptUsage | None:
    """What the script at `path` wants, or `None` where its source does not say, or not surely.

    Kept per process for as long as the file's size, times and inode do not change.

    Args:
        path: The script's file.
        root: The folder that it must lie in; its own where it is `None`.
    """
    path = Path(path)
    try:
        info = os.stat(path)
        signature = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        with _lock:
            if (known := _cache.get(str(path))) is not None and known[0] == signature:
                _cache.move_to_end(str(path))
                return known[1]
        source = read_inside(root or path.parent, path, MAX_SOURCE_BYTES + 1)
    except OSError:
        return None
    usage = None if len(source) > MAX_SOURCE_BYTES else usage_in(source, path.suffix.lower())
    with _lock:
        _cache[str(path)] = (signature, usage)
        if len(_cache) > _CACHED_SCRIPTS:
            _cache.popitem(last=False)
    return usage


def usage_in(source: bytes, suffix: str) -> ScriptUsage | None:
    """The same out of a source text, for a file with this extension."""
    try:
        text = source.decode('utf-8-sig')
    except UnicodeDecodeError:
        return None
    is_python = suffix == '.py' or (not suffix and 'python' in text.partition('\n')[0])
    summary = None
    if is_python:
        tree = _parsed(text)
        if tree is None:
            return None
        arguments = _arguments(tree)
        if arguments is not None:
            return ScriptUsage(arguments=arguments)
        summary = _first_line(ast.get_docstring(tree) or '')
    summary = summary or _first_comment(text)
    return None if summary is None else ScriptUsage(summary=summary)


def _parsed(text: str) -> ast.Module | None:
    with _lock, warnings.catch_warnings():  # invalid escapes in other people's strings are no news
        warnings.simplefilter('ignore')
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _arguments(tree: ast.Module) -> str | None:
    """The parameters by whichever library the script uses; `None` if it uses none, or more than one, or unclearly."""
    found: list[str] = []
    for read in (argparse_usage, click_usage, typer_usage):
        try:
            usage = read(tree)
        except (UnsureError, RecursionError):
            return None
        if usage is not None:
            found.append(usage)
    return found[0] if len(found) == 1 else None


def _first_comment(text: str) -> str | None:
    lines = text.splitlines()
    block = False
    for line in lines[1:] if lines and lines[0].startswith('#!') else lines:
        if line.strip().startswith('# /// '):
            block = True
        if block or not line.strip():
            block = block and line.strip() != '# ///'
            continue
        comment = _COMMENT.match(line)
        if comment is None:
            return None
        if (summary := _first_line(comment['text'])) is not None:
            return summary
    return None


def _first_line(text: str) -> str | None:
    line = ' '.join(text.strip().partition('\n')[0].split())
    if sum(character.isalpha() for character in line) < 3 or _NOT_A_SUMMARY.search(line) or not line.isprintable():
        return None
    if len(line) <= MAX_SUMMARY_CHARACTERS:
        return line
    return line[:MAX_SUMMARY_CHARACTERS].rpartition(' ')[0] + ' …'
