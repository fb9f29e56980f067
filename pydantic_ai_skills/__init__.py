"""Agent Skills for Pydantic AI."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .capability import SkillsCapability
    from .diagnostics import SkillDiagnostic
    from .executors import (
        BubblewrapScriptExecutor,
        CallableSkillScriptExecutor,
        LocalSkillScriptExecutor,
        WorkspaceScriptExecutor,
    )
    from .info import SkillInfo
    from .members import SkillAsset, SkillResource, SkillScript, SkillScriptExecutor
    from .packages import SkillPackage
    from .registries import GitCloneOptions, GitSkillsRegistry, LocalSkillsRegistry, S3SkillsRegistry, SkillRegistry
    from .skills import Skill, SkillWrapper, skill
    from .toolset import SkillFilesToolset

__all__ = [
    'BubblewrapScriptExecutor',
    'CallableSkillScriptExecutor',
    'GitCloneOptions',
    'GitSkillsRegistry',
    'LocalSkillScriptExecutor',
    'LocalSkillsRegistry',
    'S3SkillsRegistry',
    'Skill',
    'SkillAsset',
    'SkillDiagnostic',
    'SkillFilesToolset',
    'SkillInfo',
    'SkillPackage',
    'SkillRegistry',
    'SkillResource',
    'SkillScript',
    'SkillScriptExecutor',
    'SkillWrapper',
    'SkillsCapability',
    'WorkspaceScriptExecutor',
    'skill',
]

# Imported when first asked for, as harness does it: a registry's users need no executor, and the other way round.
_MODULES = {
    'BubblewrapScriptExecutor': '.executors',
    'CallableSkillScriptExecutor': '.executors',
    'GitCloneOptions': '.registries',
    'GitSkillsRegistry': '.registries',
    'LocalSkillScriptExecutor': '.executors',
    'LocalSkillsRegistry': '.registries',
    'S3SkillsRegistry': '.registries',
    'Skill': '.skills',
    'SkillAsset': '.members',
    'SkillDiagnostic': '.diagnostics',
    'SkillFilesToolset': '.toolset',
    'SkillInfo': '.info',
    'SkillPackage': '.packages',
    'SkillRegistry': '.registries',
    'SkillResource': '.members',
    'SkillScript': '.members',
    'SkillScriptExecutor': '.members',
    'SkillWrapper': '.skills',
    'SkillsCapability': '.capability',
    'WorkspaceScriptExecutor': '.executors',
    'skill': '.skills',
}


def __getattr__(name: str) -> Any:
    if (module := _MODULES.get(name)) is None:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
