"""A folder that somebody has put where a registry's store would be, read as a tree."""

from __future__ import annotations

import json
from pathlib import Path

from ..discovery import Library
from ..members import Origin
from .local import LocalSkillsRegistry
from .stored import StoredRegistry


class InstalledTree(LocalSkillsRegistry):
    """A flat copy of every skill in such a folder. What is in it came from elsewhere, so its links lead nowhere else."""

    origin: Origin = 'remote'

    def __init__(self, directory: Path, owner: StoredRegistry, name: str) -> None:
        """`owner` is the registry that reads it, and `name` what a skill at the top is called."""
        super().__init__(directory, layout='tree')
        self._owner, self._name = owner, name

    def __repr__(self) -> str:
        return repr(self._owner)

    def identity(self) -> str:
        """The folder, and what it is read for."""
        return json.dumps(['installed', str(self._root()), self._owner.identity()])

    @property
    def _label(self) -> str:
        return self._name

    def _top(self) -> Library:
        return Library(self._root(), self.origin, from_registry=True, source=repr(self))
