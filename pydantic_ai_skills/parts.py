"""The three parts that an agent holds: the file tools, the catalog, and one deferred leaf per skill.

Why three, and why these ids, is in `docs/decisions/0001-three-parts.md`: it is what makes one catalog and one pair
of tools of any arrangement, and keeps a run's cost flat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, durable_operation
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AgentToolset, CombinedToolset

from .access import unwrap_entry
from .asking import AnswersLeftRequests
from .entry import SkillEntry
from .finding import SkillFilesOwner, SkillsSource
from .leaves import ByIdentity, Leaves, Visitor
from .outcome import ScriptOutcome, outcome_of, value_of
from .selection import is_selected, selected
from .shown import ShownRequests
from .toolset import DEFAULT_TOOLSET_ID, SkillFilesToolset
from .workflows import is_recorded


class FilesPart(ByIdentity, AnswersLeftRequests, AbstractCapability[AgentDepsT], SkillFilesOwner):
    """Carries the file tools and what a durable engine records."""

    id: str | None = DEFAULT_TOOLSET_ID

    def __init__(self, id: str | None, toolset: SkillFilesToolset, *, asks: bool) -> None:
        """Carry `toolset`, which gets this part as its owner.

        Args:
            id: This part's own id, or `None` for the default.
            toolset: The tools.
            asks: Whether a script that they run may need a person's approval.
        """
        if id is not None:
            self.id = id
        self.toolset = toolset
        self.asks = asks
        toolset.owner = self

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'FilesPart({self.id!r})'

    def get_ordering(self) -> CapabilityOrdering | None:
        """Last, to answer the requests that every handler has left alone; anywhere if there will be none."""
        return CapabilityOrdering(position='innermost') if self.asks else None

    def get_toolset(self) -> AgentToolset[AgentDepsT]:
        """The file tools: always, since a refresh can bring the first file, and always the same object, since durable
        engines know it. It offers a tool only where a skill of the run has a file for it."""
        return self.toolset

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """The last, or the last that asks: the tools of each find the skills of all, so one pair is enough."""
        return next(
            (item for item in reversed(capabilities) if isinstance(item, FilesPart) and item.asks), capabilities[-1]
        )

    async def run_script(
        self,
        ctx: RunContext[Any],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None,
        stdin: str | None,
    ) -> Any:
        """Run a script as an operation that a durable engine records, so that a recovered run does not run it again.

        All of the call is in it, from looking the script up to comparing it with what a person approved: a replay
        touches no file, so nothing that has changed on disk since can lead it elsewhere.
        """
        outcome = await self.perform(ctx, skill_name, script_name, args, stdin)
        if outcome['kind'] == 'approval':
            ShownRequests.remember(ctx, outcome['value'])
        return value_of(outcome)

    @durable_operation(name='run_skill_script')
    async def perform(
        self,
        ctx: RunContext[AgentDepsT],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None,
        stdin: str | None,
    ) -> ScriptOutcome:
        """The recorded operation: plain data in and out."""
        call = self.toolset.run_member(ctx, skill_name, script_name, args, stdin)
        return await outcome_of(call, recorded=is_recorded(ctx))


class CatalogPart(ByIdentity, AbstractCapability[AgentDepsT], SkillsSource):
    """Holds the leaves. One container for all of them, since a run's cost is quadratic in an agent's direct capabilities."""

    id: str | None = f'{DEFAULT_TOOLSET_ID}_catalog'

    def __init__(self, id: str | None, leaves: Leaves, shown: Sequence[AbstractCapability[AgentDepsT]] | None = None):
        """Hold `leaves`, or of them those that are `shown`; `id` is this part's own, or `None` for the default."""
        if id is not None:
            self.id = id
        self.leaves = leaves
        self.shown = leaves.current() if shown is None else tuple(shown)

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'CatalogPart({self.id!r}, {len(self.shown)} skills)'

    @property
    def entries(self) -> Mapping[str, SkillEntry]:
        """The skills of the newest snapshot, whatever the agent was made with."""
        entries = map(unwrap_entry, self.leaves.current())
        return {entry.name: entry for entry in entries if entry is not None}

    async def selects(self, ctx: RunContext[Any], entry: SkillEntry) -> bool:
        """Whether the host's predicate lets the skill into the run."""
        return await is_selected(self.leaves.state.select, ctx, entry)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """This, or a copy with the skills that a newer snapshot has or that the run's selection leaves."""
        await self.leaves.state.keep_fresh(ctx)
        current = self.leaves.current()
        shown = await selected(self.leaves.state.select, ctx, current)
        same = len(shown) == len(self.shown) and all(new is old for new, old in zip(shown, self.shown, strict=True))
        return self if same else CatalogPart[AgentDepsT](self.id, self.leaves, shown)

    @cached_property
    def _brought(self) -> AgentToolset[AgentDepsT] | None:
        toolsets = [entry.toolset for leaf in self.shown if (entry := unwrap_entry(leaf)) is not None and entry.toolset]
        return CombinedToolset(toolsets) if toolsets else None

    def get_toolset(self) -> AgentToolset[AgentDepsT] | None:
        """The tools that skills in Python bring: a leaf's own toolset would never be collected."""
        return self._brought

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Visit this and each leaf."""
        visitor(self)
        for leaf in self.shown:
            visitor(leaf)

    def visit_and_replace(self, visitor: Visitor[AgentDepsT]) -> AbstractCapability[AgentDepsT] | None:
        """Self first: what replaces it replaces the whole. Then the leaves; `None` when none is left."""
        if (replacement := visitor(self)) is not self:
            return replacement
        after = [visitor(leaf) for leaf in self.shown]
        if all(new is old for new, old in zip(after, self.shown, strict=True)):
            return self
        for leaf, new in zip(self.shown, after, strict=True):
            # Across layers the framework replaces without asking `combine`, so this is where it shows.
            if new is None and (entry := unwrap_entry(leaf)) is not None:
                self.leaves.state.warn_replaced(entry, None)
        shown = [leaf for leaf in after if leaf is not None]
        return CatalogPart[AgentDepsT](self.id, self.leaves, shown) if shown else None

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """One catalog of all leaves; of two with one name the later, with a warning."""
        last = capabilities[-1]
        assert isinstance(last, CatalogPart)
        shown: dict[str | None, AbstractCapability[AgentDepsT]] = {}
        for catalog in capabilities:
            assert isinstance(catalog, CatalogPart)
            for leaf in catalog.shown:
                earlier, entry = shown.get(leaf.id), unwrap_entry(leaf)
                if earlier is not None and entry is not None and (before := unwrap_entry(earlier)) is not None:
                    last.leaves.state.warn_replaced(before, entry)
                shown[leaf.id] = leaf
        return CatalogPart[AgentDepsT](last.id, last.leaves, tuple(shown.values()))
