"""What every registry is: something that puts skill packages on disk and says where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..diagnostics import SkillDiagnostic, warn_about
from ..discovery import Library
from ..info import SkillInfo
from ..members import Origin
from .reading import read_infos

if TYPE_CHECKING:
    from .combined import CombinedRegistry
    from .filtered import FilteredRegistry, Predicate
    from .prefixed import PrefixedRegistry
    from .renamed import RenamedRegistry


class SkillRegistry(ABC):
    """A source of skill packages. `sync` is all that one of your own has to define; views come with it.

    `sync` may also take `progress=`, as those of this package do, and is then given it.
    """

    origin: Origin = 'remote'
    """Where its scripts come from, for whoever decides where they may run. Remote unless a class says otherwise."""

    @abstractmethod
    def sync(self) -> Path:
        """Put the packages on disk and return their library: a folder whose immediate children are packages.

        Raises:
            RuntimeError: the network or a tool failed, and there is nothing from before to use.
            ValueError: the source has no such path, or the registry was made with options that cannot work.
        """

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """What the last sync noticed: packages left out, names mended, files that are not there. Empty before it."""
        return []

    def identity(self) -> str | None:
        """What tells this source from every other, without credentials; `None` where nothing does.

        Views keep their store by it, so that another process finds it again. Those of a registry without an identity
        last as long as the process, unless they are given a `target_dir`.
        """
        return None

    def library(self, path: Path) -> Library:
        """How the folder that `sync` returned is to be read: what its links may lead to, and how it is called."""
        return Library(path, self.origin, from_registry=True, source=repr(self))

    def skill_infos(self) -> list[SkillInfo]:
        """Each skill as the catalog has it, by name. Syncs first, so it sees what the source has now.

        A package that is no skill (no UTF-8, no frontmatter, no description) is left out with a warning.
        """
        items = list(read_infos(self.library(self.sync())))
        warn_about((item for item in items if isinstance(item, SkillDiagnostic)), stacklevel=3)
        return sorted((item for item in items if isinstance(item, SkillInfo)), key=lambda info: info.name)

    def skill_names(self) -> list[str]:
        """The ids of its skills, sorted. Syncs first."""
        return [info.name for info in self.skill_infos()]

    def filtered(self, predicate: Predicate) -> FilteredRegistry:
        """A view with only the skills for which `predicate` says yes; see `FilteredRegistry`."""
        from .filtered import FilteredRegistry

        return FilteredRegistry(self, predicate)

    def prefixed(self, prefix: str) -> PrefixedRegistry:
        """A view whose names all begin with `prefix`; see `PrefixedRegistry`."""
        from .prefixed import PrefixedRegistry

        return PrefixedRegistry(self, prefix)

    def renamed(self, name_map: Mapping[str, str]) -> RenamedRegistry:
        """A view in which some skills have other names, `{new: old}`; see `RenamedRegistry`."""
        from .renamed import RenamedRegistry

        return RenamedRegistry(self, name_map)

    def __or__(self, other: SkillRegistry) -> CombinedRegistry:
        """Both together; of two skills with one name the left one is used, with a warning."""
        if not isinstance(other, SkillRegistry):
            return NotImplemented
        from .combined import CombinedRegistry

        return CombinedRegistry([self, other])
