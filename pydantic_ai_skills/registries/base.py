"""What every registry is: something that puts skill packages on disk and says where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from ..diagnostics import SkillDiagnostic, warn_about
from ..discovery import Library
from ..info import SkillInfo
from ..members import Origin
from .reading import read_library


class SkillRegistry(ABC):
    """A source of skill packages. `sync` is all that one of your own has to define; views come with it."""

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

    def library(self, path: Path) -> Library:
        """How the folder that `sync` returned is to be read: what its links may lead to, and how it is called."""
        return Library(path, self.origin, from_registry=True, source=repr(self))

    def skill_infos(self) -> list[SkillInfo]:
        """Each skill as its frontmatter describes it, by name. Syncs first, so it sees what the source has now.

        A package that is no skill (no UTF-8, no frontmatter, no description) is left out with a warning.
        """
        items = list(read_library(self.library(self.sync())))
        warn_about(item for item in items if isinstance(item, SkillDiagnostic))
        infos = [item.info for item in items if not isinstance(item, SkillDiagnostic)]
        return sorted(infos, key=lambda info: info.name)

    def skill_names(self) -> list[str]:
        """The ids of its skills, sorted. Syncs first."""
        return [info.name for info in self.skill_infos()]
