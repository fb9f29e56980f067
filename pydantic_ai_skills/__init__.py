"""Agent Skills for Pydantic AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .capability import SkillsCapability
from .diagnostics import SkillDiagnostic
from .executors import LocalSkillScriptExecutor
from .info import SkillInfo
from .members import SkillAsset, SkillResource, SkillScript, SkillScriptExecutor
from .packages import SkillPackage
from .registries import SkillRegistry
from .skills import Skill, SkillWrapper, skill
from .toolset import SkillFilesToolset

if TYPE_CHECKING:
    from .registries import GitCloneOptions, GitSkillsRegistry, LocalSkillsRegistry, S3SkillsRegistry

_REGISTRIES = ('GitCloneOptions', 'GitSkillsRegistry', 'LocalSkillsRegistry', 'S3SkillsRegistry')


def __getattr__(name: str) -> Any:
    if name not in _REGISTRIES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from . import registries

    value = globals()[name] = getattr(registries, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_REGISTRIES})
