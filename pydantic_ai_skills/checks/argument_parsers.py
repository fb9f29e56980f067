"""The argument parser of a Python script, made again from its source without running it, to try calls on."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

_PARSER_OPTIONS = frozenset(['prog', 'add_help', 'prefix_chars', 'allow_abbrev'])
_ARGUMENT_OPTIONS = frozenset(['action', 'nargs', 'const', 'dest', 'required', 'choices', 'metavar', 'version'])
_ACTIONS = frozenset(
    [
        'store',
        'store_const',
        'store_true',
        'store_false',
        'append',
        'append_const',
        'count',
        'help',
        'version',
        'extend',
    ]
)


class UnknowableError(Exception):
    """The parser depends on something that is known only when the script runs."""


class RefusedError(Exception):
    """The parser refuses a call; the message is what it would have said."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RefusedError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise _Ended

    def print_help(self, file: Any = None) -> None:
        """Print nothing."""


class _Ended(Exception):
    """The call asked for the help or the version, and that is fine."""


def parser_of(source: bytes) -> argparse.ArgumentParser | None:
    """The parser that a script makes of constants; `None` where it makes none, or one that cannot be known."""
    try:
        tree = ast.parse(source)
        calls = list(_calls(tree))
        if any(_method(call) == 'parse_known_args' for _, call in calls):
            return None
        return _Maker().make(calls)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, UnknowableError, argparse.ArgumentError):
        return None


def refusal(parser: argparse.ArgumentParser, args: Sequence[str]) -> str | None:
    """Why the parser refuses these arguments, or `None` where it takes them."""
    try:
        parser.parse_args(list(args))
    except RefusedError as error:
        return str(error)
    except _Ended:
        return None
    return None


def _calls(node: ast.AST) -> Iterator[tuple[str | None, ast.Call]]:
    """Every call in the order of the source, with the variable that its result is assigned to."""
    if isinstance(node, (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.If, ast.Lambda)):
        # What is done several times, or perhaps, is known only when the script runs.
        if any(isinstance(inner, ast.Call) and _method(inner) in _MAKING for inner in ast.walk(node)) and not _is_main(
            node
        ):
            raise UnknowableError
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        target = node.targets[0]
        yield (target.id if isinstance(target, ast.Name) else None), node.value
        node = node.value
    elif isinstance(node, ast.Call):
        yield None, node
    for child in ast.iter_child_nodes(node):
        yield from _calls(child)


_MAKING = frozenset(
    ['ArgumentParser', 'add_argument', 'add_subparsers', 'add_parser', 'add_argument_group', 'set_defaults']
    + ['add_mutually_exclusive_group']
)


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and '__name__' in ast.dump(node.test)


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, 'id', '')


class _Maker:
    """Follows the calls of a script that make its parser."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._first: argparse.ArgumentParser | None = None

    def make(self, calls: list[tuple[str | None, ast.Call]]) -> argparse.ArgumentParser | None:
        """The first parser that is made, complete."""
        for name, call in calls:
            method = _method(call)
            if method not in _MAKING or method == 'set_defaults':
                continue
            made = self._made(method, call)
            if name is not None:
                self._known[name] = made
        return self._first

    def _made(self, method: str, call: ast.Call) -> Any:
        if method == 'ArgumentParser':
            options = self._options(call, _PARSER_OPTIONS)
            parents = [self._parent(item) for word in call.keywords if word.arg == 'parents' for item in _items(word)]
            parser = _Parser(parents=parents, **options)
            # A parser that is only a parent of others is none to call.
            if self._first is None or self._first in parents or not self._first.add_help:
                self._first = parser
            return parser
        owner = self._owner(call)
        if method == 'add_argument':
            return self._add_argument(owner, call)
        if method == 'add_subparsers':
            return owner.add_subparsers(parser_class=_Parser, **self._options(call, frozenset(['dest', 'required'])))
        if method == 'add_parser':
            options = self._options(call, _PARSER_OPTIONS | {'aliases'})
            parents = [self._parent(item) for word in call.keywords if word.arg == 'parents' for item in _items(word)]
            return owner.add_parser(*_literals(call.args), parents=parents, **options)
        if method == 'add_argument_group':
            return owner.add_argument_group()
        return owner.add_mutually_exclusive_group(**self._options(call, frozenset(['required'])))

    def _owner(self, call: ast.Call) -> Any:
        assert isinstance(call.func, ast.Attribute)
        target = call.func.value
        if isinstance(target, ast.Name) and target.id in self._known:
            return self._known[target.id]
        raise UnknowableError

    def _parent(self, node: ast.expr) -> argparse.ArgumentParser:
        if isinstance(node, ast.Name) and isinstance(parent := self._known.get(node.id), argparse.ArgumentParser):
            return parent
        raise UnknowableError

    def _add_argument(self, owner: Any, call: ast.Call) -> Any:
        options = self._options(call, _ARGUMENT_OPTIONS)
        action = options.get('action', 'store')
        if action not in _ACTIONS and action is not argparse.BooleanOptionalAction:
            raise UnknowableError
        return owner.add_argument(*_literals(call.args), **options)

    def _options(self, call: ast.Call, wanted: frozenset[str]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        for word in call.keywords:
            if word.arg is None:
                raise UnknowableError
            if word.arg not in wanted:
                continue
            try:
                options[word.arg] = _value(word.value)
            except ValueError:
                if word.arg not in ('choices', 'metavar', 'const', 'prog', 'version'):
                    raise UnknowableError from None
        return options


def _items(word: ast.keyword) -> list[ast.expr]:
    if not isinstance(word.value, (ast.List, ast.Tuple)):
        raise UnknowableError
    return word.value.elts


def _literals(nodes: Sequence[ast.expr]) -> list[Any]:
    return [_value(node) for node in nodes]


def _value(node: ast.expr) -> Any:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', None)
    known = {
        'BooleanOptionalAction': argparse.BooleanOptionalAction,
        'REMAINDER': argparse.REMAINDER,
        'OPTIONAL': argparse.OPTIONAL,
        'ZERO_OR_MORE': argparse.ZERO_OR_MORE,
        'ONE_OR_MORE': argparse.ONE_OR_MORE,
        'SUPPRESS': argparse.SUPPRESS,
    }
    return known[name] if name in known else ast.literal_eval(node)
