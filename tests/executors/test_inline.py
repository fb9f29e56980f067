from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_skills.executors import LocalSkillScriptExecutor, inline
from pydantic_ai_skills.executors.inline import find_uv, inline_metadata

SCRIPT = """\
#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.11"
# dependencies = ["skilldep"]
# ///
import os, sys, skilldep
print(skilldep.VALUE, sys.argv[1:], os.environ['VIRTUAL_ENV'] == sys.prefix, os.environ['PATH'].split(':')[0] == os.path.dirname(sys.executable))
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that stands for the package index, by uv's own settings; no network."""
    folder = tmp_path / 'wheels'
    folder.mkdir()
    make_wheel(folder, 'skilldep', 'VALUE = 42\n')
    for name, value in {'UV_OFFLINE': '1', 'UV_FIND_LINKS': str(folder), 'UV_CACHE_DIR': str(tmp_path / 'uv')}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv('UV_PYTHON_DOWNLOADS', 'never')
    return folder


def make_wheel(folder: Path, name: str, body: str) -> None:
    with zipfile.ZipFile(folder / f'{name}-1.0-py3-none-any.whl', 'w') as wheel:
        wheel.writestr(f'{name}.py', body)
        wheel.writestr(f'{name}-1.0.dist-info/METADATA', f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n')
        tags = 'Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
        wheel.writestr(f'{name}-1.0.dist-info/WHEEL', tags)
        wheel.writestr(f'{name}-1.0.dist-info/RECORD', '')


@pytest.mark.parametrize(
    ('source', 'wants', 'is_local'),
    [
        ('# /// script\n# dependencies = ["a"]\n# ///\n', True, False),
        ('#!/x\r\n# /// script\r\n# requires-python = ">=3.11"\r\n# ///\r\n', True, False),
        ('# /// script\n# dependencies = []\n#\n# [tool.x]\n# ///\n', False, False),
        ('# /// script\n# dependencies = ["a"]\n# [tool.uv.sources]\n# a = { path = "../a" }\n# ///\n', True, True),
        ('# /// script\n# dependencies = ["a"]\n# [[tool.uv.index]]\n# url = "https://i"\n# ///\n', True, False),
    ],
)
def test_metadata(source: str, wants: bool, is_local: bool) -> None:
    metadata = inline_metadata(source.encode())
    assert metadata is not None
    assert (bool(metadata.wanted), metadata.is_local) == (wants, is_local)
    assert metadata.block.startswith('# /// script\n')


@pytest.mark.parametrize(
    'source',
    [
        '',
        'print(1)',
        '# /// script\n# dependencies = [\n# ///\n',
        '# /// script\n# dependencies = ["a"]\n',
        '# /// pyproject\n# dependencies = ["a"]\n# ///\n',
        '# /// script\n# a = 1\n# ///\n\n# /// script\n# a = 1\n# ///\n',
    ],
)
def test_no_metadata(source: str) -> None:
    assert inline_metadata(source.encode()) is None


THE_PEPS_OWN = re.compile(r'(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$')
LINES = st.sampled_from(['# /// script', '# ///', '#', '# a = 1', '# b = 2', '', 'x = 1', '#c', '# /// other'])


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_the_block_is_the_one_that_the_pep_finds(lines: list[str]) -> None:
    source = '\n'.join(lines)
    theirs = [found for found in THE_PEPS_OWN.finditer(source) if found['type'] == 'script']
    ours = [(first, last) for first, last in inline._blocks(lines)]
    assert ['\n'.join(lines[first : last + 1]) for first, last in ours] == [found[0] for found in theirs] or (
        'other' in source  # a block of another type may hold the beginning of one
    )


def test_a_hostile_source_takes_no_time() -> None:
    assert inline_metadata(b'# /// script\n' * 20_000) is None


def test_dependencies_are_prepared_and_the_script_gets_its_arguments(
    package: Any, index: Path, own_cache: Path
) -> None:
    assert package.run('x.py', SCRIPT, ['a']) == "42 ['a'] True True"
    for wheel in index.iterdir():
        wheel.unlink()
    assert package.run('x.py', args=['b']) == "42 ['b'] True True", 'and kept'
    assert package.run('other.py', SCRIPT) == '42 [] True True', 'for any script with the same block'
    assert package.run('reg.py', SCRIPT, from_registry=True) == '42 [] True True'
    assert len(list((own_cache / 'inline').iterdir())) == 1


def test_a_dependency_that_cannot_be_had_is_answered(package: Any, index: Path) -> None:
    answer = package.run('x.py', SCRIPT.replace('"skilldep"', '"skilldep", "missing-package"'))
    assert answer.startswith('x.py was not run: preparing its dependencies (uv sync --script) failed with exit code 1.')
    assert 'missing-package was not found' in answer


def test_preparing_that_takes_too_long(package: Any, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, 'PREPARE_SECONDS', 0.001)
    answer = package.run('x.py', SCRIPT)
    assert answer.startswith('x.py was not run: preparing its dependencies took longer than 0.001 seconds.')


def test_the_configured_python_makes_the_environment(package: Any, index: Path) -> None:
    executor = LocalSkillScriptExecutor(python_executable=sys.executable)
    body = SCRIPT.partition('import os')[0] + 'import sys\nprint(sys.base_prefix)\n'
    assert package.run('x.py', body, executor=executor) == sys.base_prefix
    missing = LocalSkillScriptExecutor(python_executable='/nonexistent/python')
    assert 'preparing its dependencies' in package.run('x.py', executor=missing)


def test_sources_by_path_hold_from_where_the_script_lies(package: Any, index: Path) -> None:
    make_wheel(package.directory, 'besides', 'VALUE = 7\n')
    body = (
        '# /// script\n# dependencies = ["besides"]\n# [tool.uv.sources]\n'
        '# besides = { path = "besides-1.0-py3-none-any.whl" }\n# ///\nimport besides\nprint(besides.VALUE)\n'
    )
    assert package.run('x.py', body) == '7'
    assert package.run('x.py', from_registry=True) == '7'


def test_without_uv_there_is_a_note(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(programs: Any) -> None:
        return None

    monkeypatch.setattr('pydantic_ai_skills.executors.running.find_uv', nowhere)
    body = SCRIPT.replace('uv run --script', 'python3').partition('import os')[0] + 'print(1)\n'
    assert package.run('x.py', body) == (
        '1\n\nx.py declares dependencies (PEP 723), but uv is not installed here: '
        'it was run without preparing them (pip install uv).'
    )


def test_uv_beside_the_agents_python_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    class Programs:
        async def find(self, program: str) -> str | None:
            return program if program == os.path.join(os.path.dirname(sys.executable), 'uv') else None

        async def version(self, program: str) -> str:
            return ''

    assert asyncio.run(find_uv(Programs())) == os.path.join(os.path.dirname(sys.executable), 'uv')


def test_a_block_that_asks_for_nothing_needs_no_uv(package: Any) -> None:
    executor = LocalSkillScriptExecutor()
    body = '# /// script\n# dependencies = []\n# ///\nimport sys\nprint(sys.executable)\n'
    assert package.run('x.py', body, executor=executor) == sys.executable
    own = LocalSkillScriptExecutor(interpreters={'.py': [sys.executable, '-u']})
    assert (
        package.run('y.py', SCRIPT.replace('"skilldep"', '"no-such-thing"').partition('import os')[0], executor=own)
        == '(no output)'
    )
