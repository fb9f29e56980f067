"""Scripts: what they are, that they exist, and that they can be called as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_skills.checks.argument_parsers import parser_of, refusal
from pydantic_ai_skills.checks.documents import Code
from pydantic_ai_skills.checks.shell_calls import PLACEHOLDER, shell_calls

from .helpers import body, check, codes

PARSER = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument('file')
parser.add_argument('--top', '-t', type=int, default=3)
parser.add_argument('--format', choices=['text', 'json'])
parser.add_argument('--all', action='store_true')
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ('name', 'source', 'mode', 'code'),
    [
        ('tool', 'echo', 0o755, 'script-untyped'),
        ('tool.lua', 'print(1)', 0o755, 'script-untyped'),
        ('scripts/a.py', 'def', 0o644, 'script-syntax'),
        ('scripts/a.py', b'\0', 0o644, 'script-syntax'),
        ('tools/deep/a.py', '(' * 5_000, 0o644, 'script-syntax'),
        ('scripts/a.sh', '#!/bin/sh\r\necho\r\n', 0o755, 'script-first-line'),
        ('scripts/a', b'\xef\xbb\xbf#!/bin/sh\necho', 0o755, 'script-first-line'),
    ],
)
def test_scripts_that_will_fail(tmp_path: Path, name: str, source: str | bytes, mode: int, code: str) -> None:
    assert codes(check(tmp_path, {name: source}, {name: mode})) == [code]


@pytest.mark.parametrize(
    ('name', 'source', 'mode'),
    [
        ('scripts/a.py', 'print(1)', 0o644),
        ('scripts/a.ts', 'x', 0o644),
        ('scripts/a', '#!/usr/bin/env lua\n', 0o755),
        ('scripts/program', b'\x7fELF\0\0', 0o755),
        ('notes.md', 'x', 0o755),
        ('lib/__init__.py', '', 0o644),
    ],
)
def test_scripts_that_will_not(tmp_path: Path, name: str, source: str | bytes, mode: int) -> None:
    assert codes(check(tmp_path, {name: source}, {name: mode})) == []


def calls(line: str, language: str = 'sh', block: bool = True) -> list[tuple[str, tuple[str, ...]]]:
    return [(call.script, call.args) for call in shell_calls(Code(line, language, 1, block))]


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        ('python scripts/a.py in.pdf --top 2', ('scripts/a.py', ('in.pdf', '--top', '2'))),
        ('$ python3.12 -u scripts/a.py x', ('scripts/a.py', ('x',))),
        ('uv run --script scripts/a.py "a b"', ('scripts/a.py', ('a b',))),
        ('uv run python scripts/a.py', ('scripts/a.py', ())),
        ('bash ${SKILL_DIR}/scripts/a.sh', ('scripts/a.sh', ())),
        ('python {baseDir}/scripts/a.py', ('scripts/a.py', ())),
        ('python <skill-dir>/scripts/a.py', ('scripts/a.py', ())),
        ('./scripts/a.sh x', ('scripts/a.sh', ('x',))),
        ('KEY=1 node tools/a.mjs', ('tools/a.mjs', ())),
        ('python -m scripts.sub.a x', ('scripts/sub/a.py', ('x',))),
        ('cd scripts && python a.py x', ('scripts/a.py', ('x',))),
        ('cat x | python scripts/a.py - > out.txt  # comment', ('scripts/a.py', ('-',))),
        ('python scripts/a.py <input file> $OUT', ('scripts/a.py', (PLACEHOLDER, PLACEHOLDER))),
        ('python scripts/a.py in [--top 2]', ('scripts/a.py', ('in', '--top', '2'))),
        ('python scripts/a.py \\\n  x', ('scripts/a.py', ('x',))),
    ],
)
def test_calls_are_found_in_lines_of_shell(line: str, expected: tuple[str, tuple[str, ...]]) -> None:
    assert calls(line) == [expected]


@pytest.mark.parametrize(
    'line',
    ['python -c "import x"', 'pip install a.py.whl', 'python "unclosed', 'ls scripts/', 'python *.py', '# python a.py'],
)
def test_lines_without_a_call(line: str) -> None:
    assert calls(line) == []


def test_other_languages_are_no_shell() -> None:
    assert calls('python scripts/a.py', 'python') == []


@pytest.mark.parametrize(
    'line',
    [
        'python scripts/a.py x --top 2 --all',
        'python scripts/a.py <file> --format <format>',
        'python scripts/a.py x --format json|text',
        'python scripts/a.py ...',
        'python scripts/a.py --help',
        'Run `scripts/a.py`, then `a.py`.',
        'python their_own.py --anything',
    ],
)
def test_calls_that_the_script_takes(tmp_path: Path, line: str) -> None:
    text = line if line.startswith('Run') else f'```sh\n{line}\n```'
    assert codes(check(tmp_path, {'scripts/a.py': PARSER, **body(text)})) == []


@pytest.mark.parametrize(
    ('line', 'complaint'),
    [
        ('python scripts/a.py', 'the following arguments are required: file'),
        ('python scripts/a.py x --bottom 2', 'unrecognized arguments: --bottom 2'),
        ('python scripts/a.py x y', 'unrecognized arguments: y'),
        ('python scripts/a.py x --format yaml', 'invalid choice'),
    ],
)
def test_calls_that_the_script_refuses(tmp_path: Path, line: str, complaint: str) -> None:
    (problem,) = check(tmp_path, {'scripts/a.py': PARSER, **body(f'First.\n\n```sh\n{line}\n```')})
    assert (problem.code, problem.line) == ('script-arguments', 9)
    assert complaint in problem.message


def test_scripts_that_are_not_there_or_are_none(tmp_path: Path) -> None:
    files = {'data/table.csv': 'x', 'scripts/a.py': '', 'scripts/notes.md': 'x'}
    text = 'Run `scripts/b.py` or `python data/run.py`.\n\n```\nscripts/a.py x\nscripts/c\n```\n'
    found = check(tmp_path, {**files, **body(text)})
    assert [(item.code, item.line) for item in found] == [
        ('script-missing', 6),
        ('script-not-executable', 9),
        ('script-missing', 10),
    ]
    assert "'scripts/b.py'" in found[0].message


def accepts(source: str, *args: str) -> str | None:
    parser = parser_of(source.encode())
    assert parser is not None
    return refusal(parser, args)


def test_parsers_with_subcommands_groups_and_parents() -> None:
    source = """
