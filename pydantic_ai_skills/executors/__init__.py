"""Places to run a skill's scripts."""

from .bubblewrap import BubblewrapScriptExecutor
from .callable import CallableSkillScriptExecutor
from .local import LocalSkillScriptExecutor
from .routing import ExecutorChoice, RoutingScriptExecutor, as_executor, may_stage, staged_directory
from .workspace import WorkspaceScriptExecutor

__all__ = [
    'BubblewrapScriptExecutor',
    'CallableSkillScriptExecutor',
    'ExecutorChoice',
    'LocalSkillScriptExecutor',
    'RoutingScriptExecutor',
    'WorkspaceScriptExecutor',
    'as_executor',
    'may_stage',
    'staged_directory',
]
