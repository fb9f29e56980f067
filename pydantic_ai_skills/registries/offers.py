"""What a registry has for a view: packages by name, each with a way to its files. Views pass on what they are offered.

A view of a view is worked out in memory and staged once, by the outermost: nothing is copied in between, and each
source is synced once however often it occurs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

from ..catalog import read_catalog
from ..diagnostics import SkillDiagnostic
from ..discovery import Library
from ..info import SkillInfo
from .base import SkillRegistry
from .reading import PackageText, read_packages
from .stamps import library_stamp
from .stored import StoredRegistry
from .together import sync_registry
from .work import Progress, check_cancelled


class SourceChanged(RuntimeError):
    """What a source has offered is not there any more: somebody writes to it at this moment."""


@dataclass(frozen=True)
class Offered:
    """One package that a view may take."""

    name: str
    """What it is called here."""

    package: PackageText
    """The package in its source; of one whose files are still far away, only the `SKILL.md` is there."""

    source: str
    """The registry it comes from, to show."""

    bring: Callable[[Sequence[Offered]], list[Offered]] | None = field(default=None, compare=False)
    """Fetches the files of packages that are still far away; `None` for one that is here."""

    @property
    def renamed(self) -> bool:
        """Whether it is called something else in its source."""
        return self.name != self.package.name


@dataclass(frozen=True)
class Contents:
    """The packages of an offer, and what was left out on the way."""

    packages: Sequence[Offered]
    diagnostics: Sequence[SkillDiagnostic] = ()


class Offer:
    """What a registry has to offer now. Its packages are read only when somebody asks for them."""

    def __init__(self, stamp: str, read: Callable[[], Contents]) -> None:
        """`stamp` changes whenever anything in the offer does; `read` finds out what is in it."""
        self.stamp = stamp
        self._read = read

    @cached_property
    def contents(self) -> Contents:
        """The packages, no two of one name, and diagnostics."""
        return self._read()


@runtime_checkable
class Offering(Protocol):
    """A registry that can offer its packages itself: the views, and sources that need not fetch all files for it."""

    def offer(self, session: Session) -> Offer:
        """What it has now; errors as `SkillRegistry.sync`."""
        ...


class Session:
    """One sync of a view and all that is below it: each source is synced once in it."""

    def __init__(self, scratch: Path, progress: Progress, narrowed: Collection[int]) -> None:
        """Nothing is synced yet.

        Args:
            scratch: A folder that the next sync of the same view finds again.
            progress: Told of each phase.
            narrowed: The `id()` of each source of which nobody takes all.
        """
        self.scratch = scratch
        self.progress = progress
        self._narrowed = narrowed
        self._offers: dict[int, Offer] = {}
        self._locks: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()

    def is_narrowed(self, registry: SkillRegistry) -> bool:
        """Whether nobody takes all of a source, so that it need not fetch files before it is known which."""
        return id(registry) in self._narrowed

    def offer_of(self, registry: SkillRegistry) -> Offer:
        """What a registry offers; asked once in this session."""
        check_cancelled()
        with self._lock:
            lock = self._locks.setdefault(id(registry), threading.Lock())
        with lock:
            if (known := self._offers.get(id(registry))) is None:
                known = registry.offer(self) if isinstance(registry, Offering) else self.synced(registry)
                self._offers[id(registry)] = known
            return known

    def synced(self, registry: SkillRegistry) -> Offer:
        """Sync a registry and offer what is in its library; errors as there."""
        path = sync_registry(registry, self.progress)
        generation = registry.generation if isinstance(registry, StoredRegistry) else None
        if generation is not None and generation.library == path:
            return library_offer(registry, path, '')  # never changed, so its path says it all
        return library_offer(registry, path, library_stamp(registry.library(path)))


def library_offer(registry: SkillRegistry, path: Path, stamp: str) -> Offer:
    """The offer of a library on disk."""
    library = registry.library(path)

    def read() -> Contents:
        packages: list[Offered] = []
        diagnostics: list[SkillDiagnostic] = []
        for item in read_packages(library):
            if isinstance(item, PackageText):
                packages.append(Offered(item.name, item, repr(registry)))
            else:
                diagnostics.append(item)
        return Contents(packages, diagnostics)

    return Offer(f'{path}\0{stamp}', read)


def judged(packages: Sequence[Offered]) -> tuple[dict[str, SkillInfo], list[SkillDiagnostic]]:
    """The `SkillInfo` of each package that is a skill, by the name it has here, and why the others are none."""
    libraries: list[Library] = []
    for offered in packages:
        if offered.package.found.library not in libraries:
            libraries.append(offered.package.found.library)
    items = {item.found.path: item for item in read_catalog(libraries)}
    infos: dict[str, SkillInfo] = {}
    diagnostics: list[SkillDiagnostic] = []
    for offered in packages:
        item = items.get(offered.package.found.path)
        if item is not None and item.info is not None:
            infos[offered.name] = replace(item.info, name=offered.name, source=offered.source)
        elif item is not None:
            diagnostics += [diagnostic for diagnostic in item.diagnostics if diagnostic.severity == 'error']
    return infos, diagnostics
