"""The command that runs a script: its shebang if usable, else what its extension asks for, else the file itself."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import CannotRunError
from .programs import Programs, install_hint
from .source import ScriptSource

_BY_EXTENSION: dict[str, tuple[str, ...]] = {
    '.sh': ('sh',),
    '.bash': ('bash',),
    '.zsh': ('zsh',),
    '.fish': ('fish',),
    '.ps1': ('pwsh', '-NoProfile', '-NonInteractive', '-File'),
    '.js': ('node',),
    '.mjs': ('node',),
    '.cjs': ('node',),
    '.rb': ('ruby',),
    '.pl': ('perl',),
}
_SHEBANG_BYTES = 4096  # a kernel reads 256 of them
_PYTHON_NAME = re.compile(r'python[\d.]*')
_SYSTEM_FOLDERS = frozenset(['/bin', '/usr/bin', '/usr/local/bin'])
_STRIPS_TYPES = ((22, 18), (23, 6))  # Node.js runs TypeScript as it is from these on, behind a flag from 22.6 on
_STRIPS_TYPES_WITH_FLAG = (22, 6)


@dataclass(frozen=True)
class Interpreters:
    """What runs which kind of script in one executor."""

    python: str | None = None
    """The Python that was asked for; it runs every Python script, whatever their first lines say."""

    default_pythons: tuple[str, ...] = ('python3', 'python')
    """The Pythons for scripts that want any: the first of these that is there."""

    by_extension: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The caller's commands by extension; they win over shebangs, as `python` does."""


def checked_interpreters(interpreters: Mapping[str, Sequence[str]] | None) -> dict[str, tuple[str, ...]]:
    """The `interpreters` option, in the form that `Interpreters` keeps.

    Raises:
        TypeError: a command is no sequence of words.
        ValueError: a key is no extension with its dot, or a command is empty.
    """
    checked: dict[str, tuple[str, ...]] = {}
    for extension, command in (interpreters or {}).items():
        if isinstance(command, str) or not all(isinstance(word, str) for word in command):
            raise TypeError(
                f'interpreters[{extension!r}] must be a list of words such as ["bun", "run"], not {command!r}.'
            )
        if not extension.startswith('.') or not command:
            raise ValueError(
                f'interpreters maps an extension such as ".ts" to a command, not {extension!r}: {command!r}.'
            )
        checked[extension.lower()] = tuple(command)
    return checked


async def script_command(
    name: str,
    path: str,
    source: ScriptSource,
    interpreters: Interpreters,
    programs: Programs,
    prepared: str | None = None,
) -> list[str]:
    """The words that start the script, its path last; its arguments come after.

    Args:
        name: What the model calls it, for messages.
        path: Where the file is, as the place it runs in sees it. Its extension counts: the name may be anything.
        source: The file's beginning and mode.
        interpreters: The executor's choices.
        programs: What can be found in the place it runs in.
        prepared: The Python of an environment that was prepared for it.

    Raises:
        CannotRunError: the program that it needs is not there; the message names it and what would install it.
    """
    extension = os.path.splitext(path)[1].lower()
    shebang = parse_shebang(source.head)
    if prepared is not None:
        return [prepared, *(shebang[1:] if shebang and _is_python_name(shebang[0]) else []), path]
    if given := interpreters.by_extension.get(extension):
        return [await _needed(given[0], name, programs), *given[1:], path]
    if shebang and (command := await _from_shebang(shebang, extension, interpreters, programs)):
        return [*command, path]
    if extension == '.py':
        return [await _python(name, interpreters, programs), path]
    if extension == '.ts':
        return [*await _typescript(name, programs), path]
    if known := _BY_EXTENSION.get(extension):
        return [await _needed(known[0], name, programs), *known[1:], path]
    return await _itself(name, path, source, shebang, programs)


async def _itself(name: str, path: str, source: ScriptSource, shebang: list[str], programs: Programs) -> list[str]:
    if shebang:
        raise CannotRunError(_missing(name, shebang[0]))
    if name.lower().endswith(('.bat', '.cmd')):
        raise CannotRunError(f'{name} was not run: it is for the command interpreter of Windows, which is not here.')
    if not source.executable:
        raise CannotRunError(
            f'{name} was not run: it has neither a first line (#!) nor an extension that says what runs it.'
        )
    # Without a shebang, a POSIX shell runs a text file itself where the kernel refuses to.
    return [path] if source.is_binary else [await _needed('sh', name, programs), path]


