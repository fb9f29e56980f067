"""Scripts as files: what runs them is plain, and they can be parsed."""

from __future__ import annotations

import ast
import codecs
import os
import warnings
from collections.abc import Iterator

from ..executors.commands import parse_shebang
from ..index import SCRIPT_EXTENSIONS, IndexedFile
from .checked import CheckedPackage
from .problem import Problem, problem


def check_script_files(package: CheckedPackage) -> Iterator[Problem]:
    """Check each file that can be run, in whatever folder it is."""
    for file in package.files:
        if file.runnable:
            yield from _check(package, file)


def _check(package: CheckedPackage, file: IndexedFile) -> Iterator[Problem]:
    name, source = file.file.name, package.read(file)
    path = package.place(name)
    extension = os.path.splitext(name)[1].lower()
    if extension not in SCRIPT_EXTENSIONS and not parse_shebang(source) and b'\0' not in source[:1024]:
        yield problem('script-untyped', path, f'{path}: nothing says what runs this script.')
    if broken_first_line(source):
        yield problem('script-first-line', path, f'{path}: its first line (#!) cannot be used as it is.', line=1)
    if extension == '.py' and (error := _syntax_error(source)) is not None:
        message = f'{path}: this Python script cannot be parsed: {error.msg}.'
        yield problem('script-syntax', path, message, line=error.lineno)


def broken_first_line(source: bytes) -> bool:
    """Whether a kernel could not use the first line of a script, although an executor of ours can."""
    marked = source.startswith(codecs.BOM_UTF8)
    line = source.removeprefix(codecs.BOM_UTF8).partition(b'\n')[0]
    return line.startswith(b'#!') and (marked or line.endswith(b'\r'))


def _syntax_error(source: bytes) -> SyntaxError | None:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # about the script's style
        try:
            ast.parse(source)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError) as error:  # a NUL, or nesting without end
            return SyntaxError(str(error) or type(error).__name__)
    return None
