"""A folder on this machine as a registry, so that it can be viewed like any other, or flattened."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ..diagnostics import SkillDiagnostic, warn_about
from ..discovery import Library, skill_file_in
from ..members import Origin
from .base import SkillRegistry
from .tree import Layout, checked_layout, read_tree, stage_tree


class LocalSkillsRegistry(SkillRegistry):
    """Skills from a folder of this machine.

    With the default layout `sync` returns the folder itself, and what is in it is used in place; with
    `layout='tree'` it returns a flat copy of every skill in it, at whatever depth.
    """

    origin: Origin = 'local'

    def __init__(self, directory: str | Path, *, layout: Layout = 'library') -> None:
        """Nothing is read before `sync`.

        Args:
            directory: The folder; `~` is expanded.
            layout: `'library'`: its immediate children are the packages. `'tree'`: every `SKILL.md` at any depth,
                its own too.

        Raises:
            ValueError: `layout` is neither.
        """
        self.directory = Path(directory)
        """The folder, as given."""
        self.layout: Layout = checked_layout(layout)
        """`'library'` or `'tree'`."""
        self._diagnostics: list[SkillDiagnostic] = []

    def __repr__(self) -> str:
        layout = '' if self.layout == 'library' else f', layout={self.layout!r}'
        return f'LocalSkillsRegistry({str(self.directory)!r}{layout})'

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """What the last sync left out; empty before it, and with the default layout, which leaves nothing out."""
        return list(self._diagnostics)

    def library(self, path: Path) -> Library:
        """The folder itself is read like any local library: its links are its owner's."""
        return Library(path, self.origin, from_registry=self.layout == 'tree', source=repr(self))

    def sync(self) -> Path:
        """The library: the folder, or a flat copy of the tree.

        Raises:
            ValueError: the folder is not there, or is itself a skill and the layout is `'library'`.
        """
        folder = Path(os.path.realpath(self.directory.expanduser()))
        if not folder.is_dir():
            what = 'is a file, not a folder' if folder.exists() else 'is not there'
            raise ValueError(f'The folder {str(self.directory)!r} of {self!r} {what}.')
        if self.layout == 'tree':
            return self._flat_copy(folder)
        if skill_file_in(folder) is not None:
            raise ValueError(
                f'{str(self.directory)!r} is itself a skill, not a folder of skills. '
                f"Pass its parent {str(folder.parent)!r}, or layout='tree'."
            )
        return folder

    def _flat_copy(self, folder: Path) -> Path:
        tree = read_tree(Library(folder, self.origin, source=repr(self)), folder.name)
        target = Path(tempfile.mkdtemp(prefix='skills-'))
        try:
            self._diagnostics = stage_tree(tree, target)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        warn_about(self._diagnostics)
        return target
