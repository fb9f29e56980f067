"""The composition root: sources in, an agent's skills out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic_ai import RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, WrapperCapability
from pydantic_ai.tools import AgentDepsT

from .approval import ApprovalPolicy
from .assemble import assemble
from .diagnostics import warn_about
from .executors import ExecutorChoice, as_executor
from .info import SelectSkill
from .leaves import ByIdentity, Leaves, Visitor
from .members import SkillScriptExecutor
from .options import (
    BinaryResources,
    DuplicateNames,
    MissingDirectories,
    SkillsOptions,
    UnknownNames,
    checked_sequence,
    directory_tuple,
    glob_tuple,
    name_set,
    seconds,
)
from .parts import CatalogPart, FilesPart
from .registries import SkillRegistry
from .registries.together import run_in_thread
from .skills import Skill, SkillWrapper
from .sources import directory_libraries, registry_libraries, warn_about_host
from .state import SkillsState, Snapshot
from .toolset import SkillFilesToolset
from .tracing import tracer
from .view import SkillsView


@dataclass(init=False, repr=False, eq=False)  # agent specs take only dataclasses
class SkillsCapability(SkillsView, ByIdentity, AbstractCapability[AgentDepsT]):
    """Gives an agent skills: from directories, from registries, and from Python.

    The model sees the name and description of each skill, loads one with `load_capability` when a task needs it,
    reads its files with `read_skill_resource` and runs its scripts with `run_skill_script`.

    ```python
    from pydantic_ai import Agent
    from pydantic_ai_skills import SkillsCapability

    agent = Agent('openai:gpt-5', capabilities=[SkillsCapability('skills')])
    ```

    Names, descriptions and bodies are read at construction; a skill's list of files when it is first needed; the
    content of a file whenever it is read.
    """

    def __init__(
        self,
        directories: str | Path | Sequence[str | Path] = (),
        *,
        registries: Sequence[SkillRegistry] = (),
        skills: Sequence[Skill | SkillWrapper[Any]] = (),
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
        script_executor: SkillScriptExecutor | ExecutorChoice | None = None,
        exclude_resources: Sequence[str] | None = None,
        resources: bool = True,
        scripts: bool = True,
        require_loaded: bool = True,
        resolve_skill_dir: bool = True,
        list_bundled_files: bool = True,
        id: str | None = None,
        missing_directories: MissingDirectories = 'error',
        duplicate_names: DuplicateNames = 'error',
        unknown_names: UnknownNames = 'error',
        max_retries: int | None = None,
        strict: bool = False,
        catalog_budget: int | None = None,
        select: SelectSkill | None = None,
        approval: ApprovalPolicy = 'never',
        refresh_every: float | timedelta | None = None,
        binary_resources: BinaryResources = 'describe',
    ) -> None:
        """Sync the registries and read all sources.

        Args:
            directories: Skill libraries, in order of precedence: the **parents** of skill packages. `~` is the home
                folder; a relative path is the process's.
            registries: Sources that put packages on disk first, such as Git or S3; after `directories` in precedence.
            skills: Skills written in Python; they win over packages of their name.
            include: The exact names of the skills to offer; `None` for all. Not together with `exclude`. A package's
                name is its id, and that of its folder where the two differ.
            exclude: The exact names of skills to leave out.
            script_executor: What runs the scripts; `None` for `LocalSkillScriptExecutor()`, which is this host. Or a
                mapping or function of a script's origin: `{'local': …, 'remote': …}` (`'installed'` goes with local).
            exclude_resources: Globs of resources and assets to hide, on top of `DEFAULT_RESOURCE_EXCLUDES`.
            resources: Whether to offer `read_skill_resource`.
            scripts: Whether to offer `run_skill_script`.
            require_loaded: Whether a skill's files stay shut until the model has loaded it.
            resolve_skill_dir: Whether `${SKILL_DIR}` and its other spellings become the skill's folder.
            list_bundled_files: Whether instructions end with the list of the skill's files.
            id: The id of the part that carries the file tools. Needed only to have two capabilities side by side
                that must not merge, such as one for an agent and one that a run adds.
            missing_directories: `'error'`, or `'skip'` to go on without a library that is missing or is none.
            duplicate_names: What two different packages of one name are: an `'error'`, or `'keep_first'` for the
                earlier library's with a warning.
            unknown_names: What a name in `include` or `exclude` is that no source has: an `'error'`, or `'skip'`.
            max_retries: How often the model may get a call of a file tool wrong; `None` for the agent's own setting.
            strict: Whether to leave out a package that needs a repair, instead of mending it in memory.
            catalog_budget: How many characters all descriptions together may have; past it they are shortened evenly
                at word ends. `None` for no limit. Measured: 343 published skills have 142,838.
            select: A function of `(ctx, info)`, sync or async, that is asked at the start of each run whether a skill
                exists for it. What it raises ends the run.
            approval: Which scripts a person must approve: `'never'`, all `'scripts'`, or a function of
                `(ctx, script, args)`, sync or async, that returns `True` to ask. What it raises ends the run.
            refresh_every: Seconds, or a `timedelta`, after which a run that starts waits for the sources to be read
                anew; `None` keeps the first snapshot. Never inside a durable run, which must replay the same.
            binary_resources: What reading an image, PDF, sound or video gives: `'describe'` a line that says what it is,
                or `'attach'` the file too, up to 5 MiB; the same for such files that a script leaves.

        Raises:
            TypeError: an option has a wrong type.
            ValueError: there is no source, a library is none, a name is unknown, or two packages have one name.
            RuntimeError: a registry could not be synced and has nothing from an earlier time.
        """
        if id is not None and (not isinstance(id, str) or not id):
            raise TypeError(f'id must be text or None, not {id!r}.')
        if include is not None and exclude is not None:
            raise ValueError('include and exclude cannot be used together: include already says what is offered.')
        self._options = SkillsOptions(
            directories=directory_tuple(directories),
            include=name_set('include', include),
            exclude=name_set('exclude', exclude) or frozenset(),
            exclude_resources=glob_tuple(exclude_resources),
            resources=resources,
            scripts=scripts,
            require_loaded=require_loaded,
            resolve_skill_dir=resolve_skill_dir,
            list_bundled_files=list_bundled_files,
            missing_directories=missing_directories,
            duplicate_names=duplicate_names,
            unknown_names=unknown_names,
            max_retries=max_retries,
            strict=strict,
            catalog_budget=catalog_budget,
            approval=approval,
            refresh_every=seconds('refresh_every', refresh_every),
            binary_resources=binary_resources,
        )
        if select is not None and not callable(select):
            raise TypeError(f'select must be a function of (ctx, info), not {select!r}.')
        self._registries = checked_sequence('registries', registries, SkillRegistry)
        self._skills = checked_sequence('skills', skills, (Skill, SkillWrapper))
        if not (self._options.directories or self._registries or self._skills):
            raise ValueError('SkillsCapability needs a source: directories, registries or skills.')
        self._executor = as_executor(script_executor)
        self.id = id
        self._state = SkillsState(self._read, select=select, refresh_every=self._options.refresh_every)
        if script_executor is None:
            self._warn_about_host()
        warn_about(self.diagnostics)
        self._leaves = Leaves(self._state)
        self._added_files: FilesPart[AgentDepsT] | None = None

    @classmethod
    async def create(cls, *args: Any, **kwargs: Any) -> SkillsCapability[AgentDepsT]:
        """Construct without blocking the event loop; arguments and errors are the constructor's."""
        return await run_in_thread(partial(cls, *args, **kwargs))

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """The name in an agent spec."""
        return 'SkillsCapability'

    @classmethod
    def from_spec(
        cls,
        *,
        directories: str | list[str] | None = None,
        include: list[str] | None = None,
        exclude: list[str] | None = None,
        exclude_resources: list[str] | None = None,
        resources: bool = True,
        scripts: bool = True,
        require_loaded: bool = True,
        resolve_skill_dir: bool = True,
        list_bundled_files: bool = True,
        id: str | None = None,
        missing_directories: MissingDirectories = 'error',
        duplicate_names: DuplicateNames = 'error',
        unknown_names: UnknownNames = 'error',
        max_retries: int | None = None,
        strict: bool = False,
        catalog_budget: int | None = None,
        approval: Literal['never', 'scripts'] = 'never',
        refresh_every: float | None = None,
        binary_resources: BinaryResources = 'describe',
    ) -> SkillsCapability[Any]:
        """Construct from an agent spec: the options that are plain values, with the constructor's meaning."""
        return cls(
            directories if directories is not None else (),
            include=include,
            exclude=exclude,
            exclude_resources=exclude_resources,
            resources=resources,
            scripts=scripts,
            require_loaded=require_loaded,
            resolve_skill_dir=resolve_skill_dir,
            list_bundled_files=list_bundled_files,
            id=id,
            missing_directories=missing_directories,
            duplicate_names=duplicate_names,
            unknown_names=unknown_names,
            max_retries=max_retries,
            strict=strict,
            catalog_budget=catalog_budget,
            approval=approval,
            refresh_every=refresh_every,
            binary_resources=binary_resources,
        )

    def get_toolset(self) -> SkillFilesToolset | None:
        """A toolset for the files of these skills, or `None` when no skill has a file of an offered kind."""
        return self._new_toolset() if self._leaves.have_files else None

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Visit this where it contributes a toolset, then each leaf."""
        if self._leaves.have_files:
            visitor(self)
        for leaf in self._leaves.current():
            visitor(leaf)

    def visit_and_replace(self, visitor: Visitor[AgentDepsT]) -> AbstractCapability[AgentDepsT] | None:
        """Self first: what replaces it replaces the whole. Then the leaves; `None` when none is left."""
        if self._leaves.have_files and (replacement := visitor(self)) is not self:
            return replacement
        leaves = self._leaves.visited(visitor)
        if leaves is self._leaves:
            return self
        if leaves.is_empty:
            return None
        changed = copy(self)
        changed._leaves = leaves
        return changed

    def for_agent(self, agent: AbstractAgent[AgentDepsT, Any]) -> AbstractCapability[AgentDepsT]:
        """The parts that an agent holds."""
        siblings = _siblings(self, agent)
        if not siblings:
            return self._added()
        parts = [self._catalog()]
        return CombinedCapability([self._files(siblings), *parts] if siblings[0] is self else parts)

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """The same parts, where this was handed to a run without being bound to its agent."""
        return await self._added().for_run(ctx)

    def _added(self) -> CombinedCapability[AgentDepsT]:
        """The parts where a run adds this: many runs may, so the tools are made once."""
        if self._added_files is None:
            self._added_files = self._files([self])
        return CombinedCapability([self._added_files, self._catalog()])

    def _files(self, siblings: Sequence[SkillsCapability[Any]]) -> FilesPart[AgentDepsT]:
        asks = any(item._options.approval != 'never' for item in siblings)
        return FilesPart(self.id, self._new_toolset(), asks=asks)

    def _catalog(self) -> CatalogPart[AgentDepsT]:
        return CatalogPart(None if self.id is None else f'{self.id}_catalog', self._leaves.again())

    def _new_toolset(self) -> SkillFilesToolset:
        options = self._options
        return SkillFilesToolset(
            self.packages,
            resources=options.resources,
            scripts=options.scripts,
            require_loaded=options.require_loaded,
            id=self.id,
            max_retries=options.max_retries,
        )

    def _read(self, again: bool) -> Snapshot:
        # A skill that was included and is gone is a removed skill, and no reason to renew nothing.
        options = replace(self._options, unknown_names='skip') if again else self._options
        with tracer().start_as_current_span('read skills') as span:
            missing = self._options.missing_directories
            libraries, noted = directory_libraries(self._options.directories, missing)
            from_registries, found = registry_libraries(self._registries, missing)
            skills = [skill.to_skill() if isinstance(skill, SkillWrapper) else skill for skill in self._skills]
            noted += found
            snapshot = assemble(options, [*libraries, *from_registries], skills, self._executor, noted)
            span.set_attribute('pydantic_ai_skills.skills', len(snapshot.skills))
            return snapshot

    def _warn_about_host(self) -> None:
        entries = self._state.snapshot.entries.values()
        warn_about_host(
            [
                (registry, any(entry.info.source == repr(registry) and entry.can_run for entry in entries))
                for registry in self._registries
            ]
        )


def _siblings(capability: SkillsCapability[Any], agent: AbstractAgent[Any, Any]) -> list[SkillsCapability[Any]]:
    """Those among an agent's capabilities that will be one with this, in order; none where a run adds it.

    Only the first brings the file tools, which serve all: a durable engine registers what an agent is made with by
    name, before a run could merge two of a name into one.
    """
    found: list[SkillsCapability[Any]] = []
    pending: list[AbstractCapability[Any]] = [agent.root_capability]
    while pending:
        item = pending.pop(0)
        if isinstance(item, CombinedCapability):
            pending[:0] = item.capabilities
        elif isinstance(item, WrapperCapability):
            pending.insert(0, item.wrapped)
        elif isinstance(item, SkillsCapability) and item.id == capability.id:
            found.append(item)
    return found if capability in found else []
