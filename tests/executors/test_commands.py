from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pydantic_ai_skills.executors.commands import Interpreters, checked_interpreters, parse_shebang, script_command
from pydantic_ai_skills.executors.errors import CannotRunError
from pydantic_ai_skills.executors.source import ScriptSource


class Machine:
    """A place with just these programs; real ones are run in the tests of the executors."""

    def __init__(self, *programs: str, node: str = 'v20.1.0') -> None:
        self.programs = programs
        self.node = node

    async def find(self, program: str) -> str | None:
        return program if program in self.programs and program.startswith('/') else self._on_path(program)

    def _on_path(self, program: str) -> str | None:
        return f'/p/{program}' if program in self.programs else None

    async def version(self, program: str) -> str:
        return self.node


PLAIN = Interpreters(default_pythons=('python3',))
EVERYTHING = (
    'python3', 'python', 'sh', 'bash', 'zsh', 'fish', 'pwsh', 'node', 'ruby', 'perl', '/bin/sh', '/bin/bash', '/opt/py/bin/python3.9',
    '/usr/bin/env', '/usr/bin/python3', 'uv',
)  # fmt: skip


def command(
    name: str,
    head: str | bytes = '',
    machine: Machine | None = None,
    *,
    interpreters: Interpreters = PLAIN,
    executable: bool = False,
) -> list[str]:
    source = ScriptSource(head.encode() if isinstance(head, str) else head, executable)
    return asyncio.run(script_command(name, f'/s/{name}', source, interpreters, machine or Machine(*EVERYTHING)))


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('x.py', ['/p/python3']),
        ('x.PY', ['/p/python3']),
        ('x.sh', ['/p/sh']),
        ('x.bash', ['/p/bash']),
        ('x.zsh', ['/p/zsh']),
        ('x.fish', ['/p/fish']),
        ('x.ps1', ['/p/pwsh', '-NoProfile', '-NonInteractive', '-File']),
        ('x.js', ['/p/node']),
        ('x.mjs', ['/p/node']),
        ('x.cjs', ['/p/node']),
        ('x.rb', ['/p/ruby']),
        ('x.pl', ['/p/perl']),
    ],
)
def test_by_extension(name: str, words: list[str]) -> None:
    assert command(name) == [*words, f'/s/{name}']


@pytest.mark.parametrize(
    ('line', 'words'),
    [
        ('#!/bin/sh', ['/bin/sh']),
        ('#! /bin/sh -eu ', ['/bin/sh', '-eu']),
        ('#!/usr/bin/env python3', ['python3']),
        ('#!/usr/bin/env -S python3 -u', ['python3', '-u']),
        ('#!/usr/bin/env -Spython3 -u', ['python3', '-u']),
        ('#!/usr/bin/env --split-string python3', ['python3']),
        ('#!/usr/bin/env python3 -u', ['python3', '-u']),
        ('#!/usr/bin/env -S A=1 sh', ['/usr/bin/env', 'A=1', 'sh']),
        ('#!/usr/bin/env -i sh', ['/usr/bin/env', '-i', 'sh']),
        ('#!/usr/bin/env', []),
        ('#!', []),
        ('#!/bin/sh "unterminated', []),
        ('# no', []),
        ('', []),
    ],
)
def test_shebangs(line: str, words: list[str]) -> None:
    for text in (line, line + '\n', line + '\r\nmore', '\ufeff' + line):
        assert parse_shebang(text.encode()) == words


def test_a_shebang_goes_before_the_extension() -> None:
    assert command('x.sh', '#!/bin/bash\n') == ['/bin/bash', '/s/x.sh']
    assert command('x.py', '#!/bin/sh\n') == ['/bin/sh', '/s/x.py']
    assert command('tool', '#!/usr/bin/env -S ruby -w\n') == ['/p/ruby', '-w', '/s/tool']


def test_a_shebang_that_leads_nowhere_falls_back() -> None:
    assert command('x.sh', '#!/opt/homebrew/bin/bash\n') == ['/p/bash', '/s/x.sh'], 'by its name on the path'
    assert command('x.sh', '#!/usr/bin/env gone\n') == ['/p/sh', '/s/x.sh']
    assert command('x.py', '#!/usr/bin/env python3 "unterminated\n') == ['/p/python3', '/s/x.py']
    with pytest.raises(CannotRunError, match=r'^tool was not run: it needs gone, which is not installed here\.$'):
        command('tool', '#!/usr/bin/env gone\n', executable=True)


