"""Where one call of a script runs, ready for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.workspaces import CommandResult, Workspace

from ..members import SkillScript
from .outputs import OutputFiles
from .programs import Programs
from .source import ScriptFile, ScriptSource


@dataclass(frozen=True)
class ScriptCall:
    """One call of a script, before it is known where it runs."""

    script: SkillScript
    file: ScriptFile
    stdin: bytes | None
    variables: dict[str, str | None]
    """What the options and the run's context give; the place adds its own."""

    ctx: RunContext[Any] | None


@dataclass(frozen=True)
class Prepared:
    """What became of the dependencies that a script declares in itself."""

    python: str | None = None
    """The Python of the environment that was prepared; `None` where none was."""

    note: str | None = None
    """What the model should know about it."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one call runs: the skill's files are there, and so is what goes to standard input."""

    workspace: Workspace
    programs: Programs
    source: ScriptSource
    script: str
    """The path of the file as the workspace has it."""

    given: Collection[str]
    """Names of all variables that the script gets."""

    prepared: Prepared = Prepared()

    directory: str | None = None
    """Where it starts; `None` where the workspace starts there anyway."""

    stdin: str | None = None
    """The path of the file that standard input is read from."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables to pass with the command; those that the workspace itself was given are not among them."""

    unset: tuple[str, ...] = ()
    """Variables to take away from what the workspace gives."""

    async def run(self, command: list[str], timeout: float | None) -> CommandResult:
        """Run the script; errors are the workspace's."""
        return await self.workspace.run(self.wrapped(command), env=self.environment or None, timeout=timeout)

    async def outputs(self) -> OutputFiles:
        """The files that the script left in its `SKILL_OUTPUT_DIR`, if the place keeps them."""
        return OutputFiles()

    def wrapped(self, command: list[str]) -> list[str]:
        """`command` with the directory, input and variables that `Workspace.run` has no parameters for."""
        steps, parameters = self._steps()
        if not steps:
            return command
        return ['sh', '-c', ' && '.join([*steps, 'exec "$@"']), 'sh', *parameters, *command]

    def _steps(self) -> tuple[list[str], list[str]]:
        steps: list[str] = []
        parameters: list[str] = []
        if self.unset:
            steps.append(f'unset -v {" ".join(self.unset)}')
        if self.prepared.python is not None:
            steps.append(f'{WITH_ENVIRONMENT} && shift')
            parameters.append(self.prepared.python.rpartition('/bin/')[0])
        if self.directory is not None:
            steps.append('cd -- "$1" && shift')
            parameters.append(self.directory)
        if self.stdin is not None:
            steps.append('exec <"$1" && shift')
            parameters.append(self.stdin)
        return steps, parameters


WITH_ENVIRONMENT = 'VIRTUAL_ENV=$1 PATH="$1/bin:$PATH" && export VIRTUAL_ENV PATH'
"""A step of a shell that activates the environment in `$1`, as `uv run` does."""
