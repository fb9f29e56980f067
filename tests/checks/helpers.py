"""What the tests of the checks share."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai_skills.checks.package_checks import check_packages, found_packages
from pydantic_ai_skills.checks.problem import Problem
from pydantic_ai_skills.skill_folders import find_skill_folders

from ..support import make_library, skill_text

GOOD = 'Shows things. Use it when somebody wants to see.'


def check(root: Path, files: dict[str, str | bytes], modes: dict[str, int] | None = None) -> list[Problem]:
    """The findings for a skill `demo` with these files; `SKILL.md` is a good one unless given."""
    whole = {'SKILL.md': skill_text('demo', GOOD), **files}
    make_library(root / 'demo', whole, modes)
    return [problem for _, problems in check_packages(found_packages(find_skill_folders(root))) for problem in problems]


def body(text: str, extra: str = '') -> dict[str, str | bytes]:
    """A `SKILL.md` with this body; it begins on line 6, or later by the lines of `extra`."""
    return {'SKILL.md': skill_text('demo', GOOD, text, extra)}


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]
