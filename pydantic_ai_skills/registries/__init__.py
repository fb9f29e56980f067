"""Sources of skill packages beyond a folder, and views of them."""

from .base import SkillRegistry
from .combined import CombinedRegistry
from .filtered import FilteredRegistry
from .generation import Generation
from .git import GitCloneOptions, GitSkillsRegistry
from .local import LocalSkillsRegistry
from .prefixed import PrefixedRegistry
from .renamed import RenamedRegistry
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
    'SkillRegistry',
    'WrapperRegistry',
    'sync_all',
    'sync_all_async',
]
