"""Agreement with `skills-ref` 0.1.1, the format's own validator: every difference is listed here, with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from skills_ref import validate

from pydantic_ai_skills.checks.package_checks import check_packages, found_packages
from pydantic_ai_skills.checks.rules import BREAKS_FORMAT, RULES

from ..support import make_library
from .helpers import check

FORMAT_CODES = BREAKS_FORMAT | {code for code, rule in RULES.items() if rule.kind == 'format'}

DESCRIPTION = 'description: Shows things. Use it when asked.\n'


def skill(fields: str, name: str = 'name: demo\n', rest: str = '\nDo it.\n') -> str:
    return f'---\n{name}{fields}---\n{rest}'


# Packages that both judge alike: (text, whether it is valid).
ALIKE: dict[str, tuple[str | bytes, bool]] = {
    'minimal': (skill(DESCRIPTION), True),
    'all fields': (
        skill(
            DESCRIPTION
            + 'license: MIT\ncompatibility: Needs git\nallowed-tools: Read Bash(git:*)\nmetadata:\n  author: me\n'
        ),
        True,
    ),
    'block description': (skill('description: >-\n  Two\n  lines: of it\n'), True),
    'quoted colon': (skill('description: "Use when: asked"\n'), True),
    'number as description': (skill('description: 5\n'), True),
    'no body': (skill(DESCRIPTION, rest=''), True),
    'crlf': (skill(DESCRIPTION).replace('\n', '\r\n'), True),
    'long description': (skill(f'description: {"x" * 1024}\n'), True),
    'too long description': (skill(f'description: {"x" * 1025}\n'), False),
    'long compatibility': (skill(f'{DESCRIPTION}compatibility: {"x" * 500}\n'), True),
    'too long compatibility': (skill(f'{DESCRIPTION}compatibility: {"x" * 501}\n'), False),
    'empty description': (skill('description: ""\n'), False),
    'blank description': (skill('description: "  "\n'), False),
    'no description': (skill('license: MIT\n'), False),
    'no name': (skill(DESCRIPTION, ''), False),
    'empty name': (skill(DESCRIPTION, 'name: ""\n'), False),
    'other name': (skill(DESCRIPTION, 'name: other\n'), False),
    'upper case': (skill(DESCRIPTION, 'name: Demo\n'), False),
    'unknown field': (skill(DESCRIPTION + 'version: "1"\n'), False),
    'unquoted colon': (skill('description: Use when: asked\n'), False),
    'tab': (skill(DESCRIPTION + 'metadata:\n\ta: b\n'), False),
    'no frontmatter': ('# Demo\n', False),
    'empty file': ('', False),
    'unclosed': ('---\nname: demo\n', False),
    'byte order mark': ('\ufeff' + skill(DESCRIPTION), False),
    'comment above': ('<!-- c -->\n' + skill(DESCRIPTION), False),
    'blank line above': ('\n' + skill(DESCRIPTION), False),
    'a list': ('---\n- a\n---\n', False),
    'twice the same field': (skill(DESCRIPTION * 2), False),
    'not UTF-8': (skill(DESCRIPTION).encode() + b'\xff', False),
    'open bracket': (skill('description: [a\n'), False),
}

# Packages that skills-ref takes and we do not, or the other way round: (text, whether we take it, why).
DIFFERENT: dict[str, tuple[str, bool, str]] = {
    'disable-model-invocation': (
        skill(DESCRIPTION + 'disable-model-invocation: true\n'),
        True,
        'No field of the format, but one that this package and Claude Code act on: told as an info.',
    ),
    'user-invocable': (skill(DESCRIPTION + 'user-invocable: false\n'), True, 'The same.'),
    'flow mapping': (
        skill(DESCRIPTION + 'metadata: {author: me}\n'),
        True,
        'YAML, which is what the format names; skills-ref reads a part of it (strictyaml).',
    ),
    'anchors': (skill(DESCRIPTION + 'license: &a MIT\ncompatibility: *a\n'), True, 'The same.'),
    'hyphens in a value': (
        skill('name: demo\n', 'description: Use it when --- well --- asked.\n'),
        True,
        'skills-ref ends the frontmatter at any three hyphens, the format at a line of them.',
    ),
    'blanks after a fence': (
        skill(DESCRIPTION).replace('---\n', '---  \n', 1),
        False,
        'harness and others refuse a fence with blanks behind it; mended here, and by --fix.',
    ),
    'metadata as text': (
        skill(DESCRIPTION + 'metadata: text\n'),
        False,
        'The format has a mapping there; skills-ref does not look.',
    ),
    'allowed-tools as a list': (
        skill(DESCRIPTION + 'allowed-tools:\n  - Read\n'),
        False,
        'The format has one text there; skills-ref does not look. A warning.',
    ),
    'empty compatibility': (
        skill(DESCRIPTION + 'compatibility: ""\n'),
        False,
        'The format has 1 to 500 characters; skills-ref does not look for the 1.',
    ),
}


def valid_here(root: Path, text: str | bytes) -> bool:
    return not any(problem.code in FORMAT_CODES for problem in check(root, {'SKILL.md': text}))


def valid_there(root: Path) -> bool:
    try:
        return not validate(root / 'demo')
    except UnicodeDecodeError:  # it does not catch its own
        return False


@pytest.mark.parametrize('name', ALIKE)
def test_both_say_the_same(tmp_path: Path, name: str) -> None:
    text, valid = ALIKE[name]
    assert valid_here(tmp_path, text) is valid
    assert valid_there(tmp_path) is valid


@pytest.mark.parametrize('name', DIFFERENT)
def test_each_difference_is_as_it_is_listed(tmp_path: Path, name: str) -> None:
    text, valid, reason = DIFFERENT[name]
    assert reason
    assert valid_here(tmp_path, text) is valid
    assert valid_there(tmp_path) is not valid


@pytest.mark.parametrize('folder', ['Demo', 'demo--x', 'demo_x', '-demo', 'd' * 65])
def test_folders_that_are_no_legal_name(tmp_path: Path, folder: str) -> None:
    text = skill(DESCRIPTION, f'name: {folder}\n')
    make_library(tmp_path / folder, {'SKILL.md': text})
    assert validate(tmp_path / folder)
    ((_, problems),) = check_packages(found_packages([tmp_path / folder]))
    assert 'name-mended' in [problem.code for problem in problems]


@pytest.mark.parametrize('folder', ['café', 'навык', '技能', 'd' * 64])
def test_folders_in_other_scripts(tmp_path: Path, folder: str) -> None:
    make_library(tmp_path / folder, {'SKILL.md': skill(DESCRIPTION, f'name: {folder}\n')})
    assert validate(tmp_path / folder) == []
    ((_, problems),) = check_packages(found_packages([tmp_path / folder]))
    assert problems == []
