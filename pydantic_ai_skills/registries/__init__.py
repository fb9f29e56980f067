"""Sources of skill packages beyond a folder, and views of them.

Each is imported when it is first used: an agent without registries does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_exports

if TYPE_CHECKING:
    from .base import SkillRegistry
    from .combined import CombinedRegistry
    from .filtered import FilteredRegistry
    from .generation import Generation
    from .git import GitCloneOptions, GitSkillsRegistry
    from .local import LocalSkillsRegistry
    from .prefixed import PrefixedRegistry
    from .renamed import RenamedRegistry
    from .s3 import S3SkillsRegistry
    from .together import sync_all, sync_all_async
    from .wrapper import WrapperRegistry

__all__ = [
    'CombinedRegistry',
    'FilteredRegistry',
    'Generation',
    'GitCloneOptions',
    'GitSkillsRegistry',
    'LocalSkillsRegistry',
    'PrefixedRegistry',
    'RenamedRegistry',
    'S3SkillsRegistry',
    'SkillRegistry',
    'WrapperRegistry',
    'sync_all',
    'sync_all_async',
]

_MODULES = {
    'CombinedRegistry': 'combined',
    'FilteredRegistry': 'filtered',
    'Generation': 'generation',
    'GitCloneOptions': 'git',
    'GitSkillsRegistry': 'git',
    'LocalSkillsRegistry': 'local',
    'PrefixedRegistry': 'prefixed',
    'RenamedRegistry': 'renamed',
    'S3SkillsRegistry': 's3',
    'SkillRegistry': 'base',
    'WrapperRegistry': 'wrapper',
    'sync_all': 'together',
    'sync_all_async': 'together',
}

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
