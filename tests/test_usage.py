from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import usage as usage_module
from pydantic_ai_skills.usage import ScriptUsage, script_usage, usage_in


def arguments(source: str, suffix: str = '.py') -> str | None:
    found = usage_in(source.encode(), suffix)
    return None if found is None else found.arguments


def summary(source: str, suffix: str = '.py') -> str | None:
    found = usage_in(source.encode(), suffix)
    return None if found is None else found.summary


def argparse_script(body: str, *, before: str = '', after: str = 'args = parser.parse_args()') -> str:
    return f'import argparse\n{before}\nparser = argparse.ArgumentParser(description="d")\n{body}\n{after}\n'


@pytest.mark.parametrize(
    ('body', 'line'),
    [
        (
            'parser.add_argument("file", help="x")\nparser.add_argument("seconds", nargs="?", type=int, default=30)\n'
            'parser.add_argument("--sheet", metavar="NAME")',
            'FILE [SECONDS] [--sheet NAME]',
        ),
        ('', ''),
        ('parser.add_argument("--files", "-f", nargs="+", required=True)', '--files FILES [FILES ...]'),
        ('parser.add_argument("-v", "--verbose", action="store_true")', '[--verbose]'),
        ('parser.add_argument("-n", type=int)', '[-n N]'),
        ('parser.add_argument("--dry-run", action="count", default=0)', '[--dry-run]'),
        ('parser.add_argument("--x", action=argparse.BooleanOptionalAction)', '[--x/--no-x]'),
        ('parser.add_argument("mode", choices=["a", "b"])', '{a|b}'),
        ('parser.add_argument("--mode", choices=MODES)', '[--mode MODE]'),
        ('parser.add_argument("rest", nargs=argparse.REMAINDER)', '...'),
        ('parser.add_argument("pair", nargs=2)\nparser.add_argument("more", nargs="*")', 'PAIR PAIR [MORE ...]'),
        ('parser.add_argument("--out", dest="target")', '[--out TARGET]'),
        ('parser.add_argument("--tag", action="append")\nparser.add_argument("id")', 'ID [--tag TAG]'),
        ('parser.add_argument("--version", action="version", version="1")', ''),
        ('group = parser.add_argument_group("g")\ngroup.add_argument("--a")', '[--a A]'),
        (
            'group = parser.add_mutually_exclusive_group(required=True)\ngroup.add_argument("--a")\n'
            'group.add_argument("--b", action="store_true")',
            '(--a A | --b)',
        ),
        (
            'commands = parser.add_subparsers(dest="c")\nlist_ = commands.add_parser("list")\n'
            'list_.add_argument("--all")\ncommands.add_parser("create", help="x")',
            '{list|create} ...',
        ),
    ],
)
def test_argparse(body: str, line: str) -> None:
    assert arguments(argparse_script(body)) == line
    inside = '\n    '.join(argparse_script(body).partition('\n')[2].splitlines())
    assert arguments(f'import argparse\ndef main():\n    {inside}\nmain()\n') == line
    renamed = argparse_script(body).replace('argparse.', 'ap.').replace('import argparse', 'import argparse as ap')
    assert arguments(renamed) == line


def test_argparse_where_a_function_builds_the_parser() -> None:
    body = 'parser.add_argument("file")'
    source = (
        'from argparse import ArgumentParser\ndef build():\n    parser = ArgumentParser()\n    '
        f'{body}\n    return parser\nif __name__ == "__main__":\n    args = build().parse_args()\n'
    )
    assert arguments(source) == 'FILE'
    main = f'import argparse\nif __name__ == "__main__":\n    parser = argparse.ArgumentParser()\n    {body}\n    parser.parse_args()\n'
    assert arguments(main) == 'FILE'


@pytest.mark.parametrize(
    'source',
    [
        argparse_script('for name in NAMES:\n    parser.add_argument(name)'),
        argparse_script('if WINDOWS:\n    parser.add_argument("--x")'),
        argparse_script('parser.add_argument(NAME)'),
        argparse_script('parser.add_argument("--x", **OPTIONS)'),
        argparse_script('parser.add_argument(*NAMES)'),
        argparse_script('parser.add_argument("--x", nargs=COUNT)'),
        argparse_script('parser.add_argument("--x", required=NEEDED)'),
        argparse_script('parser.add_argument("--x", action=Own)'),
        argparse_script('add_common(parser)'),
        argparse_script('', after=''),
        argparse_script('parser.add_argument("x")', before='import sys\nif sys.argv[1] == "y": pass'),
        argparse_script('other = argparse.ArgumentParser()'),
        argparse_script('again = parser\nagain.add_argument("x")'),
        'import argparse\nparser = argparse.ArgumentParser(parents=[base])\nparser.parse_args()\n',
        'import argparse\nparser = argparse.ArgumentParser(prefix_chars="+")\nparser.parse_args()\n',
        'import argparse\ndef build():\n    parser = argparse.ArgumentParser()\n    return parser\nbuild().add_argument("x")\n',
        'import argparse\nclass A:\n    def __init__(self):\n        self.p = argparse.ArgumentParser()\n        self.p.parse_args()\n',
        'import argparse, click\nparser = argparse.ArgumentParser()\nparser.parse_args()\n@click.command()\ndef f(): ...\n',
    ],
)
def test_argparse_that_is_not_followed_gives_nothing(source: str) -> None:
    assert arguments(source) is None


