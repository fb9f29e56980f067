"""The three parts that an agent holds: the file tools, the catalog, and one deferred leaf per skill.

Why three, and why these ids, is in `docs/decisions/0001-three-parts.md`: it is what makes one catalog and one pair
of tools of any arrangement, and keeps a run's cost flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, durable_operation
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AgentToolset, CombinedToolset

from .access import unwrap_entry
from .calls import run_script
from .entry import SkillEntry
from .members import ScriptArguments, SkillScript
from .outcome import ScriptOutcome, outcome_of, value_of
from .state import SkillsState
from .toolset import DEFAULT_TOOLSET_ID, SkillFilesOwner, SkillFilesToolset

Visitor = Callable[[AbstractCapability[AgentDepsT]], AbstractCapability[AgentDepsT] | None]


class SkillLeaf(AbstractCapability[AgentDepsT]):
    """One skill among a run's capabilities: what the model loads. It carries the skill, so nothing else keeps books."""

    id: str | None = 'agent_skill'

    def __init__(self, entry: SkillEntry, state: SkillsState) -> None:
        """Stand for `entry` of a capability's `state`."""
        self.entry = entry
        self.state = state
        self.id = entry.name
        # Continuation lines are indented, so that a description cannot pose as another entry of the catalog.
        self.description = '\n  '.join(entry.info.description.splitlines())
        self.defer_loading = True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'SkillLeaf({self.id!r})'

    def get_instructions(self) -> str:
        """The skill's instructions; worked out once."""
        return self.entry.instructions

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """The later one, with a warning where they differ."""
        kept = capabilities[-1]
        assert isinstance(kept, SkillLeaf)
        for other in capabilities[:-1]:
            assert isinstance(other, SkillLeaf)
            kept.state.warn_replaced(other.entry, kept.entry)
        return kept


class FilesPart(AbstractCapability[AgentDepsT], SkillFilesOwner):
    """Carries the file tools and what a durable engine records."""

    id: str | None = DEFAULT_TOOLSET_ID

    def __init__(self, id: str | None, state: SkillsState, toolset: SkillFilesToolset) -> None:
        """Carry `toolset`, which gets this part as its owner."""
        if id is not None:
            self.id = id
        self.state = state
        self.toolset = toolset
        toolset.owner = self

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """The file tools, `None` where no skill has a file: always the same object, since durable engines know it."""
        return self.toolset if self.state.snapshot.has_files else None

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """The last that has tools: they find the skills of all, so one pair is enough."""
        return next((item for item in reversed(capabilities) if item.get_toolset() is not None), capabilities[-1])

    async def run_script(
        self, ctx: RunContext[Any], entry: SkillEntry, script: SkillScript, args: ScriptArguments, stdin: str | None
    ) -> Any:
        """Run a script as an operation that a durable engine records, so that a recovered run does not run it again."""
        return value_of(await self.perform(ctx, entry.name, script.name, args, stdin))

    @durable_operation(name='run_skill_script')
    async def perform(
        self,
        ctx: RunContext[AgentDepsT],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None,
        stdin: str | None,
    ) -> ScriptOutcome:
        """The recorded operation: plain data in and out, so the script is looked up again by its name."""
        script = await self.toolset.script_for(ctx, skill_name, script_name)
        return await outcome_of(run_script(script, ctx, args, stdin))


class CatalogPart(AbstractCapability[AgentDepsT]):
    """Holds the leaves. One container for all of them, since a run's cost is quadratic in an agent's direct capabilities."""

    id: str | None = f'{DEFAULT_TOOLSET_ID}_catalog'

    def __init__(self, id: str | None, state: SkillsState, leaves: Sequence[AbstractCapability[AgentDepsT]]) -> None:
        """Hold `leaves` of `state`; `id` is the one its user gave the whole capability."""
        if id is not None:
            self.id = f'{id}_catalog'
        self.state = state
        self.leaves = tuple(leaves)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'CatalogPart({self.id!r}, {len(self.leaves)} skills)'

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """The tools that skills in Python bring: a leaf's own toolset would never be collected."""
        toolsets = [
            entry.toolset for leaf in self.leaves if (entry := unwrap_entry(leaf)) is not None and entry.toolset
        ]
        return CombinedToolset(toolsets) if toolsets else None

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Visit this and each leaf."""
        visitor(self)
        for leaf in self.leaves:
            visitor(leaf)

    def visit_and_replace(self, visitor: Visitor[AgentDepsT]) -> AbstractCapability[AgentDepsT] | None:
        """Self first: what replaces it replaces the whole. Then the leaves; `None` when none is left."""
        if (replacement := visitor(self)) is not self:
            return replacement
        leaves = visit_leaves(self.leaves, visitor)
        if leaves is None:
            return self
        kept = {leaf.id for leaf in leaves}
        for leaf in self.leaves:
            # Across layers the framework replaces without asking `combine`, so this is where it shows.
            if leaf.id not in kept and (entry := unwrap_entry(leaf)) is not None:
                self.state.warn_replaced(entry, None)
        return self.with_leaves(leaves) if leaves else None

    def with_leaves(self, leaves: Sequence[AbstractCapability[AgentDepsT]]) -> CatalogPart[AgentDepsT]:
        """A copy of its own type with other leaves."""
        copy = CatalogPart[AgentDepsT](None, self.state, leaves)
        copy.id = self.id
        return copy

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """One catalog of all leaves; of two with one name the later, with a warning."""
        last = capabilities[-1]
        assert isinstance(last, CatalogPart)
        leaves: dict[str | None, AbstractCapability[AgentDepsT]] = {}
        for catalog in capabilities:
            assert isinstance(catalog, CatalogPart)
            for leaf in catalog.leaves:
                earlier, entry = leaves.get(leaf.id), unwrap_entry(leaf)
                if earlier is not None and entry is not None and (before := unwrap_entry(earlier)) is not None:
                    last.state.warn_replaced(before, entry)
                leaves[leaf.id] = leaf
        return last.with_leaves(tuple(leaves.values()))


def visit_leaves(
    leaves: Iterable[AbstractCapability[AgentDepsT]], visitor: Visitor[AgentDepsT]
) -> tuple[AbstractCapability[AgentDepsT], ...] | None:
    """The leaves after a visit, without those that were taken out; `None` when nothing changed."""
    before = tuple(leaves)
    after = tuple(visitor(leaf) for leaf in before)
    if all(new is old for new, old in zip(after, before, strict=True)):
        return None
    return tuple(leaf for leaf in after if leaf is not None)
