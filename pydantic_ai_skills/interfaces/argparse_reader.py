"""The interface of a script that uses `argparse`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, cast

from .parameters import Parameter, UnsureError, imported_names, keywords, literal, name_in, text_literal, usage_line

_FLAGS = frozenset(['store_true', 'store_false', 'store_const', 'append_const', 'count', 'BooleanOptionalAction'])
_VALUES = frozenset(['store', 'append', 'extend'])
_SILENT = frozenset(['help', 'version'])
_UNDERSTOOD = frozenset(
    ['nargs', 'required', 'metavar', 'action', 'choices', 'dest', 'type', 'default', 'help', 'const', 'version']
)
_FILLS = frozenset(
    ['add_argument', 'add_argument_group', 'add_mutually_exclusive_group', 'add_subparsers', 'add_parser']
)
_HARMLESS = frozenset(
    ['parse_args', 'parse_known_args', 'parse_intermixed_args', 'print_help', 'print_usage', 'format_help', 'error',
     'exit', 'set_defaults', 'format_usage', 'description', 'epilog', 'prog', 'formatter_class']
)  # fmt: skip
_OF_THE_PARSER = frozenset(
    ['prog', 'description', 'epilog', 'formatter_class', 'allow_abbrev', 'add_help', 'exit_on_error']
)


def argparse_usage(tree: ast.Module) -> str | None:
    """The parameters of a script, or `None` if it does not use `argparse`.

    Raises:
        UnsureError: it does, in a way that is not followed: a parser that is handed around or filled in a loop or
            condition, more than one parser, arguments that are computed.
    """
    names = imported_names(tree, 'argparse')
    made = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_in(node.func, names) == 'ArgumentParser'
    ]
    if not made:
        return None
    if len(made) != 1 or made[0].args or not keywords(made[0]).keys() <= _OF_THE_PARSER:
        raise UnsureError
    _check_argv(tree)
    body = _body_of(tree, made[0])
    reader = _Reader(names, body, made[0])
    line = reader.usage()
    reader.check_fillings(tree)
    return line


def _check_argv(tree: ast.Module) -> None:
    """A script that also looks at `sys.argv` itself takes more than its parser says."""
    allowed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            parses = isinstance(function, ast.Attribute) and function.attr in ('parse_args', 'parse_known_args')
            if parses or (isinstance(function, ast.Name) and function.id == 'len'):
                allowed |= {id(inner) for argument in node.args for inner in ast.walk(argument)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == 'argv' and id(node) not in allowed:
            raise UnsureError


def _body_of(tree: ast.Module, call: ast.Call) -> list[ast.stmt]:
    """The statements among which the parser is made: of the module, of a function, or of `if __name__ == ...`."""
    for node in ast.walk(tree):
        body: Any = getattr(node, 'body', None)
        if not isinstance(body, list):
            continue
        for statement in cast('list[ast.stmt]', body):
            if isinstance(statement, ast.Assign) and statement.value is call:
                if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)) or _is_main(node):
                    return cast('list[ast.stmt]', body)
                raise UnsureError
    raise UnsureError


def _is_main(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == '__name__'
    )


class _Reader:
    """Follows one parser through the statements that fill it."""

    def __init__(self, names: dict[str, str], body: list[ast.stmt], made: ast.Call) -> None:
        self._names = names
        self._body = body
        self._made = made
        self._parser = ''
        self._groups: dict[str, tuple[bool, list[Parameter]] | None] = {}
        self._commands: dict[str, list[str]] = {}
        self._parameters: list[Parameter] = []
        self._of_commands: set[str] = set()
        self._understood: set[int] = set()
        self._calls: set[int] = set()

    def usage(self) -> str:
        for statement in self._body:
            self._read(statement)
        for required, members in [group for group in self._groups.values() if group is not None]:
            if members:
                choice = ' | '.join(item.text for item in members)
                self._parameters.append(Parameter(f'({choice})' if required else choice, required, False))
        self._check_other_uses()
        line = usage_line(self._parameters)
        for commands in self._commands.values():
            if not commands:
                raise UnsureError
            line = f'{line} {{{"|".join(commands)}}} ...'.strip()
        return line

    def _read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if statement.value is self._made:
                if not isinstance(target, ast.Name):
                    raise UnsureError
                self._parser = target.id
                self._understood.add(id(target))
            elif isinstance(statement.value, ast.Call) and self._call(statement.value, target):
                return
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._call(statement.value, None)

    def _call(self, call: ast.Call, target: ast.expr | None) -> bool:
        function = call.func
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return False
        owner, method = function.value.id, function.attr
        known = owner == self._parser or owner in self._groups
        if method == 'add_argument' and known:
            self._argument(call, owner)
        elif method == 'add_argument_group' and known:
            self._group(target, None)
        elif method == 'add_mutually_exclusive_group' and owner == self._parser:
            self._group(target, (bool(literal(keywords(call).get('required'))), []))
        elif method == 'add_subparsers' and owner == self._parser and isinstance(target, ast.Name):
            self._commands[target.id] = []
        elif method == 'add_parser' and owner in self._commands and call.args:
            self._commands[owner].append(text_literal(call.args[0]))
            if isinstance(target, ast.Name):
                self._of_commands.add(target.id)
        elif method == 'add_argument' and owner in self._of_commands:
            pass  # a command's own parameters are not in this line
        else:
            return False
        self._calls.add(id(call))
        self._understood |= {id(function.value), *([id(target)] if target is not None else [])}
        return True

    def _group(self, target: ast.expr | None, group: tuple[bool, list[Parameter]] | None) -> None:
        if not isinstance(target, ast.Name) or target.id in self._groups:
            raise UnsureError
        self._groups[target.id] = group

    def _argument(self, call: ast.Call, owner: str) -> None:
        parameter = argument(call, self._names)
        if parameter is None:
            return
        group = self._groups.get(owner)
        (self._parameters if group is None else group[1]).append(parameter)

    def check_fillings(self, tree: ast.Module) -> None:
        """Whatever fills a parser anywhere in the file must be among what was followed."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
                if id(node) not in self._calls:
                    raise UnsureError

    def _check_other_uses(self) -> None:
        """A parser, group or set of commands that is used in another way may be filled where we do not look."""
        watched = {self._parser, *self._groups, *self._commands}
        parses = False
        for node, parent in _with_parents(self._body):
            if not isinstance(node, ast.Name) or node.id not in watched or id(node) in self._understood:
                continue
            if isinstance(parent, ast.Return) and node.id == self._parser:
                parses = True
            elif isinstance(parent, ast.Attribute) and parent.attr in _HARMLESS and node.id == self._parser:
                parses = parses or parent.attr.startswith('parse_')
            else:
                raise UnsureError
        if not parses:
            raise UnsureError


