"""The composition root: sources in, an agent's skills out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio.to_thread
from pydantic_ai import RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, WrapperCapability
from pydantic_ai.tools import AgentDepsT

from .approval import ApprovalPolicy
from .assemble import assemble
from .diagnostics import SkillDiagnostic, warn_about
from .entry import SkillEntry
from .executors import LocalSkillScriptExecutor
from .info import SelectSkill, SkillInfo
from .leaves import ByIdentity, Leaves, Visitor
from .members import SkillScriptExecutor
from .names import normalize_name
from .options import (
    DuplicateNames,
    MissingDirectories,
    SkillsOptions,
    UnknownNames,
    directory_tuple,
    listed_values,
    name_set,
    seconds,
)
from .packages import SkillPackage
from .parts import CatalogPart, FilesPart
from .registries import SkillRegistry
from .render import render_entry
from .skills import Skill, SkillWrapper
from .sources import LibraryError, directory_libraries, registry_library, warn_about_host
from .state import SkillsState, Snapshot
from .toolset import SkillFilesToolset
from .tracing import tracer


@dataclass(init=False, repr=False, eq=False)  # agent specs take only dataclasses
class SkillsCapability(ByIdentity, AbstractCapability[AgentDepsT]):
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
        script_executor: SkillScriptExecutor | None = None,
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
    ) -> None:
        """Sync the registries and read all sources.

        Args:
            directories: Skill libraries, in order of precedence: the **parents** of skill packages. `~` is the home
                folder; a relative path is the process's.
            registries: Sources that put packages on disk first, such as Git or S3; after `directories` in precedence.
            skills: Skills written in Python; they win over packages of their name.
            include: The exact names of the skills to offer; `None` for all. Not together with `exclude`.
            exclude: The exact names of skills to leave out.
            script_executor: What runs the scripts; `None` for `LocalSkillScriptExecutor()`, which is this host.
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
            exclude_resources=_globs(exclude_resources),
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
        )
        if select is not None and not callable(select):
            raise TypeError(f'select must be a function of (ctx, info), not {select!r}.')
        self._registries = _checked('registries', registries, SkillRegistry)
        self._skills = _checked('skills', skills, (Skill, SkillWrapper))
        if not (self._options.directories or self._registries or self._skills):
            raise ValueError('SkillsCapability needs a source: directories, registries or skills.')
        self._executor = _checked_executor(script_executor)
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
        return await anyio.to_thread.run_sync(partial(cls, *args, **kwargs))

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
        )

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
        return _LazyPackages({name: entries[name] for name in self.skill_names if name in entries})

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
        """
        snapshot = self._state.snapshot
        wanted = normalize_name(name)
        entry = snapshot.entries.get(wanted) or snapshot.hidden.get(wanted)
        if entry is None or wanted in self._leaves.hidden:
            names = ', '.join(info.name for info in snapshot.skills) or 'none'
            raise ValueError(f'There is no skill {name!r}. The skills are: {names}.')
        return render_entry(entry, arguments, with_files=wanted in snapshot.entries)

    def get_toolset(self) -> SkillFilesToolset | None:
        """A toolset for the files of these skills, or `None` when no skill has a file of an offered kind."""
        return self._new_toolset() if self._state.snapshot.has_files else None

    def apply(self, visitor: Callable[[AbstractCapability[AgentDepsT]], None]) -> None:
        """Visit this where it contributes a toolset, then each leaf."""
        if self._state.snapshot.has_files:
            visitor(self)
        for leaf in self._leaves.current():
            visitor(leaf)

    def visit_and_replace(self, visitor: Visitor[AgentDepsT]) -> AbstractCapability[AgentDepsT] | None:
        """Self first: what replaces it replaces the whole. Then the leaves; `None` when none is left."""
        if self._state.snapshot.has_files and (replacement := visitor(self)) is not self:
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
            libraries, noted = directory_libraries(self._options.directories, self._options.missing_directories)
            for registry in self._registries:
                with tracer().start_as_current_span(
                    'sync skills', attributes={'pydantic_ai_skills.registry': repr(registry)}
                ):
                    path = registry.sync()
                try:
                    libraries.append(registry_library(registry, path))
                except LibraryError as error:
                    if self._options.missing_directories == 'error':
                        raise
                    noted.append(error.finding)
            skills = [skill.to_skill() if isinstance(skill, SkillWrapper) else skill for skill in self._skills]
            snapshot = assemble(options, libraries, skills, self._executor, noted)
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


class _LazyPackages(Mapping[str, SkillPackage]):
    """Packages by id, each indexed when it is first looked at."""

    def __init__(self, entries: Mapping[str, SkillEntry]) -> None:
        self._entries = entries

    def __getitem__(self, name: str) -> SkillPackage:
        return self._entries[name].package

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f'<files of the skills {", ".join(self._entries)}>'


def _globs(globs: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(globs, str):
        raise TypeError(f'exclude_resources must be a sequence of globs, not the string {globs!r}: write [{globs!r}].')
    return () if globs is None else listed_values('exclude_resources', globs)


def _checked(option: str, values: Any, kind: Any) -> tuple[Any, ...]:
    if isinstance(values, kind):
        raise TypeError(f'{option} must be a sequence: write [{values!r}].')
    listed = listed_values(option, values)
    for value in listed:
        if not isinstance(value, kind):
            raise TypeError(f'{option} cannot hold {value!r}.')
    return listed


def _checked_executor(executor: SkillScriptExecutor | None) -> SkillScriptExecutor:
    if executor is None:
        return LocalSkillScriptExecutor()
    if isinstance(executor, type):
        raise TypeError(f'script_executor must be an executor, not the class: write {executor.__name__}().')
    if not isinstance(executor, SkillScriptExecutor):
        raise TypeError(f'script_executor must have an async run(script, args, ctx) method; {executor!r} has none.')
    return executor
