"""Agent Skills for Pydantic AI."""

from __future__ import annotations

from .capability import SkillsCapability
from .diagnostics import SkillDiagnostic
from .executors import LocalSkillScriptExecutor
from .info import SkillInfo
from .members import SkillAsset, SkillResource, SkillScript, SkillScriptExecutor
from .packages import SkillPackage
from .registries import GitCloneOptions, GitSkillsRegistry, LocalSkillsRegistry, SkillRegistry
from .skills import Skill, SkillWrapper, skill
from .toolset import SkillFilesToolset
