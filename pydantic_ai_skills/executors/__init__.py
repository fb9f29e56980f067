"""Places to run a skill's scripts."""

from .bubblewrap import BubblewrapScriptExecutor
from .callable import CallableSkillScriptExecutor
from .local import LocalSkillScriptExecutor

__all__ = ['BubblewrapScriptExecutor', 'CallableSkillScriptExecutor', 'LocalSkillScriptExecutor']
