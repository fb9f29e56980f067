"""A store: generations of one library, of which one is current, swapped in one step and never changed afterwards.

    <store>/pydantic-ai-skills-store   says that the folder is ours
    <store>/lock                       held by whoever syncs
    <store>/current                    the name of the generation in use, replaced by one rename
    <store>/checked                    when the source was last asked, and for which generation
    <store>/generations/<name>/        generation.json, lease, library/, and what a source keeps for the next time

Whatever ends a sync, `current` names a generation that is complete: the old one until the rename, the new one from
then on. A generation that is not current goes when no living process holds its lease.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..diagnostics import SkillDiagnostic
from .durability import flush, flush_tree, replace_file
from .generation import LEASE, LIBRARY, Generation, read_record, write_record
from .leases import claim, hold
from .work import check_cancelled

MARKER = 'pydantic-ai-skills-store'
_NOT_CONTENT = ('lost+found', '.DS_Store')  # of a volume's top folder, and of one that somebody has looked at
LOCK_PATIENCE = 600.0
"""Seconds to wait for another process that syncs the same store: as long as the slowest sync that is no accident."""

_verified: dict[Path, tuple[int, int]] = {}
_locked_by_us: ContextVar[frozenset[Path]] = ContextVar('pydantic_ai_skills_locked_stores', default=frozenset())


@dataclass
class Draft:
    """A generation to be, for a source to fill; nobody sees it before it is complete."""

    folder: Path
    """Where it is made; what a source leaves here beside the library it finds again in `previous.folder`."""

    previous: Generation | None
    """The generation in use, if it is of the same source and complete."""

    def start(self) -> Path:
        """Make the folders and return the one for the library: called by a source that has found something new."""
        self.library.mkdir(parents=True)
        (self.folder / LEASE).touch()
        return self.library

    def clear(self) -> None:
        """Throw away what has been made so far, to start again."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def library(self) -> Path:
        """The folder to be filled with packages."""
        return self.folder / LIBRARY


@dataclass(frozen=True)
class Built:
    """What a source says of the generation that it has filled."""

    revision: str
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    diagnostics: tuple[SkillDiagnostic, ...] = ()


Build = Callable[[Draft], Built | None]
"""Fills a draft, or returns `None` where `draft.previous` is what the source has now."""


