"""Places to run a skill's scripts."""

from .local import LocalSkillScriptExecutor

__all__ = ['LocalSkillScriptExecutor']
