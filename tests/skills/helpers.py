"""What the tests of skills in Python share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai_skills import Skill, SkillsCapability, SkillWrapper

from ..support import load, run


@dataclass
class Deps:
    user: str


def loaded(made: Skill | SkillWrapper[Any], name: str = 'demo', **options: Any) -> str:
    """The instructions of a skill as the model gets them."""
    seen = run(SkillsCapability(skills=[made], **options), [load(name)])
    return seen.everything[seen.everything.index(f'# Skill: {name}') :].split('\n</context>')[0].rstrip()


def convert(amount: int) -> str:
    """Convert an amount."""
    return f'{amount} converted'
