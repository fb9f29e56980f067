"""What a host sees of a capability: its sources, its skills, what was noticed, and a skill as a person invokes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .diagnostics import SkillDiagnostic
from .entry import EntryPackages
from .info import SkillInfo
from .leaves import Leaves
from .names import normalize_name
from .options import SkillsOptions
from .packages import SkillPackage
from .registries import SkillRegistry
from .render import render_entry
from .state import SkillsState


class SkillsView:
    """The part of `SkillsCapability` that applications read; it changes nothing but by `refresh`."""

    _options: SkillsOptions
    _registries: tuple[SkillRegistry, ...]
    _state: SkillsState
    _leaves: Leaves

    @property
    def directories(self) -> tuple[str | Path, ...]:
        """The directories as they were passed."""
        return self._options.directories

    @property
    def registries(self) -> tuple[SkillRegistry, ...]:
        """The registries."""
        return self._registries

    @property
    def include(self) -> frozenset[str] | None:
        """The names to offer, in NFKC; `None` for all."""
        return self._options.include

    @property
    def exclude(self) -> frozenset[str]:
        """The names to leave out, in NFKC."""
        return self._options.exclude

    @property
    def skill_names(self) -> list[str]:
        """The ids of the skills that the model can load, sorted."""
        return sorted(leaf.id for leaf in self._leaves.current() if leaf.id is not None)

    @property
    def packages(self) -> Mapping[str, SkillPackage]:
        """The files of each skill by id; a package is indexed when it is first looked at."""
        entries = self._state.snapshot.entries
        return EntryPackages({name: entries[name] for name in self.skill_names if name in entries})

    @property
    def skills(self) -> tuple[SkillInfo, ...]:
        """What is known of each selected skill, those that only a person may invoke too, sorted by name."""
        return self._state.snapshot.skills

    @property
    def diagnostics(self) -> tuple[SkillDiagnostic, ...]:
        """What was noticed when the sources were read, in the order of libraries and then of names."""
        return self._state.snapshot.diagnostics

    def __repr__(self) -> str:
        """The sources and the selection."""
        return (
            f'SkillsCapability(directories={self.directories!r}, registries={self.registries!r}, '
            f'include={self.include!r}, exclude={self.exclude!r})'
        )

    async def refresh(self) -> bool:
        """Sync the registries and read all sources anew, off the event loop.

        The snapshot is swapped in one step for every agent that has this capability; a run in progress keeps the one
        it began with. A failure warns and keeps the old snapshot.

        Returns:
            Whether anything changed: a skill came, went or changed, or a file of one whose files were looked at.
        """
        return await self._state.refresh()

    def render(self, name: str, arguments: str | None = None) -> str:
        """The instructions that a host sends when a person invokes a skill, as by `/name arguments`.

        Args:
            name: The skill's id; one that only a person may invoke counts too.
            arguments: What the person wrote behind the name: takes the place of `$ARGUMENTS`, or is appended, by
                harness's rules. `None` for the instructions as the model gets them.

        Raises:
            ValueError: there is no such skill.
            TypeError: `name` or `arguments` is no text.
        """
        for option, value in (('name', name), ('arguments', '' if arguments is None else arguments)):
            if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance] - what a web form sent
                raise TypeError(f'{option} must be text, not {value!r}.')
        snapshot = self._state.snapshot
        wanted = normalize_name(name)
        entry = snapshot.entries.get(wanted) or snapshot.hidden.get(wanted)
        if entry is None or wanted in self._leaves.hidden:
            names = ', '.join(info.name for info in snapshot.skills) or 'none'
            raise ValueError(f'There is no skill {name!r}. The skills are: {names}.')
        return render_entry(entry, arguments, with_files=wanted in snapshot.entries)
