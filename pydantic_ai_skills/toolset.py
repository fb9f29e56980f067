"""The two tools for a skill's files: `read_skill_resource` and `run_skill_script`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import anyio.to_thread
from pydantic_ai import FunctionToolset, RunContext, Tool
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.toolsets import ToolsetTool

from .access import FileUse, SkillAccess, UnavailableError
from .calls import read_member, run_member
from .entry import EntryPackages, FileOptions, SkillEntry
from .finding import SkillFilesOwner, find_skill, offered_entries
from .info import SkillInfo
from .packages import SkillPackage
from .shown import ShownRequests
from .tracing import tool_call
from .workflows import is_durable

READ_TOOL = 'read_skill_resource'
RUN_TOOL = 'run_skill_script'
DEFAULT_TOOLSET_ID = 'agent_skills'
"""An underscore, so that no skill can have this id."""


_CAN_READ = attrgetter('can_read')
_CAN_RUN = attrgetter('can_run')


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
        self.owner = owner

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools that some skill of this run has a file for; none where another owner comes first."""
        if self.owner is not None:
            entries = offered_entries(ctx, self.owner)
        else:
            entries = [entry for name in self._packages if (entry := self._packaged(name)) is not None]
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
        with tool_call(ctx):
            try:
                return await read_member(await self._skill(ctx, skill_name, 'read'), resource_name, ctx, args)
            except UnavailableError as error:
                return str(error)

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
        with tool_call(ctx):
            if self.owner is not None:
                return await self.owner.run_script(ctx, skill_name, script_name, args, stdin)
            try:
                return await self.run_member(ctx, skill_name, script_name, args, stdin)
            except ApprovalRequired as request:
                ShownRequests.remember(ctx, request.metadata)
                raise

    async def run_member(
        self,
        ctx: RunContext[Any],
        skill_name: str,
        script_name: str,
        args: list[Any] | dict[str, Any] | str | None,
        stdin: str | None,
    ) -> Any:
        """What `run_skill_script` does, here and now."""
        try:
            return await run_member(await self._skill(ctx, skill_name, 'run'), script_name, ctx, args, stdin)
        except UnavailableError as error:
            return str(error)

    async def _skill(self, ctx: RunContext[Any], name: str, use: FileUse) -> SkillEntry:
        if self.owner is not None:
            return await find_skill(ctx, name, use)
        return SkillAccess(ctx, self._packaged, lambda: self._packages).skill(name, use)

    def _packaged(self, name: str) -> SkillEntry | None:
        if name not in self._packages:
            return None
        if isinstance(self._packages, EntryPackages):  # a capability's: with its options, approval among them
            return self._packages.entries[name]
        return SkillEntry(SkillInfo(name, '', None), '', lambda: self._packages[name], self._options)


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