CLICK = 'import click\n@click.command()\n{}\ndef main(**options):\n    pass\nmain()\n'


@pytest.mark.parametrize(
    ('decorators', 'line'),
    [
        ('@click.argument("file")\n@click.option("--sheet", "-s", help="x")', 'FILE [--sheet SHEET]'),
        ('@click.argument("files", nargs=-1)', '[FILES ...]'),
        ('@click.argument("files", nargs=-1, required=True)', 'FILES ...'),
        ('@click.argument("file", default="x")', '[FILE]'),
        ('@click.option("--a/--no-a", default=True)\n@click.option("-v", count=True)', '[--a/--no-a] [-v]'),
        ('@click.option("--x", is_flag=True)\n@click.option("--n", required=True)', '--n N [--x]'),
        ('@click.option("--to", "target")\n@click.version_option()\n@click.pass_context', '[--to TARGET]'),
        ('@click.option("--size", nargs=2, metavar="N")', '[--size N N]'),
    ],
)
def test_click(decorators: str, line: str) -> None:
    assert arguments(CLICK.format(decorators)) == line


def test_click_groups() -> None:
    source = (
        'import click\n@click.group()\ndef cli(): ...\n@cli.command()\n@click.argument("x")\ndef make_it(x): ...\n'
        '@cli.command("list")\ndef list_all(): ...\ncli()\n'
    )
    assert arguments(source) == '{make-it|list} ...'


@pytest.mark.parametrize(
    'source',
    [
        CLICK.format('@own_options\n@click.argument("x")'),
        CLICK.format('@click.option(*OPTIONS)'),
        CLICK.format('@click.option("--x", **OPTIONS)'),
        CLICK.format('@click.option("--x", flag_value="y")'),
        CLICK.format('@click.argument("x", nargs=N)'),
        CLICK.format('@click.password_option()'),
        'import click\n@click.group()\ndef cli(): ...\n@cli.command()\ndef list_cmd(): ...\n',
        'import click\n@click.group()\ndef cli(): ...\n@cli.group()\ndef inner(): ...\n',
        'import click\n@click.command()\ndef a(): ...\n@click.command()\ndef b(): ...\n',
        'import click\nclick.echo("x")\n',
    ],
)
def test_click_that_is_not_followed_gives_nothing(source: str) -> None:
    assert arguments(source) is None


TYPER = 'import typer\nfrom pathlib import Path\nfrom typing import Annotated, Optional\ndef main({}): ...\ntyper.run(main)\n'


@pytest.mark.parametrize(
    ('parameters', 'line'),
    [
        ('', ''),
        ('file: Path, seconds: int = 30', 'FILE [--seconds SECONDS]'),
        ('file: str = typer.Argument("x"), dry_run: bool = False', '[FILE] [--dry-run/--no-dry-run]'),
        ('files: list[str]', 'FILES ...'),
        ('name: Annotated[str, typer.Option("--name", "-n")]', '--name NAME'),
        ('name: Annotated[str, typer.Argument(help="x")] = "y"', '[NAME]'),
        ('ctx: typer.Context, level: Optional[int] = None', '[--level LEVEL]'),
        ('level: int | None = typer.Option(None, "--lvl")', '[--lvl LEVEL]'),
        ('name: str = typer.Option(...)', '--name NAME'),
        ('force: bool = typer.Option(False, "--force")', '[--force]'),
    ],
)
def test_typer(parameters: str, line: str) -> None:
    assert arguments(TYPER.format(parameters)) == line
    app = TYPER.format(parameters).replace('def main', 'app = typer.Typer()\n@app.command()\ndef main')
    assert arguments(app.replace('typer.run(main)', 'app()')) == line


def test_typer_commands() -> None:
    source = 'import typer\napp = typer.Typer()\n@app.command()\ndef one(): ...\n@app.command("second")\ndef two(x: int): ...\napp()\n'
    assert arguments(source) == '{one|second} ...'


