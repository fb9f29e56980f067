"""Sources of skill packages beyond a folder, and views of them."""

from .base import SkillRegistry
from .local import LocalSkillsRegistry
from .together import sync_all

__all__ = ['LocalSkillsRegistry', 'SkillRegistry', 'sync_all']
