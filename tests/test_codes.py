from __future__ import annotations

import re
from pathlib import Path

import pydantic_ai
import pydantic_ai_harness

from pydantic_ai_skills import codes
from pydantic_ai_skills.frontmatter import MAX_FRONTMATTER_CHARACTERS, MAX_NESTING, MAX_SKILL_BYTES
from pydantic_ai_skills.names import DEFAULT_CAPABILITY_IDS, is_legal_name
from pydantic_ai_skills.reading import MAX_DESCRIPTION_CHARACTERS


def test_every_code_is_explained() -> None:
    constants = {value for name, value in vars(codes).items() if name.isupper() and isinstance(value, str)}
    assert constants == set(codes.CODES)
    assert all(re.fullmatch('[a-z0-9]+(-[a-z0-9]+)*', code) for code in constants)
    for code in codes.CODES.values():
        assert code.meaning.endswith('.') and code.remedy.endswith('.')


def test_the_numbers_are_those_in_force() -> None:
    assert f'{MAX_FRONTMATTER_CHARACTERS:,}' in codes.CODES[codes.FRONTMATTER_TOO_LARGE].meaning
    assert f'{MAX_NESTING} levels' in codes.CODES[codes.FRONTMATTER_TOO_DEEP].meaning
    assert f'{MAX_SKILL_BYTES // 2**20} MiB' in codes.CODES[codes.FILE_TOO_LARGE].meaning
    assert f'{MAX_DESCRIPTION_CHARACTERS:,}' in codes.CODES[codes.DESCRIPTION_LONG].meaning


def test_a_finding_becomes_a_diagnostic() -> None:
    finding = codes.Finding(codes.NO_DESCRIPTION, 'SKILL.md has no description. See SKILL.md.', 'Add one.')
    diagnostic = finding.about('/lib/a b/skill.md')
    assert (diagnostic.path, diagnostic.severity, diagnostic.code) == ('/lib/a b/skill.md', 'error', 'no-description')
    assert str(diagnostic) == '/lib/a b/skill.md has no description. See SKILL.md. The skill is left out. Add one.'
    assert codes.Finding(codes.NAME_MENDED, 'x', severity='error').about('x').severity == 'error'


def test_risky_names_are_default_ids() -> None:
    # Read, not imported: many of these modules need packages that only their users have.
    found: set[str] = set()
    for package in (pydantic_ai, pydantic_ai_harness):
        for file in Path(package.__path__[0]).rglob('*.py'):
            found |= set(re.findall(r"^    id: str \| None = '([^']+)'", file.read_text('utf-8'), re.MULTILINE))
    assert {name for name in found if is_legal_name(name)} >= DEFAULT_CAPABILITY_IDS
