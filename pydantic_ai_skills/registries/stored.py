"""What registries that keep generations have in common: their store, the way back when a source is away, warnings."""

from __future__ import annotations

import errno
import os
import time
import warnings
from abc import abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..diagnostics import SkillDiagnostic
from ..discovery import skill_file_in
from .base import SkillRegistry
from .generation import Generation
from .places import ANOTHER_PLACE, default_store, temporary_store
from .store import Built, Draft, Store
from .telling import tell
from .tree import Layout
from .work import Progress, silent

_UNITS = (('day', 86_400), ('hour', 3_600), ('minute', 60), ('second', 1))


class StoredRegistry(SkillRegistry):
    """A registry whose library is a generation in a store."""

    layout: Layout = 'library'
    """Whether packages are the immediate children of the source, or anywhere in it."""

    _shares_checks = False
    """Whether a sync may take the result of another process that asked the source while this one waited."""

    _verifies_always = False
    """Whether each sync compares the files in use with what was fetched."""

    def __init__(self, target_dir: str | Path | None, auto_install: bool) -> None:
        if target_dir is not None and not isinstance(target_dir, (str, Path)):
            raise TypeError(f'target_dir must be a path, not {target_dir!r}.')
        self.target_dir = None if target_dir is None else Path(target_dir)
        """The folder of the store, as given; `None` for one in the user's cache folder."""
        self.auto_install = auto_install
        """Whether `sync` may ask the source; if not, it only reads what is there."""
        self._generation: Generation | None = None
        self._diagnostics: tuple[SkillDiagnostic, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process does not hold the generation: it finds it again, and holds it then.
        return {**vars(self), '_generation': None}

    @abstractmethod
    def identity(self) -> str:
        """What tells this source from every other, without credentials: the store is found, and checked, by it."""

    @abstractmethod
    def _build(self, draft: Draft, progress: Progress) -> Built | None:
        """Fill the draft where the source has something new; errors as `sync`."""

    @property
    def _label(self) -> str:
        """What its store in the cache folder is called, for people."""
        return type(self).__name__

    @property
    def _top_name(self) -> str:
        """What a skill at the very top of the source is called, with `layout='tree'`."""
        return self._label

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """What the last sync noticed: packages and files left out, names mended. Empty before it."""
        return list(self._diagnostics)

    @property
    def generation(self) -> Generation | None:
        """What is in use: revision, when it was made, digest. What the store holds before the first sync, if anything."""
        if self._generation is None:
            return self._store(self._folder()).current()
        return self._generation

    def sync(self, *, progress: Progress | None = None) -> Path:
        """Bring the library up to date and return it; it stays as it is for the life of this process.

        Where the source cannot be reached and there is a generation from before, that is used, with a warning that
        says how old it is.

        Args:
            progress: Told of each phase, how much of it is done, and how much there is.

        Raises:
            RuntimeError: the network or a tool failed, and there is nothing from before.
            ValueError: the source has no such path or reference, or the store's folder is somebody else's.
        """
        if not self.auto_install:
            return self._installed()
        asked = time.time() if self._shares_checks else None
        store = self._writable_store()
        try:
            generation = store.update(lambda draft: self._build(draft, progress or silent), asked=asked)
        except (ValueError, TypeError):
            raise
        except (RuntimeError, OSError) as error:
            cause = _cause(error)
        else:
            return self._use(generation)
        # Out of the handler: nothing that the failed step had in its hands is part of what is raised here.
        generation = store.current() or self._store(self._folder()).current()
        if generation is None:
            raise RuntimeError(f'{self!r} could not be synced, and nothing from before is there to use: {cause}')
        warnings.warn(
            f'{self!r} could not be synced: {cause} Using what was fetched {_age(generation.when)} ago.',
            UserWarning,
            stacklevel=2,
        )
        return self._use(generation)

    def _use(self, generation: Generation) -> Path:
        known, self._generation = self._generation, generation
        self._diagnostics = generation.diagnostics
        if known is None or known.folder != generation.folder:
            tell(self._diagnostics)
        return generation.library

    def _folder(self) -> Path:
        if self.target_dir is not None:
            return Path(os.path.realpath(self.target_dir.expanduser()))
        return default_store(self.identity(), self._label)

    def _store(self, folder: Path, base: Store | None = None) -> Store:
        return Store(folder, self.identity(), verify_always=self._verifies_always, base=base)

    def _writable_store(self) -> Store:
        folder = self._folder()
        store = self._store(folder)
        if self.target_dir is None and not _can_write(folder):
            try:
                return self._store(temporary_store(self.identity()), base=store)
            except OSError:  # nowhere to write at all, which the attempt to will tell
                return store
        return store

    def _installed(self) -> Path:
        """What is there, without asking anybody: a store's generation, or a folder of skills that somebody put there."""
        folder = self._folder()
        store = self._store(folder)
        shown = f'{str(folder)!r}, which {self!r} is to read without asking the source (auto_install=False),'
        if store.is_ours:
            if (generation := store.current(any_source=True)) is None:
                raise ValueError(f'{shown} holds no library yet. Sync it once with auto_install=True.')
            if store.current() is None:
                warnings.warn(
                    f'{shown} was made from another source, path or reference; it is used all the same.',
                    UserWarning,
                    stacklevel=3,
                )
            return self._use(generation)
        try:
            empty = not any(folder.iterdir())
        except OSError as error:
            raise ValueError(f'{shown} is not there ({error.strerror}). Sync it once with auto_install=True.') from None
        if empty:
            raise ValueError(f'{shown} is empty. Sync it once with auto_install=True.')
        library = self._plain_library(folder)
        if self.layout == 'tree':
            from .installed import InstalledTree

            tree = InstalledTree(library, self, self._top_name)
            flat = tree.sync()
            self._diagnostics = tuple(tree.diagnostics)
            return flat
        if skill_file_in(library) is not None:
            raise ValueError(
                f'{shown} is itself a skill, not a folder of skills. Pass its parent {str(folder.parent)!r}.'
            )
        return library

    def _plain_library(self, folder: Path) -> Path:
        """Where the library is in a folder that no registry has made."""
        return folder


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _cause(error: BaseException) -> str:
    if isinstance(error, OSError):
        where = f' {str(error.filename)!r}' if error.filename else ''
        room = 'Free the disk. ' if error.errno in (errno.ENOSPC, errno.EDQUOT) else ''
        return f'the store cannot be written:{where} {error.strerror or error}. {room}{ANOTHER_PLACE}'
    return str(error)


def _age(when: datetime) -> str:
    seconds = max(0.0, (datetime.now(UTC) - when).total_seconds())
    unit, length = next(pair for pair in _UNITS if seconds >= pair[1] or pair[1] == 1)
    count = int(seconds // length)
    return f'{count} {unit}{"" if count == 1 else "s"}'
