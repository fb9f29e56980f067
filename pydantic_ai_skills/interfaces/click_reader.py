"""The interface of a script that uses `click`, or `typer`, which is built on it."""

from __future__ import annotations

import ast
import re
from typing import Any, TypeAlias

from .parameters import Parameter, UnsureError, imported_names, keywords, literal, name_in, text_literal, usage_line

_Function: TypeAlias = 'ast.FunctionDef | ast.AsyncFunctionDef'

_NO_PARAMETER = frozenset(['pass_context', 'pass_obj', 'version_option', 'help_option'])
_CUT_SUFFIX = re.compile(r'_(command|cmd|group|grp)$')  # which click cuts off or keeps, by version
_TYPER_TYPES = frozenset(['str', 'int', 'float', 'bool', 'Path', 'pathlib.Path', 'UUID', 'datetime'])


def click_usage(tree: ast.Module) -> str | None:
    """The parameters of the one command, or the names of the commands; `None` if the script does not use `click`.

    Raises:
        UnsureError: it does, in a way that is not followed.
    """
    names = imported_names(tree, 'click')
    if not names:
        return None
    groups: list[str] = []
    commands: list[tuple[str, _Function, str]] = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for decorator in node.decorator_list:
            kind = name_in(_called(decorator), names)
            owner, method = _method(decorator)
            if kind == 'group':
                groups.append(node.name)
            elif kind == 'command':
                commands.append(('', node, ''))
            elif owner in groups and method == 'command':
                commands.append((owner, node, _command_name(node, decorator)))
            elif owner in groups:
                raise UnsureError
    if len(groups) == 1 and commands and all(owner == groups[0] for owner, _, _ in commands):
        return f'{{{"|".join(name for _, _, name in commands)}}} ...'
    if groups or len(commands) != 1:
        raise UnsureError
    return usage_line(_click_parameters(commands[0][1], names))


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _method(decorator: ast.expr) -> tuple[str, str]:
    function = _called(decorator)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.value.id, function.attr
    return '', ''


def _command_name(function: _Function, decorator: ast.expr) -> str:
    if isinstance(decorator, ast.Call):
        options = keywords(decorator)
        if not options.keys() <= {'name', 'help', 'short_help', 'epilog', 'hidden'}:
            raise UnsureError
        named = decorator.args[0] if decorator.args else options.get('name')
        if named is not None:
            return text_literal(named)
    if _CUT_SUFFIX.search(function.name):
        raise UnsureError
    return function.name.replace('_', '-')


def _click_parameters(function: _Function, names: dict[str, str]) -> list[Parameter]:
    parameters: list[Parameter] = []
    for decorator in function.decorator_list:
        kind = name_in(_called(decorator), names)
        if kind == 'command' or kind in _NO_PARAMETER:
            continue
        if not isinstance(decorator, ast.Call):
            raise UnsureError
        if kind == 'argument':
            parameters.append(_click_argument(decorator))
        elif kind == 'option':
            parameters.append(_click_option(decorator))
        else:
            raise UnsureError
    return parameters


def _click_argument(call: ast.Call) -> Parameter:
    options = keywords(call)
    if not options.keys() <= {'nargs', 'required', 'default', 'type', 'metavar', 'envvar'} or len(call.args) != 1:
        raise UnsureError
    name = text_literal(options['metavar']) if 'metavar' in options else text_literal(call.args[0]).upper()
    count = 1 if 'nargs' not in options else literal(options['nargs'])
    many = count == -1
    required = not many and 'default' not in options
    if 'required' in options:
        required = literal(options['required']) is True
    if not isinstance(count, int) or not (many or 0 < count <= 4):
        raise UnsureError
    text = f'{name} ...' if many else ' '.join([name] * count)
    return Parameter(text, required, True)


def _click_option(call: ast.Call) -> Parameter:
    options = keywords(call)
    known = {
        'is_flag', 'required', 'multiple', 'default', 'type', 'help', 'metavar', 'show_default', 'count', 'nargs',
        'envvar', 'flag_value', 'hidden',
    }  # fmt: skip
    if not options.keys() <= known or 'flag_value' in options:
        raise UnsureError
    declared = [text_literal(item) for item in call.args]
    flags = [item for item in declared if item.startswith('-')]
    if not flags:
        raise UnsureError
    flag = next((item for item in flags if item.startswith('--')), flags[0])
    required = literal(options.get('required')) is True
    if '/' in flag or literal(options.get('is_flag')) is True or literal(options.get('count')) is True:
        return Parameter(flag.replace(' ', ''), required, False)
    count = 1 if 'nargs' not in options else literal(options['nargs'])
    if not isinstance(count, int) or not 0 < count <= 4:
        raise UnsureError
    value = text_literal(options['metavar']) if 'metavar' in options else _dest(declared, flag)
    return Parameter(' '.join([flag, *[value] * count]), required, False)


