"""The snapshot that a capability and all its copies on agents share, and how it is renewed."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from typing import Any

import anyio.to_thread
from pydantic_ai import RunContext

from .approval import ShownRequests
from .diagnostics import SkillDiagnostic, warn_about
from .entry import SkillEntry
from .info import SelectSkill, SkillInfo
from .tracing import tracer


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
        self, read: Callable[[], Snapshot], *, select: SelectSkill | None = None, refresh_every: float | None = None
    ) -> None:
        """Make the first snapshot by `read`; what it raises passes through.

        Args:
            read: Reads all sources.
            select: The host's predicate for each run, or `None`.
            refresh_every: Seconds after which a run that starts waits for a newer snapshot; `None` for never.
        """
        self.select = select
        self.refresh_every = refresh_every
        self.shown_requests = ShownRequests()
        self._read = read
        self.snapshot = read()
        self._read_at = time.monotonic()
        self._refreshing = Lock()
        self._guard = Lock()
        self._shared: Future[bool] | None = None
        self._compared: set[tuple[str, str, str | None]] = set()

    async def refresh(self) -> bool:
        """Read everything anew, off the event loop; whether anything changed. A failure warns and keeps the old."""
        return await anyio.to_thread.run_sync(self._traced_renew)

    async def keep_fresh(self, ctx: RunContext[Any]) -> None:
        """Wait for one refresh, shared by all who find the snapshot too old; never inside a durable run."""
        if self.refresh_every is None or time.monotonic() - self._read_at < self.refresh_every or is_durable(ctx):
            return
        with self._guard:
            shared = self._shared
            if shared is None or shared.done():
                shared = self._shared = Future()
                # A thread of its own: the refresh outlives the run that began it, and serves other event loops.
                Thread(target=self._renew_into, args=(shared,), name='skills-refresh', daemon=True).start()
        await asyncio.shield(asyncio.wrap_future(shared))

    def _renew_into(self, shared: Future[bool]) -> None:
        try:
            shared.set_result(self._traced_renew())
        except BaseException as error:
            shared.set_exception(error)

    def _traced_renew(self) -> bool:
        with tracer().start_as_current_span('refresh skills') as span:
            changed = self._renew()
            span.set_attribute('pydantic_ai_skills.changed', changed)
            return changed

    def _renew(self) -> bool:
        with self._refreshing:
            before = self.snapshot
            try:
                after = self._read()
            except Exception as error:
                # Old skills are better than none, and what was wrong may mend itself before the next time.
                warnings.warn(
                    f'The skills could not be refreshed, those of before stay: {error}', UserWarning, stacklevel=2
                )
                self._read_at = time.monotonic()
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
            known = set(before.diagnostics)
            warn_about(found for found in after.diagnostics if found not in known)
            self.snapshot = replace(after, entries=entries, hidden=hidden)
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


def is_durable(ctx: RunContext[Any]) -> bool:
    """Whether the run is a durable engine's: those give it a clock of their own, which replays."""
    return ctx.agent is not None and ctx.agent.root_capability.get_run_clock() is not None


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