from argparse import ArgumentParser, BooleanOptionalAction
common = ArgumentParser(add_help=False)
common.add_argument('--verbose', action='store_true')
p = ArgumentParser(prog='x')
sub = p.add_subparsers(dest='command', required=True)
one = sub.add_parser('one', parents=[common], aliases=['1'])
group = one.add_argument_group('things')
group.add_argument('files', nargs='+')
exclusive = one.add_mutually_exclusive_group(required=True)
exclusive.add_argument('--a', action=BooleanOptionalAction)
exclusive.add_argument('--b')
if __name__ == '__main__':
    p.parse_args()
"""
    assert accepts(source, 'one', 'x', 'y', '--no-a', '--verbose') is None
    assert accepts(source, '1', 'x', '--b', '2') is None
    assert 'required' in str(accepts(source, 'one', 'x'))
    assert 'invalid choice' in str(accepts(source, 'two'))
    assert 'required' in str(accepts(source))


def test_order_repeated_flags_and_the_rest_of_a_line(tmp_path: Path) -> None:
    source = """
import argparse
parser = argparse.ArgumentParser(description='Run a command with servers')
parser.add_argument('--server', action='append', dest='servers', required=True, help='May be repeated')
parser.add_argument('--port', action='append', dest='ports', type=int, required=True)
parser.add_argument('command', nargs=argparse.REMAINDER)
args = parser.parse_args()
"""
    call = """```bash
python scripts/serve.py \\
  --server "cd backend && python server.py" --port 3000 \\
  --server "npm run dev" --port 5173 \\
  -- python mine.py --anything
python scripts/serve.py --port 3000 -- python mine.py
```"""
    (problem,) = check(tmp_path, {'scripts/serve.py': source, **body(call)})
    assert problem.line == 11 and 'required: --server' in problem.message


@pytest.mark.parametrize(
    'source',
    [
        'print(1)',
        'import argparse\np = argparse.ArgumentParser()\nfor n in names: p.add_argument(n)',
        'import argparse\np = argparse.ArgumentParser()\np.add_argument(NAME)',
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("--x", **options)',
        'import argparse\np = argparse.ArgumentParser()\np.parse_known_args()',
        'import argparse\np = argparse.ArgumentParser()\nadd(p)\nq.add_argument("x")',
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("--x", action=Mine)',
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("--x")\np.add_argument("--x")',
        'import argparse\nclass P(argparse.ArgumentParser): pass\np = P()\np.add_argument("x")',
        'def',
    ],
)
def test_parsers_that_cannot_be_known_are_not_guessed(source: str) -> None:
    assert parser_of(source.encode()) is None