def _with_parents(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, ast.AST]]:
    pending: list[tuple[ast.AST, ast.AST]] = [(statement, statement) for statement in body]
    while pending:
        node, parent = pending.pop()
        yield node, parent
        pending += [(inner, node) for inner in ast.iter_child_nodes(node)]


def argument(call: ast.Call, names: dict[str, str]) -> Parameter | None:
    """One `add_argument`; `None` for `--help` and its like.

    Raises:
        UnsureError: something of it is not a literal.
    """
    options = keywords(call)
    if not options.keys() <= _UNDERSTOOD:
        raise UnsureError
    flags = [text_literal(item) for item in call.args]
    action = _action(options.get('action'), names)
    if action in _SILENT:
        return None
    if action not in _FLAGS and action not in _VALUES:
        raise UnsureError
    name = _metavar(flags, options)
    values = '' if action in _FLAGS else _repeated(name, _nargs(options.get('nargs'), names))
    if not flags or not flags[0].startswith('-'):
        if len(flags) > 1 or action in _FLAGS:
            raise UnsureError
        count = _nargs(options.get('nargs'), names)
        if count in ('?', '*'):
            return Parameter(name if count == '?' else f'{name} ...', False, True)
        return Parameter(values, True, True)
    flag = next((item for item in flags if item.startswith('--')), flags[0])
    if action == 'BooleanOptionalAction':
        flag = f'{flag}/--no-{flag[2:]}'
    required = literal(options.get('required')) is True
    return Parameter(f'{flag} {values}'.strip(), required, False)


def _action(node: ast.expr | None, names: dict[str, str]) -> str:
    if node is None:
        return 'store'
    return name_in(node, names) or str(literal(node))


def _nargs(node: ast.expr | None, names: dict[str, str]) -> Any:
    if node is None:
        return None
    return '...' if name_in(node, names) == 'REMAINDER' else literal(node)


def _repeated(name: str, count: Any) -> str:
    if count is None:
        return name
    if isinstance(count, int) and 0 < count <= 4:
        return ' '.join([name] * count)
    shapes = {'?': f'[{name}]', '*': f'[{name} ...]', '+': f'{name} [{name} ...]', '...': '...'}
    if count not in shapes:
        raise UnsureError
    return shapes[count]


def _metavar(flags: list[str], options: dict[str, ast.expr]) -> str:
    if 'metavar' in options:
        metavar = literal(options['metavar'])
        if isinstance(metavar, tuple):
            raise UnsureError
        return str(metavar)
    if 'choices' in options:
        try:
            choices = [str(choice) for choice in literal(options['choices'])]
        except (UnsureError, TypeError):
            choices = []
        if 0 < len(choices) <= 6:
            return f'{{{"|".join(choices)}}}'
    if 'dest' in options:
        return text_literal(options['dest']).upper()
    long = [flag for flag in flags if flag.startswith('--')]
    if not flags:
        raise UnsureError
    return (long or flags)[0].lstrip('-').replace('-', '_').upper()