def is_python(name: str, head: bytes, interpreters: Interpreters) -> bool:
    """Whether a script is run by a Python of ours, and not by a command that the caller chose."""
    extension = os.path.splitext(name)[1].lower()
    if extension in interpreters.by_extension:
        return False
    shebang = parse_shebang(head)
    if shebang:
        return _is_python_name(shebang[0]) or os.path.basename(shebang[0]) == 'uv'
    return extension == '.py'


def parse_shebang(head: bytes) -> list[str]:
    """The words of the first line after `#!`, `env` resolved; empty where there is none or it cannot be parsed.

    More forgiving than a kernel: a byte order mark before it, CRLF, and several words without `env -S`.
    """
    line = head.removeprefix(b'\xef\xbb\xbf').split(b'\n', 1)[0][:_SHEBANG_BYTES]
    if not line.startswith(b'#!') or b'\0' in line:
        return []
    try:
        words = shlex.split(line[2:].decode(errors='replace'))
    except ValueError:
        return []
    if not words or os.path.basename(words[0]) != 'env':
        return words
    rest = words[1:]
    if rest and rest[0] in ('-S', '--split-string'):
        rest = rest[1:]
    elif rest and rest[0].startswith('-S'):
        rest = [rest[0][2:], *rest[1:]]
    if rest and (rest[0].startswith('-') or '=' in rest[0]):
        return [words[0], *rest]  # options and variables are for env itself
    return rest


async def _from_shebang(
    shebang: list[str], extension: str, interpreters: Interpreters, programs: Programs
) -> list[str] | None:
    program, *options = shebang
    base = os.path.basename(program)
    if _is_python_name(program):
        if interpreters.python is None and not _any_python(program) and (found := await programs.find(program)):
            return [found, *options]
        found = await _find_python(interpreters, programs)
        return [found, *options] if found else None
    if base == 'node' and extension == '.ts':
        return None  # whether this Node.js can is not for the script to say
    found = await programs.find(program) or (await programs.find(base) if base != program else None)
    return [found, *options] if found else None


def _is_python_name(program: str) -> bool:
    return _PYTHON_NAME.fullmatch(os.path.basename(program)) is not None


async def _find_python(interpreters: Interpreters, programs: Programs) -> str | None:
    for python in (interpreters.python,) if interpreters.python else interpreters.default_pythons:
        if found := await programs.find(python):
            return found
    return None


async def _python(name: str, interpreters: Interpreters, programs: Programs) -> str:
    if found := await _find_python(interpreters, programs):
        return found
    raise CannotRunError(_missing(name, interpreters.python or interpreters.default_pythons[0]))


def _any_python(program: str) -> bool:
    """Whether a shebang's Python is just any: looked for on the path, or the system's own, without a version."""
    folder, base = os.path.split(program)
    return base in ('python', 'python3') and (not folder or folder in _SYSTEM_FOLDERS)


async def _typescript(name: str, programs: Programs) -> list[str]:
    if bun := await programs.find('bun'):
        return [bun, 'run']
    if deno := await programs.find('deno'):
        return [deno, 'run', '--allow-all']
    if node := await programs.find('node'):
        version = tuple(int(part) for part in re.findall(r'\d+', await programs.version(node))[:2])
        if any(version[:1] == (major,) and version >= (major, minor) for major, minor in _STRIPS_TYPES) or version >= (
            24,
        ):
            return [node]
        if version >= _STRIPS_TYPES_WITH_FLAG:
            return [node, '--experimental-strip-types', '--disable-warning=ExperimentalWarning']
    raise CannotRunError(
        f'{name} was not run: TypeScript needs bun, deno or Node.js from 22.6 on, and none is installed here '
        f'({install_hint("bun")}).'
    )


async def _needed(program: str, name: str, programs: Programs) -> str:
    if found := await programs.find(program):
        return found
    raise CannotRunError(_missing(name, program))


def _missing(name: str, program: str) -> str:
    hint = install_hint(os.path.basename(program))
    return f'{name} was not run: it needs {program}, which is not installed here{f" ({hint})" if hint else ""}.'
