"""Agent Skills for Pydantic AI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy import lazy_exports

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

_MODULES = {
    'BubblewrapScriptExecutor': 'executors',
    'CallableSkillScriptExecutor': 'executors',
    'GitCloneOptions': 'registries',
    'GitSkillsRegistry': 'registries',
    'LocalSkillScriptExecutor': 'executors',
    'LocalSkillsRegistry': 'registries',
    'S3SkillsRegistry': 'registries',
    'Skill': 'skills',
    'SkillAsset': 'members',
    'SkillDiagnostic': 'diagnostics',
    'SkillFilesToolset': 'toolset',
    'SkillInfo': 'info',
    'SkillPackage': 'packages',
    'SkillRegistry': 'registries',
    'SkillResource': 'members',
    'SkillScript': 'members',
    'SkillScriptExecutor': 'members',
    'SkillWrapper': 'skills',
    'SkillsCapability': 'capability',
    'WorkspaceScriptExecutor': 'executors',
    'skill': 'skills',
}

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
