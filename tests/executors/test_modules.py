"""Which scripts import from their skill's root, and what that changes for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_skills import LocalSkillScriptExecutor, SkillsCapability
from pydantic_ai_skills.executors.modules import imports_from_root

from ..support import load, make_library, run, script, skill_text


@pytest.mark.parametrize(
    ('source', 'name', 'expected'),
    [
        ('from scripts.utils import x', 'scripts/run.py', True),
        ('import os\n\ndef f():\n    import helpers.x', 'scripts/run.py', True),
        ('import tool', 'scripts/run.py', True),
        ('import sys, tool as t  # a comment', 'scripts/run.py', True),
        ('import tool', 'scripts/deep/run.py', True),
        ('import tool', 'run.py', False),  # the root is where it lies
        ('import beside', 'scripts/run.py', False),  # found where it lies, though the root has one too
        ('import json', 'scripts/run.py', False),  # Python's own, though the root has one too
        ('import numpy\nfrom . import x\n"from tool"', 'scripts/run.py', False),
        ('# import tool', 'scripts/run.py', False),
        ('\xff\0 import tool', 'scripts/run.py', False),
    ],
)
def test_what_needs_the_root(tmp_path: Path, source: str, name: str, expected: bool) -> None:
    files = ['scripts/utils.py', 'helpers/x.py', 'tool.py', 'json.py', 'beside.py', 'scripts/beside.py']
    make_library(tmp_path, dict.fromkeys(files, ''))
    assert imports_from_root(source.encode('latin-1'), name, tmp_path) is expected


def test_a_path_that_the_host_gives_comes_first(tmp_path: Path) -> None:
    files = {
        'SKILL.md': skill_text(),
        'tool.py': 'W = "skill"',
        'scripts/run.py': 'import sys, tool\nprint(tool.W, len(sys.argv))',
    }
    library = make_library(tmp_path / 'lib', {f'demo/{name}': text for name, text in files.items()})
    make_library(tmp_path / 'own', {'tool.py': 'W = "host"'})
    for variables, expected in (({}, 'skill 2'), ({'PYTHONPATH': str(tmp_path / 'own')}, 'host 2')):
        executor = LocalSkillScriptExecutor(env_vars=variables)
        capability = SkillsCapability(library, script_executor=executor)
        assert run(capability, [load(), script('scripts/run.py', ['a b'])]).last == expected