@pytest.mark.parametrize(
    'source',
    [
        TYPER.format('*names: str'),
        TYPER.format('name'),
        TYPER.format('name: Own'),
        TYPER.format('name: Annotated[str, OWN]'),
        TYPER.format('name: str = typer.Option(..., prompt=True)'),
        TYPER.format('name: str = compute()'),
        'import typer\napp = typer.Typer()\n@app.callback()\ndef main(): ...\n@app.command()\ndef one(): ...\n',
        'import typer\ntyper.run(elsewhere)\n',
        'import typer\ntyper.echo("x")\n',
    ],
)
def test_typer_that_is_not_followed_gives_nothing(source: str) -> None:
    assert arguments(source) is None


@pytest.mark.parametrize(
    ('source', 'suffix', 'line'),
    [
        ('"""Recalculate a workbook.\n\nMore."""\nprint(1)', '.py', 'Recalculate a workbook.'),
        ('#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# Count words.\nimport x', '.py', 'Count words.'),
        ('# /// script\n# dependencies = []\n# ///\n# Draw a chart\nimport x', '.py', 'Draw a chart'),
        ('# Copyright 2026 Someone\n# SPDX-License-Identifier: MIT\n# Read feeds\n', '.py', 'Read feeds'),
        ('#!/bin/sh\n#\n# Build it all\nset -e', '.sh', 'Build it all'),
        ('/**\n * Render a graph.\n */\nimport x', '.ts', 'Render a graph.'),
        ('// @ts-check\n// Convert images\nfoo()', '.js', 'Convert images'),
        ('#!/usr/bin/env python3\n"""No suffix."""\n', '', 'No suffix.'),
        ('print(1)\n# too late', '.py', None),
        ('# ---------\nprint(1)', '.py', None),
        ('', '.py', None),
        ('"""Line\u2028break"""', '.py', 'Line break'),
        ('"""' + 'word ' * 60 + '"""', '.py', ('word ' * 24).strip() + ' …'),
    ],
)
def test_else_the_first_line(source: str, suffix: str, line: str | None) -> None:
    assert summary(source, suffix) == line


@pytest.mark.parametrize('source', [b'def broken(:', b'\xff\xfe', b'x = "\0"', b'(' * 5_000, b'-' * 150_000 + b'1'])
def test_what_is_no_python_gives_nothing(source: bytes) -> None:
    assert usage_in(source, '.py') is None


def test_invalid_escapes_warn_nobody(recwarn: pytest.WarningsRecorder) -> None:
    assert summary('"""Match \\d."""\nx = "\\d"\n') is not None
    assert not recwarn.list


def test_a_file_is_read_once_and_again_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / 'x.py'
    path.write_text('"""First."""')
    assert script_usage(path) == ScriptUsage(summary='First.')
    calls: list[bytes] = []
    real = usage_module.usage_in
    monkeypatch.setattr(usage_module, 'usage_in', lambda source, suffix: calls.append(source) or real(source, suffix))
    assert script_usage(path) == ScriptUsage(summary='First.')
    assert not calls
    path.write_text('"""Second one."""')
    assert script_usage(path) == ScriptUsage(summary='Second one.')


def test_files_that_are_gone_too_long_or_no_files(tmp_path: Path) -> None:
    assert script_usage(tmp_path / 'gone.py') is None
    (tmp_path / 'long.py').write_text('"""Long."""\n' + '#' * 200_000)
    assert script_usage(tmp_path / 'long.py') is None
    os.mkfifo(tmp_path / 'fifo.py')
    assert script_usage(tmp_path / 'fifo.py') is None
    (tmp_path / 'out.py').symlink_to('/etc/passwd')
    assert script_usage(tmp_path / 'out.py') is None


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_a_line_or_nothing(text: str) -> None:
    for suffix in ('.py', '.sh', ''):
        found = usage_in(text.encode('utf-8', 'replace'), suffix)
        assert found is None or (found.summary or found.arguments or '').count('\n') == 0


def test_the_standard_librarys_files_are_read_without_a_fault() -> None:
    folder = Path(os.__file__).parent
    found = [usage_in(path.read_bytes(), '.py') for path in sorted(folder.glob('[a-d]*.py'))]
    assert len([item for item in found if item is not None]) > 20


def test_a_line_is_what_argparse_itself_says(tmp_path: Path) -> None:
    """The same parser, asked by `--help` in a process of its own."""
    source = argparse_script(
        'parser.add_argument("file", metavar="FILE")\nparser.add_argument("seconds", nargs="?", metavar="SECONDS")\n'
        'parser.add_argument("--files", nargs="+", required=True)\nparser.add_argument("--sheet", metavar="NAME")'
    )
    (tmp_path / 'x.py').write_text(source)
    help_text = subprocess.run(
        [sys.executable, 'x.py', '--help'], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, 'COLUMNS': '200'},
    ).stdout.partition('\n')[0]  # fmt: skip
    theirs = help_text.removeprefix('usage: x.py [-h] ')
    ours = arguments(source)
    assert ours == 'FILE [SECONDS] --files FILES [FILES ...] [--sheet NAME]'
    assert sorted(theirs.split()) == sorted(ours.split())
