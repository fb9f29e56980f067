"""The snapshot that a capability and all its copies on agents share, and how it is renewed."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock, Thread
from typing import Any

from pydantic_ai import RunContext

from .diagnostics import SkillDiagnostic, warn_about
from .entry import SkillEntry
from .info import SelectSkill, SkillInfo
from .tracing import tracer
from .workflows import is_durable


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that a capability knew at one moment: names, descriptions and bodies; files come later."""

    entries: Mapping[str, SkillEntry]
    """The skills that the model can load, by id, in the catalog's order."""

    skills: tuple[SkillInfo, ...] = ()
    """Every selected skill, those that only a person may invoke too, sorted by name."""

    diagnostics: tuple[SkillDiagnostic, ...] = ()
    """What was noticed."""

    hidden: Mapping[str, SkillEntry] = field(default_factory=dict[str, SkillEntry])
    """The selected skills that only a person may invoke, by id."""

    @property
    def has_files(self) -> bool:
        """Whether any skill has a file that the capability offers; it stops looking at the first."""
        return any(entry.has_files for entry in self.entries.values())


class SkillsState:
    """Where the snapshot is. Replaced in one step, so that a reader has the old one or the new one, whole."""

    def __init__(
        self, read: Callable[[bool], Snapshot], *, select: SelectSkill | None = None, refresh_every: float | None = None
    ) -> None:
        """Make the first snapshot by `read`; what it raises passes through.

        Args:
            read: Reads all sources; its argument is whether they have been read before.
            select: The host's predicate for each run, or `None`.
            refresh_every: Seconds after which a run that starts waits for a newer snapshot; `None` for never.
        """
        self.select = select
        self.refresh_every = refresh_every
        self._read = read
        self.snapshot = read(False)
        self._read_at = time.monotonic()
        self._reading = Lock()  # held by the one refresh that runs
        self._guard = Lock()  # for the two below
        self._running: Future[bool] | None = None
        self._waiting: Future[bool] | None = None
        self._compared: set[tuple[str, str, str | None]] = set()

    async def refresh(self) -> bool:
        """Read everything anew, off the event loop; whether anything changed. A failure warns and keeps the old.

        Callers that wait share one refresh, one that begins after they asked: an earlier one that is still running
        may have passed what they want to see.
        """
        with self._guard:
            shared = self._next()
        return await asyncio.shield(asyncio.wrap_future(shared))

    async def keep_fresh(self, ctx: RunContext[Any]) -> None:
        """Wait for one refresh, shared by all who find the snapshot too old; never inside a durable run."""
        # First the engine: a workflow may not even look at the clock.
        if self.refresh_every is None or is_durable(ctx) or not self._is_old():
            return
        with self._guard:
            if not self._is_old():
                return
            shared = self._running or self._next()
        await asyncio.shield(asyncio.wrap_future(shared))

    def _is_old(self) -> bool:
        return self.refresh_every is not None and time.monotonic() - self._read_at >= self.refresh_every

    def _next(self) -> Future[bool]:
        """The refresh that begins next; called with the guard held."""
        if self._waiting is None:
            shared: Future[bool] = Future()
            shared.set_running_or_notify_cancel()  # nobody who waits can cancel it for the others
            # A thread of its own: the refresh outlives who began it, and serves other event loops.
            work = partial(copy_context().run, self._renew_into, shared)
            Thread(target=work, name='skills-refresh', daemon=True).start()
            self._waiting = shared
        return self._waiting

    def _renew_into(self, shared: Future[bool]) -> None:
        with self._reading:
            with self._guard:
                self._running, self._waiting = shared, None
            try:
                with tracer().start_as_current_span('refresh skills') as span:
                    changed = self._renew()
                    span.set_attribute('pydantic_ai_skills.changed', changed)
                shared.set_result(changed)
            except BaseException as error:
                shared.set_exception(error)
            finally:
                with self._guard:
                    self._running = None

    def _renew(self) -> bool:
        before = self.snapshot
        try:
            after = self._read(True)
        except Exception as error:
            # Old skills are better than none, and what was wrong may mend itself before the next time.
            self._read_at = time.monotonic()
            warnings.warn(
                f'The skills could not be refreshed, those of before stay: {error}', UserWarning, stacklevel=2
            )
            return False
        self._read_at = time.monotonic()
        entries = {name: _kept(before.entries.get(name), entry) for name, entry in after.entries.items()}
        hidden = {name: _kept(before.hidden.get(name), entry) for name, entry in after.hidden.items()}
        if (
            list(entries.items()) == list(before.entries.items())
            and list(hidden.items()) == list(before.hidden.items())
            and after.diagnostics == before.diagnostics
        ):
            return False
        self.snapshot = replace(after, entries=entries, hidden=hidden)
        known = set(before.diagnostics)
        warn_about(found for found in after.diagnostics if found not in known)
        return True

    def warn_replaced(self, replaced: SkillEntry, kept: SkillEntry | None) -> None:
        """Warn, once, that of two skills with one name another one is used; not where they are the same package."""
        key = (replaced.name, _place(replaced), None if kept is None else _place(kept))
        if key in self._compared:
            return
        self._compared.add(key)  # first: two digests for each run would cost more than the run
        if kept is not None and _same_package(replaced, kept):
            return
        by = 'by that of another capability of the run' if kept is None else f'by the one of {_place(kept)}'
        warnings.warn(
            f'The skill {replaced.name!r} of {_place(replaced)} is replaced {by}. '
            'Rename or exclude one of them to have both.',
            UserWarning,
            stacklevel=3,
        )


def _kept(before: SkillEntry | None, after: SkillEntry) -> SkillEntry:
    return before if before is not None and before.is_still(after) else after


def _place(entry: SkillEntry) -> str:
    return str(entry.info.directory or entry.info.source or 'Python')


def _same_package(one: SkillEntry, other: SkillEntry) -> bool:
    if one is other or one.info.directory is None or other.info.directory is None:
        return one is other
    if one.info.directory == other.info.directory:
        return True
    try:
        return one.info.digest == other.info.digest
    except OSError:
        return False
