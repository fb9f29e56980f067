"""What the readers have in common: literals in a syntax tree, and how one parameter is written in a usage line."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MAX_USAGE_CHARACTERS = 200
"""A longer line names the required parameters only; a list of files is no manual (our decision)."""


class UnsureError(Exception):
    """The source does something that a reader does not follow; a wrong line would be worse than none."""


@dataclass(frozen=True)
class Parameter:
    """One parameter as it is written in a usage line, such as `FILE`, `[SECONDS]` or `[--sheet NAME]`."""

    text: str
    """Without the brackets that say it is optional."""

    required: bool
    positional: bool

    def __str__(self) -> str:
        return self.text if self.required else f'[{self.text}]'


def usage_line(parameters: Iterable[Parameter]) -> str:
    """Parameters in one line: positional ones in their order, then required flags, then the others."""
    known = list(parameters)
    ordered = [item for item in known if item.positional]
    ordered += [item for item in known if not item.positional and item.required]
    rest = [item for item in known if not item.positional and not item.required]
    whole = ' '.join(str(item) for item in [*ordered, *rest])
    if len(whole) <= MAX_USAGE_CHARACTERS or not rest:
        return whole
    short = ' '.join([*map(str, ordered), '[options]'])
    return short if len(short) <= MAX_USAGE_CHARACTERS else ''


def literal(node: ast.expr | None) -> Any:
    """The value of a literal.

    Raises:
        UnsureError: it is something else.
    """
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnsureError from error


def text_literal(node: ast.expr) -> str:
    """The value of a string literal; `UnsureError` if it is something else."""
    value = literal(node)
    if not isinstance(value, str) or not value.isprintable():
        raise UnsureError
    return value


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """The keyword arguments of a call; `UnsureError` if some are unpacked from elsewhere."""
    if any(item.arg is None for item in call.keywords) or any(isinstance(item, ast.Starred) for item in call.args):
        raise UnsureError
    return {item.arg: item.value for item in call.keywords if item.arg is not None}


def dotted(node: ast.expr) -> str:
    """`a.b.c` for such an expression, else an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f'{base}.{node.attr}'
    return ''


def imported_names(tree: ast.Module, module: str) -> dict[str, str]:
    """The names by which a file knows things of `module`: `{'ArgumentParser': 'ArgumentParser', 'ap': ''}`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {item.asname or item.name: '' for item in node.names if item.name == module}
        elif isinstance(node, ast.ImportFrom) and node.module == module and not node.level:
            names |= {item.asname or item.name: item.name for item in node.names}
    return names


def name_in(node: ast.expr, names: dict[str, str]) -> str:
    """What of the module an expression names: `ArgumentParser` for `argparse.ArgumentParser`; empty if nothing."""
    first, _, rest = dotted(node).partition('.')
    if first not in names or '.' in rest:
        return ''
    own = names[first]
    return own if not rest else rest if not own else ''
