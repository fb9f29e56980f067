"""What the tests of refreshing share: a library, and a registry whose syncs are counted and held up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_ai.capabilities import PrefixTools, WrapperCapability

from pydantic_ai_skills import (
    SkillRegistry,
    SkillsCapability,
)

from ..support import make_library, skill_text

PAIR = ['read_skill_resource', 'run_skill_script']


def add(library: Path, name: str, body: str = 'Do it.', **files: str) -> None:
    make_library(library / name, {'SKILL.md': skill_text(name, body=body), **files})


class Counted(SkillRegistry):
    """A library whose syncs are counted, and can be held up and made to fail."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.syncs = 0
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.error: BaseException | None = None

    def sync(self) -> Path:
        self.syncs += 1
        self.begun.set()
        assert self.go_on.wait(30)
        if self.error is not None:
            raise self.error
        return self.path


def refreshed(capability: SkillsCapability[Any]) -> bool:
    return asyncio.run(capability.refresh())


ARRANGEMENTS: dict[str, Callable[[SkillsCapability[Any]], list[Any]]] = {
    'direct': lambda capability: [capability],
    'prefixed': lambda capability: [PrefixTools(wrapped=capability, prefix='ns')],
    'wrapped': lambda capability: [WrapperCapability(wrapped=WrapperCapability(wrapped=capability))],
    'function': lambda capability: [lambda ctx: capability],
}
