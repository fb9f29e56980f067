"""Places to run a skill's scripts. Each is imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_exports

if TYPE_CHECKING:
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

_MODULES = {
    'BubblewrapScriptExecutor': 'bubblewrap',
    'CallableSkillScriptExecutor': 'callable',
    'ExecutorChoice': 'routing',
    'LocalSkillScriptExecutor': 'local',
    'RoutingScriptExecutor': 'routing',
    'WorkspaceScriptExecutor': 'workspace',
    'as_executor': 'routing',
    'may_stage': 'routing',
    'staged_directory': 'routing',
}

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
