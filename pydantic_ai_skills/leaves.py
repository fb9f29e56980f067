"""One deferred leaf per skill, and the set of them that follows the capability's snapshot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import AgentDepsT

from .access import unwrap_entry
from .entry import SkillEntry
from .state import SkillsState, Snapshot

Visitor = Callable[[AbstractCapability[AgentDepsT]], AbstractCapability[AgentDepsT] | None]


class ByIdentity:
    """Makes a capability equal only to itself: as a dataclass it would equal any of its id."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class SkillLeaf(ByIdentity, AbstractCapability[AgentDepsT]):
    """One skill among a run's capabilities: what the model loads. It carries the skill, so nothing else keeps books."""

    id: str | None = 'agent_skill'

    def __init__(self, entry: SkillEntry, state: SkillsState) -> None:
        """Stand for `entry` of a capability's `state`."""
        self.entry = entry
        self.state = state
        self.id = entry.name
        self.description = entry.catalog_text
        self.defer_loading = True
        self.is_merged = False
        """Whether the framework has just found another leaf of this id, which is why it takes this one out."""

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'SkillLeaf({self.id!r})'

    def get_instructions(self) -> str | Callable[[RunContext[AgentDepsT]], Awaitable[str]]:
        """The skill's instructions: worked out once, or for each run where its files are staged in a workspace."""
        return self.entry.instructions if self.entry.staged is None else self._staged_instructions

    async def _staged_instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        assert self.entry.staged is not None
        return self.entry.instructions_with(await self.entry.staged(ctx))

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """The later one, with a warning where they differ."""
        kept = capabilities[-1]
        assert isinstance(kept, SkillLeaf)
        for other in capabilities[:-1]:
            assert isinstance(other, SkillLeaf)
            other.is_merged = True
            kept.state.warn_replaced(other.entry, kept.entry)
        return kept


def _new_leaf(entry: SkillEntry, state: SkillsState) -> AbstractCapability[Any]:
    return SkillLeaf(entry, state)  # `SkillLeaf[Any](…)` takes more than twice as long


class Leaves:
    """The leaves of one place that a capability stands in: those of the newest snapshot, less what was taken out there."""

    def __init__(
        self,
        state: SkillsState,
        removed: frozenset[str] = frozenset(),
        replaced: Mapping[str, AbstractCapability[Any]] = MappingProxyType({}),
        merged: frozenset[str] = frozenset(),
    ) -> None:
        """Follow `state`; `removed` were taken out, `replaced` stand in for a leaf, whatever a later snapshot has.

        `merged` give way to those of another capability of the agent, for as long as that one has them.
        """
        self.state = state
        self._removed = removed
        self._replaced = replaced
        self._merged = merged
        self._made: tuple[Snapshot, tuple[AbstractCapability[Any], ...]] | None = None

    @property
    def hidden(self) -> frozenset[str]:
        """The ids of the skills that this place does not show."""
        return self._removed | self._merged

    @property
    def is_empty(self) -> bool:
        """Whether no skill is left, not even one that gives way to another capability's."""
        return not self.current() and not self._merged

    def current(self) -> tuple[AbstractCapability[Any], ...]:
        """The leaves of the newest snapshot: the same objects for as long as it is the newest."""
        snapshot = self.state.snapshot
        made = self._made
        if made is None or made[0] is not snapshot:
            hidden = self.hidden
            leaves = tuple(
                self._replaced.get(name) or _new_leaf(entry, self.state)
                for name, entry in snapshot.entries.items()
                if name not in hidden
            )
            made = self._made = (snapshot, leaves)
        return made[1]

    @property
    def have_files(self) -> bool:
        """Whether any of these skills has a file that the capability offers; it stops looking at the first."""
        return any((entry := unwrap_entry(leaf)) is not None and entry.has_files for leaf in self.current())

    def again(self) -> Leaves:
        """The same set with leaf objects of its own.

        The framework tells two occurrences of a capability apart by the object, so one leaf object on an agent and
        again on a run would be taken out of both. And it merges anew for each run, so those that gave way when the
        agent was made are back: the other capability may have lost or not selected its own.
        """
        return Leaves(self.state, self._removed, self._replaced)

    def visited(self, visitor: Visitor[Any]) -> Leaves:
        """The set after a visit of each leaf; this very object when nothing changed."""
        before = self.current()
        after = [visitor(leaf) for leaf in before]
        if all(new is old for new, old in zip(after, before, strict=True)):
            return self
        gone = [old for old, new in zip(before, after, strict=True) if new is None]
        merged = {str(leaf.id) for leaf in gone if isinstance(leaf, SkillLeaf) and leaf.is_merged}
        removed = {str(leaf.id) for leaf in gone} - merged
        replaced = {
            str(old.id): new for old, new in zip(before, after, strict=True) if new is not None and new is not old
        }
        visited = Leaves(self.state, self._removed | removed, {**self._replaced, **replaced}, self._merged | merged)
        visited._made = (self.state.snapshot, tuple(leaf for leaf in after if leaf is not None))
        return visited
