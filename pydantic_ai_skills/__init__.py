"""Agent Skills for Pydantic AI: from disk, Git, S3 and Python, loaded on demand and run as published."""

from __future__ import annotations

from .capability import SkillsCapability
from .diagnostics import SkillDiagnostic
from .executors import CallableSkillScriptExecutor, LocalSkillScriptExecutor
from .info import SkillInfo
from .members import SkillAsset, SkillResource, SkillScript, SkillScriptExecutor
from .packages import SkillPackage
from .registries import LocalSkillsRegistry, SkillRegistry
from .skills import Skill, SkillWrapper, skill
from .toolset import SkillFilesToolset

__all__ = [
    'CallableSkillScriptExecutor',
    'LocalSkillScriptExecutor',
    'LocalSkillsRegistry',
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
    'skill',
]
