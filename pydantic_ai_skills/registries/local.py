"""A folder on this machine as a registry, so that it can be viewed like any other, or flattened."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ..discovery import Library, skill_file_in
from ..members import Origin
from .stamps import tree_stamp
from .store import Built, Draft
from .stored import StoredRegistry
from .tree import Layout, checked_layout, read_tree, stage_tree
from .work import Progress


class LocalSkillsRegistry(StoredRegistry):
    """Skills from a folder of this machine.

    With the default layout `sync` returns the folder itself, and what is in it is used in place; with
    `layout='tree'` it returns a flat copy of every skill in it, at whatever depth.
    """

    origin: Origin = 'local'

    def __init__(
        self, directory: str | Path, *, layout: Layout = 'library', target_dir: str | Path | None = None
    ) -> None:
        """Nothing is read before `sync`.

        Args:
            directory: The folder; `~` is expanded.
            layout: `'library'`: its immediate children are the packages. `'tree'`: every `SKILL.md` at any depth,
                its own too.
            target_dir: The folder for the store of the flat copy; one in the user's cache folder where `None`.

        Raises:
            TypeError: `directory` is no path.
            ValueError: `layout` is neither, or `target_dir` is given where nothing is copied.
        """
        if not isinstance(directory, (str, Path)):
            raise TypeError(f'directory must be a path, not {directory!r}.')
        super().__init__(target_dir, auto_install=True)
        self.directory = Path(directory)
        """The folder, as given."""
        self.layout: Layout = checked_layout(layout)
        """`'library'` or `'tree'`."""
        if target_dir is not None and layout == 'library':
            raise ValueError("target_dir is for layout='tree'; with layout='library' the folder is used in place.")

    def __repr__(self) -> str:
        layout = '' if self.layout == 'library' else f', layout={self.layout!r}'
        return f'LocalSkillsRegistry({str(self.directory)!r}{layout})'

    def identity(self) -> str:
        """The folder, resolved, and the layout."""
        return json.dumps(['local', str(self._root()), self.layout])

    def library(self, path: Path) -> Library:
        """The folder itself is read like any local library: its links are its owner's."""
        return Library(path, self.origin, from_registry=self.layout == 'tree', source=repr(self))

    def sync(self, *, progress: Progress | None = None) -> Path:
        """The library: the folder, or a flat copy of the tree.

        Args:
            progress: Told of each phase of the copying.

        Raises:
            ValueError: the folder is not there, or is itself a skill and the layout is `'library'`.
            RuntimeError: the copy cannot be made, and there is none from before.
        """
        folder = self._root()
        if not folder.is_dir():
            what = 'is a file, not a folder' if folder.exists() else 'is not there'
            raise ValueError(f'The folder {str(self.directory)!r} of {self!r} {what}.')
        if self.layout == 'tree':
            return super().sync(progress=progress)
        if skill_file_in(folder) is not None:
            raise ValueError(
                f'{str(self.directory)!r} is itself a skill, not a folder of skills. '
                f"Pass its parent {str(folder.parent)!r}, or layout='tree'."
            )
        return folder

    @property
    def _label(self) -> str:
        return self._root().name

    def _root(self) -> Path:
        return Path(os.path.realpath(self.directory.expanduser()))

    def _top(self) -> Library:
        return Library(self._root(), self.origin, source=repr(self))

    def _build(self, draft: Draft, progress: Progress) -> Built | None:
        folder = self._root()
        library = self._top()
        try:
            stamp = tree_stamp(library)
            if draft.previous is not None and draft.previous.revision == stamp:
                return None
            tree = read_tree(library, self._label)
        except OSError as error:
            raise RuntimeError(f'{str(folder)!r} cannot be listed ({error.strerror}).') from None
        return Built(stamp, diagnostics=tuple(stage_tree(tree, draft.start(), progress)))