def test_python_in_a_shebang_means_a_python() -> None:
    own = Interpreters(default_pythons=('/opt/py/bin/python3.9',))
    for line in ('#!/usr/bin/env python3', '#!/usr/bin/env python', '#!/usr/bin/python3', '#!/usr/local/bin/python'):
        assert command('x.py', line + ' -u\n', interpreters=own) == ['/opt/py/bin/python3.9', '-u', '/s/x.py']
    assert command('x.py', '#!/opt/py/bin/python3.9\n') == ['/opt/py/bin/python3.9', '/s/x.py'], 'a special one'
    assert command('x.py', '#!/opt/gone/python3.9\n') == ['/p/python3', '/s/x.py']
    given = Interpreters(python='/opt/py/bin/python3.9', default_pythons=('python3',))
    for line in ('#!/usr/bin/env python3.12', '#!/opt/py/bin/python3', '#!/usr/bin/python3', ''):
        assert command('x.py', line, interpreters=given) == ['/opt/py/bin/python3.9', '/s/x.py']


def test_typescript_takes_what_there_is() -> None:
    assert command('x.ts', machine=Machine('bun', 'deno', 'node')) == ['/p/bun', 'run', '/s/x.ts']
    assert command('x.ts', machine=Machine('deno', 'node')) == ['/p/deno', 'run', '--allow-all', '/s/x.ts']
    flag = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
    for version, options in [
        ('v22.6.0', flag),
        ('v22.17.1', flag),
        ('v23.5.0', flag),
        ('v22.18.0', []),
        ('v23.6.0', []),
        ('v25.0.0', []),
    ]:
        machine = Machine('node', node=version)
        assert command('x.ts', machine=machine) == ['/p/node', *options, '/s/x.ts'], version
        assert command('x.ts', '#!/usr/bin/env node\n', machine=machine) == ['/p/node', *options, '/s/x.ts'], version
    for machine in (Machine('node'), Machine(), Machine('node', node='')):
        with pytest.raises(CannotRunError, match=r'needs bun, deno or Node\.js from 22\.6 on'):
            command('x.ts', machine=machine)


def test_commands_of_ones_own_win() -> None:
    own = Interpreters(by_extension=checked_interpreters({'.TS': ['bun', 'run'], '.py': ('uv', 'run')}))
    assert command('x.ts', machine=Machine('bun'), interpreters=own) == ['/p/bun', 'run', '/s/x.ts']
    assert command('x.py', '#!/usr/bin/env python3', interpreters=own) == ['/p/uv', 'run', '/s/x.py']


def test_the_file_itself() -> None:
    assert command('tool', b'\x7fELF\x02\0\0', executable=True) == ['/s/tool']
    assert command('tool', 'echo hi', executable=True) == ['/p/sh', '/s/tool'], 'as a POSIX shell does'
    for name in ('tool', 'x.lua'):
        with pytest.raises(CannotRunError, match='neither a first line'):
            command(name, 'hi')


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('x.fish', 'needs fish, which is not installed here (apt install fish'),
        ('x.ps1', 'needs pwsh, which is not installed here (see https://aka.ms/install-powershell)'),
        ('x.py', 'needs python3, which is not installed here (apt install python3)'),
        ('x.bat', 'the command interpreter of Windows'),
    ],
)
def test_what_is_missing_is_named(name: str, message: str) -> None:
    with pytest.raises(CannotRunError) as caught:
        command(name, machine=Machine())
    assert message in str(caught.value)


def test_real_scripts_without_a_bit_with_crlf_and_a_bom(package: Any) -> None:
    assert package.run('crlf.py', b'#!/usr/bin/env python3\r\nprint("ok")\r\n') == 'ok'
    assert package.run('crlf.sh', b'#!/bin/sh\r\necho ok\r\n') == 'ok'
    assert (
        package.run('split.py', '#!/usr/bin/env -S python3 -u\nimport sys\nprint(sys.stdout.write_through)') == 'True'
    )
    assert package.run('bom.py', b'\xef\xbb\xbfprint("ok")\n') == 'ok'
    assert package.run('tool', '#!/bin/sh\necho "$0"\n') == str(package.directory / 'tool')
    assert package.run('raw', 'echo raw "$1"', ['x'], mode=0o755) == 'raw x'
    assert (
        package.run('bad', b'\x7fELF\0\0\0', mode=0o755)
        == 'bad was not run: it is a program for another kind of machine.'
    )