class Store:
    """The store in one folder, for one source."""

    def __init__(self, folder: Path, identity: str, *, verify_always: bool = False, base: Store | None = None) -> None:
        """Nothing is read or written yet.

        Args:
            folder: The store's folder, absolute.
            identity: What tells the source from others; a generation of another source is never used.
            verify_always: Whether to compare all files with the record whenever the generation is read. If not, it is
                done once a process, and again when a package comes or goes. Measured: 8 ms for 1,000 files.
            base: One that cannot be written, whose generation is used as long as there is none here.
        """
        self.folder = folder
        self.identity = identity
        self._verify_always = verify_always
        self._base = base
        self._generations = folder / 'generations'

    @property
    def is_ours(self) -> bool:
        """Whether the folder is a store."""
        return (self.folder / MARKER).is_file()

    def current(self, *, any_source: bool = False) -> Generation | None:
        """The generation in use, held for the life of this process; `None` where there is none that is complete."""
        for _ in range(10):  # another process may swap and sweep between two steps
            if (name := self._current_name()) is None:
                return None
            folder = self._generations / name
            generation = self._read(folder, None if any_source else self.identity)
            if generation is not None and hold(folder):
                return generation
            if name == self._current_name():
                return generation  # broken; or where files cannot be locked, which is no reason not to read them
        return None

    def update(self, build: Build, *, asked: float | None = None) -> Generation:
        """Bring the store up to date and return its generation, held for the life of this process.

        Args:
            build: Fills a draft where there is something new.
            asked: When this was asked for (`time.time()`): if another process or thread has looked since then, its
                result is taken. `None` looks in any case.

        Raises:
            ValueError: the folder is not ours and not empty.
            OSError: the store cannot be written.
            RuntimeError: another process keeps it locked.
        """
        self._own()
        with self._locked():
            self._clear_way()
            # Not held: while we have the lock nobody removes it, and if it is replaced it may go.
            name = self._current_name()
            previous = None if name is None else self._read(self._generations / name, self.identity)
            if previous is None and self._base is not None:
                previous = self._base.current()
            if previous is not None and asked is not None and self._checked_since(asked, previous):
                hold(previous.folder)
                return previous
            started = time.time()
            draft = Draft(self._generations / _new_name(), previous)
            try:
                built = build(draft)
                generation = previous if built is None else self._commit(draft, built)
                if generation is None:
                    raise AssertionError('a source found nothing new, and there is nothing old')
            except BaseException:
                if self._current_name() != draft.folder.name:  # not if it came between the rename and the return
                    shutil.rmtree(draft.folder, ignore_errors=True)
                raise
            hold(generation.folder)
            self._note_check(started, generation)
            self._sweep(generation)
            return generation

    def _own(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValueError(f'{str(self.folder)!r} cannot be a store: it, or a parent of it, is a file.') from None
        if self.is_ours:
            return
        with os.scandir(self.folder) as scan:
            entries = [entry.name for entry in scan if entry.name not in _NOT_CONTENT]
        # An empty marker is a whole one, so there is no moment at which a killed process leaves half of it.
        if entries and not self.is_ours:
            raise ValueError(
                f'The folder {str(self.folder)!r} is not empty and was not made by a registry, so it is left alone. '
                'Choose an empty or a new one, or pass auto_install=False to read the skills that are in it.'
            )
        (self.folder / MARKER).touch()

    def _clear_way(self) -> None:
        """Remove what is of another kind than it should be: no write would ever get past it."""
        for name in ('current', 'current.new', 'checked', 'checked.new'):
            if (path := self.folder / name).is_dir() and not path.is_symlink():
                shutil.rmtree(path)
        if os.path.lexists(self._generations) and not self._generations.is_dir():
            self._generations.unlink()

    @contextmanager
    def _locked(self) -> Generator[None]:
        if self.folder in (outer := _locked_by_us.get()):
            raise ValueError(f'A view and what it is made of cannot both have their store in {str(self.folder)!r}.')
        lock = FileLock(self.folder / 'lock', thread_local=False)
        until = time.monotonic() + LOCK_PATIENCE
        while True:
            check_cancelled()
            try:
                lock.acquire(timeout=0.25, poll_interval=0.02)
                break
            except Timeout:
                if time.monotonic() > until:
                    raise RuntimeError(
                        f'another process has kept the store {str(self.folder)!r} locked for {LOCK_PATIENCE:.0f} s; '
                        'end it, or choose another target_dir'
                    ) from None
        token = _locked_by_us.set(outer | {self.folder})
        try:
            yield
        finally:
            _locked_by_us.reset(token)
            lock.release()

    def _current_name(self) -> str | None:
        try:
            name = (self.folder / 'current').read_text(encoding='utf-8').strip()
        except (OSError, ValueError):
            return None
        return name if name.isalnum() else None

    def _read(self, folder: Path, identity: str | None) -> Generation | None:
        try:
            info = os.stat(folder / LIBRARY)
        except OSError:
            return None
        known = (info.st_ino, info.st_mtime_ns)
        generation = read_record(folder, identity, verify=self._verify_always or _verified.get(folder) != known)
        if generation is not None:
            _verified[folder] = known
        return generation

    def _commit(self, draft: Draft, built: Built) -> Generation:
        check_cancelled()
        generation = Generation(
            built.revision, datetime.now(UTC), draft.library, dict(built.details), tuple(built.diagnostics)
        )
        write_record(draft.folder, self.identity, generation)
        flush_tree(draft.folder)
        flush(self._generations)
        replace_file(self.folder / 'current', draft.folder.name)
        info = os.stat(draft.library)
        _verified[draft.folder] = (info.st_ino, info.st_mtime_ns)
        return generation

    def _note_check(self, started: float, generation: Generation) -> None:
        beside = self.folder / 'checked.new'
        try:
            beside.write_text(json.dumps([started, generation.folder.name]))
            os.rename(beside, self.folder / 'checked')
        except OSError:
            pass  # the next one looks for itself

    def _checked_since(self, asked: float, generation: Generation) -> bool:
        try:
            started, name = json.loads((self.folder / 'checked').read_bytes())
            return asked <= started <= time.time() and name == generation.folder.name
        except (OSError, ValueError, TypeError):
            return False

    def _sweep(self, keep: Generation) -> None:
        """Remove the generations that nobody uses, and what killed syncs have left."""
        try:
            with os.scandir(self._generations) as scan:
                folders = [Path(entry.path) for entry in scan if entry.name != keep.folder.name]
        except OSError:
            return
        for folder in folders:
            if (descriptor := claim(folder)) is None:
                continue
            gone = folder if folder.name.endswith('.gone') else folder.with_name(folder.name + '.gone')
            try:
                os.rename(folder, gone)
            except OSError:
                pass
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
            if gone.is_symlink() or gone.is_file():
                gone.unlink(missing_ok=True)
            else:
                shutil.rmtree(gone, ignore_errors=True)


def _new_name() -> str:
    return time.strftime('%Y%m%dT%H%M%S', time.gmtime()) + uuid.uuid4().hex[:8]
