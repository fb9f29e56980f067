"""Which skills the tools of a capability reach: those among the run's capabilities, so that nothing keeps books beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability
from pydantic_ai.exceptions import UserError

from .access import FileUse, SkillAccess, listed_names, unwrap_entry
from .encoding import quoted
from .entry import SkillEntry
from .names import normalize_name


class SkillFilesOwner(ABC):
    """The part of a capability that carries the file tools; the first one of a run offers them for all."""

    @abstractmethod
    async def run_script(
        self,
        ctx: RunContext[Any],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None,
        stdin: str | None,
    ) -> Any:
        """Have the script run as something that a durable engine records, where there is one."""


class SkillsSource(ABC):
    """The part of a capability that has its skills, for a context that does not carry those of the run."""

    @property
    @abstractmethod
    def entries(self) -> Mapping[str, SkillEntry]:
        """The skills by id."""

    @abstractmethod
    async def selects(self, ctx: RunContext[Any], entry: SkillEntry) -> bool:
        """Whether the host's predicate lets the skill into the run."""


def offered_entries(ctx: RunContext[Any], owner: SkillFilesOwner) -> list[SkillEntry]:
    """The skills that the tools of `owner` are for; none where another owner comes first."""
    capabilities = _live_capabilities(ctx)
    if capabilities is None:
        return [entry for source in _sources(ctx) for entry in source.entries.values()]
    first: SkillFilesOwner | None = None
    entries: list[SkillEntry] = []
    for capability in capabilities.values():
        if (entry := unwrap_entry(capability)) is not None:
            entries.append(entry)
        elif first is None and isinstance(part := _unwrapped(capability), SkillFilesOwner):
            first = part
    return entries if first is owner else []


async def find_skill(ctx: RunContext[Any], name: str, use: FileUse) -> SkillEntry:
    """The skill that a call in the run means; errors as `SkillAccess.skill`."""
    capabilities = _live_capabilities(ctx)
    if capabilities is None:
        return await _find_carried(ctx, normalize_name(name.strip()), use)

    def lookup(name: str) -> SkillEntry | None:
        found = capabilities.get(name)
        return None if found is None else unwrap_entry(found)

    return SkillAccess(ctx, lookup, lambda: [entry.name for entry in run_entries(ctx)]).skill(name, use)


async def _find_carried(ctx: RunContext[Any], name: str, use: FileUse) -> SkillEntry:
    """As `find_skill`, where the context tells only which skills are loaded.

    The others may be out of the run, and then nothing may name them. One that need not be loaded is asked for with the
    predicate that selects for the run: it answers as it did when the run began (contract, section 7).
    """
    active = ctx.active_capability_ids
    known: dict[str, SkillEntry] = {}
    for source in _sources(ctx):
        known.update({key: entry for key, entry in source.entries.items() if key in active})
        entry = source.entries.get(name)
        if entry is not None and not entry.options.require_loaded and await source.selects(ctx, entry):
            known[name] = entry
    if name not in known:
        raise ModelRetry(
            f'The skill {quoted(name)} is not loaded. Call `load_capability` with the id of a skill that you were told of, '
            f'then repeat this call. Loaded are: {listed_names(known)}.'
        )
    return SkillAccess(ctx, known.get, lambda: known).skill(name, use)


def run_entries(ctx: RunContext[Any]) -> list[SkillEntry]:
    """The skills of the run, by whatever capability; none where the context does not carry them."""
    capabilities = _live_capabilities(ctx) or {}
    return [entry for item in capabilities.values() if (entry := unwrap_entry(item)) is not None]


def _sources(ctx: RunContext[Any]) -> list[SkillsSource]:
    """Those of the agent, for a context that crossed a process boundary: an engine lets a run add none."""
    found: list[AbstractCapability[Any]] = []
    if ctx.agent is not None:
        ctx.agent.root_capability.apply(found.append)
    return [item for item in map(_unwrapped, found) if isinstance(item, SkillsSource)]


def _unwrapped(capability: AbstractCapability[Any]) -> AbstractCapability[Any]:
    while isinstance(capability, WrapperCapability):
        capability = capability.wrapped
    return capability


def _live_capabilities(ctx: RunContext[Any]) -> Mapping[str, AbstractCapability[Any]] | None:
    """The run's capabilities, or `None` where the context has crossed a process boundary without them."""
    try:
        return ctx.capabilities
    except UserError:
        return None
