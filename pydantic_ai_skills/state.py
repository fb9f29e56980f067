"""The snapshot that a capability and all its copies on agents share, and what each of them saw replaced."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .diagnostics import SkillDiagnostic
from .entry import SkillEntry
from .info import SkillInfo


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that a capability knew at one moment: names, descriptions and bodies; files come later."""

    entries: Mapping[str, SkillEntry]
    """The skills that the model can load, by id, in the catalog's order."""

    skills: tuple[SkillInfo, ...] = ()
    """Every selected skill, those that only a person may invoke too, sorted by name."""

    diagnostics: tuple[SkillDiagnostic, ...] = ()
    """What was noticed."""

    @property
    def has_files(self) -> bool:
        """Whether any skill has a file that the capability offers; it stops looking at the first."""
        return any(entry.has_files for entry in self.entries.values())


class SkillsState:
    """Where the snapshot is. Replaced in one step, so that a reader has the old one or the new one, whole."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Begin with `snapshot`."""
        self.snapshot = snapshot
        self._warned: set[tuple[str, str | None, str | None]] = set()

    def warn_replaced(self, replaced: SkillEntry, kept: SkillEntry | None) -> None:
        """Warn, once, that of two skills with one name another one is used; not where they are the same package."""
        places = (replaced.info.source, None if kept is None else kept.info.source)
        key = (replaced.name, *places)
        if key in self._warned or (kept is not None and _same_package(replaced, kept)):
            return
        self._warned.add(key)
        by = 'by that of another capability of the run' if kept is None else f'by the one of {_place(kept)}'
        warnings.warn(
            f'The skill {replaced.name!r} of {_place(replaced)} is replaced {by}. '
            'Rename or exclude one of them to have both.',
            UserWarning,
            stacklevel=3,
        )


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


EMPTY: Mapping[str, SkillEntry] = MappingProxyType({})
SnapshotMaker = Callable[[], Snapshot]
"""Reads everything anew."""