def _dest(declared: list[str], flag: str) -> str:
    named = [item for item in declared if not item.startswith('-')]
    return (named[0] if named else flag.lstrip('-').replace('-', '_')).upper()


def typer_usage(tree: ast.Module) -> str | None:
    """As `click_usage`, for `typer`: `typer.run(function)` or the commands of one `typer.Typer()`."""
    names = imported_names(tree, 'typer')
    if not names:
        return None
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    apps = [
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and name_in(node.value.func, names) == 'Typer'
        and isinstance(node.targets[0], ast.Name)
    ]
    run = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_in(node.func, names) == 'run']
    if run and not apps and len(run) == 1 and len(run[0].args) == 1 and isinstance(run[0].args[0], ast.Name):
        if (function := functions.get(run[0].args[0].id)) is None:
            raise UnsureError
        return usage_line(_typer_parameters(function, names))
    if len(apps) != 1 or run:
        raise UnsureError
    commands: list[tuple[_Function, str]] = []
    for function in functions.values():
        for decorator in function.decorator_list:
            owner, method = _method(decorator)
            if owner == apps[0] and method == 'command':
                commands.append((function, _command_name(function, decorator)))
            elif owner == apps[0]:
                raise UnsureError  # a callback changes what a command line looks like
    if any(isinstance(node, ast.Attribute) and node.attr in ('add_typer', 'callback') for node in ast.walk(tree)):
        raise UnsureError
    if len(commands) > 1:
        return f'{{{"|".join(name for _, name in commands)}}} ...'
    if not commands:
        raise UnsureError
    return usage_line(_typer_parameters(commands[0][0], names))


def _typer_parameters(function: _Function, names: dict[str, str]) -> list[Parameter]:
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs or len(function.decorator_list) > 1:
        raise UnsureError
    defaults: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    defaults += arguments.defaults
    pairs = [
        *zip(arguments.args, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    found = [_typer_parameter(argument, default, names) for argument, default in pairs]
    return [item for item in found if item is not None]


def _typer_parameter(argument: ast.arg, default: ast.expr | None, names: dict[str, str]) -> Parameter | None:
    kind, declared, annotation, default = _declaration(argument.annotation, default, names)
    if name_in(annotation, names) == 'Context':
        return None
    is_list, base, optional = _type_of(annotation)
    if base not in _TYPER_TYPES:
        raise UnsureError
    required = default is None or (isinstance(default, ast.Constant) and default.value is ...)
    name = argument.arg.upper()
    if kind == 'Argument' or (not kind and required and not optional):
        return Parameter(f'{name} ...' if is_list else name, required, True)
    flag = next((item for item in declared if item.startswith('--')), f'--{argument.arg.replace("_", "-")}')
    if base == 'bool':
        both = flag if declared or '/' in flag else f'{flag}/--no-{flag[2:]}'
        return Parameter(both, required, False)
    return Parameter(f'{flag} {name}', required, False)


def _declaration(
    annotation: ast.expr | None, default: ast.expr | None, names: dict[str, str]
) -> tuple[str, list[str], ast.expr, ast.expr | None]:
    """Whether it is an `Argument` or `Option`, its flags, its type and its default."""
    if annotation is None:
        raise UnsureError
    if (
        isinstance(annotation, ast.Subscript)
        and isinstance(annotation.value, ast.Name)
        and annotation.value.id == 'Annotated'
    ):
        if not isinstance(annotation.slice, ast.Tuple) or len(annotation.slice.elts) != 2:
            raise UnsureError
        annotation, marker = annotation.slice.elts
        if not isinstance(marker, ast.Call):
            raise UnsureError
        kind, declared, _ = _marker(marker, names, 0)
        return kind, declared, annotation, default
    if isinstance(default, ast.Call):
        kind, declared, value = _marker(default, names, 1)
        return kind, declared, annotation, value
    return '', [], annotation, default


def _marker(call: ast.Call, names: dict[str, str], first: int) -> tuple[str, list[str], ast.expr | None]:
    kind = name_in(call.func, names)
    options = keywords(call)
    if kind not in ('Argument', 'Option') or not options.keys() <= {
        'help',
        'default',
        'show_default',
        'exists',
        'min',
        'max',
    }:
        raise UnsureError
    declared: list[Any] = [text_literal(item) for item in call.args[first:]]
    value = call.args[0] if first and call.args else options.get('default')
    return kind, declared, value


def _type_of(annotation: ast.expr) -> tuple[bool, str, bool]:
    """Whether it is a list, the name of the type, and whether it may be `None`."""
    text = ast.unparse(annotation)
    optional = False
    if match := re.fullmatch(r'(?:typing\.)?Optional\[(.+)\]|(.+?) \| None', text):
        text, optional = match[1] or match[2], True
    if match := re.fullmatch(r'(?:typing\.)?[Ll]ist\[(.+)\]', text):
        return True, match[1], optional
    return False, text, optional
