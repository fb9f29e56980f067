"""Places to run a skill's scripts."""

from .callable import CallableSkillScriptExecutor
from .local import LocalSkillScriptExecutor

__all__ = ['CallableSkillScriptExecutor', 'LocalSkillScriptExecutor']
