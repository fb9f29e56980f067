"""The two tools for a skill's files: `read_skill_resource` and `run_skill_script`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import anyio.to_thread
from pydantic_ai import FunctionToolset, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability, WrapperCapability
from pydantic_ai.exceptions import UserError
from pydantic_ai.toolsets import ToolsetTool

from .access import SkillAccess, unwrap_entry
from .approval import CannotAskError, ShownRequests, approve
from .calls import find_runnable, read_member, run_approved, run_script
from .entry import EntryPackages, FileOptions, SkillEntry
from .functions import object_arguments
from .info import SkillInfo
from .members import ScriptArguments, SkillScript
from .packages import SkillPackage
from .state import is_durable
from .tracing import note_member

READ_TOOL = 'read_skill_resource'
RUN_TOOL = 'run_skill_script'
DEFAULT_TOOLSET_ID = 'agent_skills'
"""An underscore, so that no skill can have this id."""


_CAN_READ = attrgetter('can_read')
_CAN_RUN = attrgetter('can_run')


class SkillFilesOwner(ABC):
    """The part of a capability that carries the file tools; the first one of a run offers them for all."""

    @abstractmethod
    async def run_script(
        self, ctx: RunContext[Any], entry: SkillEntry, script: SkillScript, args: ScriptArguments, stdin: str | None
    ) -> Any:
        """Run a script that was looked up, once it is allowed."""


class _Alone(SkillFilesOwner):
    """Runs the scripts of a toolset that no capability carries."""

    def __init__(self) -> None:
        self._shown_requests = ShownRequests()

    async def run_script(
        self, ctx: RunContext[Any], entry: SkillEntry, script: SkillScript, args: ScriptArguments, stdin: str | None
    ) -> Any:
        try:
            approved = await approve(entry.options.approval, self._shown_requests, ctx, entry, script, args, stdin)
        except CannotAskError as error:
            return str(error)
        if approved is None or approved.digest is None:
            return await run_script(script, ctx, args, stdin)
        return await run_approved(script, ctx, args, stdin, approved.digest)


class SkillFilesToolset(FunctionToolset[Any]):
    """Reads the resources and runs the scripts of skills.

    `SkillsCapability` brings one with it. By itself it serves a fixed set of packages:

    ```python
    toolset = SkillFilesToolset(index_libraries(['skills']), require_loaded=False)
    agent = Agent('openai:gpt-5', toolsets=[toolset])
    ```

    A tool is offered only where some skill has a file of its kind. No file, script or timeout ends the run: what
    goes wrong is the tool's answer, and a mistake of the model's is a `ModelRetry` that says the way out.
    """

    def __init__(
        self,
        packages: Mapping[str, SkillPackage],
        *,
        resources: bool = True,
        scripts: bool = True,
        require_loaded: bool = True,
        id: str | None = None,
        max_retries: int | None = None,
        owner: SkillFilesOwner | None = None,
    ) -> None:
        """Make the tools.

        Args:
            packages: The skills' files by id, such as `index_libraries` gives. Read when a tool is called, so a
                lazy mapping stays lazy.
            resources: Whether to offer `read_skill_resource`.
            scripts: Whether to offer `run_skill_script`.
            require_loaded: Whether a skill's files stay shut until the model has loaded the skill of that id.
            id: The toolset's id, which durable engines need; `'agent_skills'` unless given.
            max_retries: How often the model may get a call wrong; `None` for the agent's own setting.
            owner: The capability part that the tools belong to. With one, skills are found among the run's
                capabilities, and only the first owner of a run offers tools.

        Raises:
            TypeError: `packages` is no mapping.
        """
        if not isinstance(packages, Mapping):
            raise TypeError(
                f'packages must map skill names to packages, as index_libraries gives them, not {packages!r}.'
            )
        super().__init__(id=id or DEFAULT_TOOLSET_ID, max_retries=max_retries)
        self.add_tool(Tool(self.read_skill_resource, takes_ctx=True, name=READ_TOOL, max_retries=max_retries))
        self.add_tool(Tool(self.run_skill_script, takes_ctx=True, name=RUN_TOOL, max_retries=max_retries))
        self._packages = packages
        self._options = FileOptions(resources, scripts, require_loaded)
        self._alone = _Alone()
        self.owner = owner

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools that some skill of this run has a file for; none where another owner comes first."""
        capabilities = self._capabilities(ctx)
        if capabilities is not None and not self._is_first(capabilities.values()):
            return {}
        entries = list(self._entries(capabilities))
        offered = _offered(entries, from_disk=False)
        if offered is None:
            # Where no skill has a script, all have to be looked at once: a second for thousands of them. A durable
            # engine's event loop may know no threads.
            look = partial(_offered, entries, from_disk=True)
            offered = look() if is_durable(ctx) else await anyio.to_thread.run_sync(look)
            assert offered is not None
        tools = await super().get_tools(ctx)
        return {name: tool for name, tool in tools.items() if name in offered}

    async def read_skill_resource(
        self,
        ctx: RunContext[Any],
        skill_name: str,
        resource_name: str,
        args: dict[str, Any] | str | None = None,
    ) -> Any:
        """Read a file that belongs to a loaded skill.

        Args:
            ctx: The run context.
            skill_name: The id of the skill, as it was loaded.
            resource_name: The file's name as the skill's list of bundled files has it.
            args: For a long file: {"offset": first line, "limit": number of lines}. For a file named by a link in
                another file: {"from": that file}. For a resource that lists args: those.
        """
        return await read_member(self._access(ctx).skill(skill_name, 'read'), resource_name, ctx, args)

    async def run_skill_script(
        self,
        ctx: RunContext[Any],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None = None,
        stdin: str | None = None,
    ) -> Any:
        """Run a script that belongs to a loaded skill and return what it prints.

        Args:
            ctx: The run context.
            skill_name: The id of the skill, as it was loaded.
            script_name: The script's name as the skill's list of bundled files has it.
            args: A list is the command line as it is, for positional arguments and exact order:
                ["in.pdf", "out/", "--pages", "2"]. An object is flags: {"pages": 2} becomes --pages 2.
            stdin: Text for the script's standard input, if it reads any.
        """
        entry = self._access(ctx).skill(skill_name, 'run')
        script = await find_runnable(entry, script_name)
        note_member(ctx, entry, script)
        if script.call is not None:
            args = object_arguments(script.name, args, script.call.signature())
        return await (self.owner or self._alone).run_script(ctx, entry, script, args, stdin)

    async def script_for(self, ctx: RunContext[Any], skill_name: str, script_name: str) -> SkillScript:
        """A script that a call has already been allowed to run, looked up again by its names.

        Raises:
            ModelRetry: it is gone.
        """
        capabilities = self._capabilities(ctx)
        found = self._packaged(skill_name) if capabilities is None else unwrap_entry(capabilities[skill_name])
        assert found is not None
        return await find_runnable(found, script_name)

    def _access(self, ctx: RunContext[Any]) -> SkillAccess:
        capabilities = self._capabilities(ctx)
        if capabilities is None:
            packages = self._packages
            return SkillAccess(ctx, lambda name: self._packaged(name) if name in packages else None, lambda: packages)

        def lookup(name: str) -> SkillEntry | None:
            found = capabilities.get(name)
            return None if found is None else unwrap_entry(found)

        return SkillAccess(ctx, lookup, lambda: (entry.name for entry in self._entries(capabilities)))

    def _capabilities(self, ctx: RunContext[Any]) -> Mapping[str, AbstractCapability[Any]] | None:
        return _live_capabilities(ctx) if self.owner is not None else None

    def _entries(self, capabilities: Mapping[str, AbstractCapability[Any]] | None) -> Iterable[SkillEntry]:
        if capabilities is not None:
            return (entry for item in capabilities.values() if (entry := unwrap_entry(item)) is not None)
        return (self._packaged(name) for name in self._packages)

    def _packaged(self, name: str) -> SkillEntry:
        if isinstance(self._packages, EntryPackages):  # a capability's: with its options, approval among them
            return self._packages.entries[name]
        return SkillEntry(SkillInfo(name, '', None), '', lambda: self._packages[name], self._options)

    def _is_first(self, capabilities: Iterable[AbstractCapability[Any]]) -> bool:
        return next((item for item in map(_unwrapped, capabilities) if isinstance(item, SkillFilesOwner)), None) is (
            self.owner
        )


def _offered(entries: Sequence[SkillEntry], *, from_disk: bool) -> set[str] | None:
    """The tools that some skill has a file for; `None` where only the disk could tell and may not be asked."""
    offered: set[str] = set()
    reading = [entry for entry in entries if entry.options.resources]
    running = [entry for entry in entries if entry.options.scripts]
    for tool, asked, has in ((READ_TOOL, reading, _CAN_READ), (RUN_TOOL, running, _CAN_RUN)):
        if any(entry.is_looked_at and has(entry) for entry in asked) or (from_disk and any(map(has, asked))):
            offered.add(tool)
        elif not from_disk and not all(entry.is_looked_at for entry in asked):
            return None
    return offered


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
