"""What a skill bundles: resources to read, scripts to run, and assets that are neither."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import anyio.to_thread
from pydantic.json_schema import GenerateJsonSchema
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.tools import DocstringFormat, GenerateToolJsonSchema

from .functions import SkillFunction, object_arguments
from .resources import page_arguments, page_of, read_text

Origin: TypeAlias = Literal['local', 'installed', 'remote']
"""Where a script comes from: a folder of the user's, an installed Python distribution, or a remote registry."""

ScriptArguments: TypeAlias = 'list[Any] | dict[str, Any] | str | None'
"""A list is the argument vector, a mapping becomes flags, text is JSON of either or is split into words."""


@runtime_checkable
class SkillScriptExecutor(Protocol):
    """Runs the scripts of skills: anything with this method will do.

    One that also accepts `stdin=` (text) is given what the model wants to send to the script; the package's own do.
    """

    async def run(self, script: SkillScript, args: ScriptArguments = None, ctx: RunContext[Any] | None = None) -> Any:
        """Run `script` and return what the model is to see of it.

        Raises:
            TimeoutError: it ran out of time; the message carries what it printed until then.
        """
        ...


@dataclass(frozen=True)
class SkillResource:
    """Something a skill's instructions refer to: a file, a text, or a Python function that makes one."""

    name: str
    """What the model calls it: the skill-relative path of a file, or any name."""

    description: str | None = None
    """What it is for, shown in the list of bundled files."""

    uri: str | None = None
    """The resolved path of a file; `None` for what is written in Python, unless its author gives one."""

    function: Callable[..., Any] | None = None
    """The function behind it, or `None` for a file or a text."""

    takes_ctx: bool | None = None
    """Whether the function's first parameter is the `RunContext`; `None` finds out from its annotation."""

    content: str | None = None
    """The text itself, for a resource that is neither file nor function."""

    root: Path | None = field(default=None, repr=False)
    """The folder that the file must still lie in when it is read: its package, or its registry's generation."""

    docstring_format: DocstringFormat = field(default='auto', repr=False)
    """How the function's docstring is written, as for `pydantic_ai.Tool`."""

    schema_generator: type[GenerateJsonSchema] = field(default=GenerateToolJsonSchema, repr=False)
    """What makes the schema of the function's arguments, as for `pydantic_ai.Tool`."""

    @cached_property
    def call(self) -> SkillFunction | None:
        """The function with its schema; `None` for a file or a text."""
        return _skill_function(self)

    async def load(self, ctx: RunContext[Any] | None, args: Mapping[str, Any] | str | None = None) -> Any:
        """What `read_skill_resource` gives: a file's text (a page of it by `offset` and `limit`), or the function's result.

        Args:
            ctx: The run's context; may be `None` for all but a function that takes one.
            args: The resource's arguments, or JSON text of them.

        Raises:
            ModelRetry: the arguments are not right.
            OSError: the file is gone, or has become a link out of its package.
        """
        if self.call is not None:
            return await self.call.call(ctx, object_arguments(self.name, args, self.call.signature()))
        args = object_arguments(self.name, args, '"offset" and "limit", in lines')
        if self.content is not None:
            return page_of(self.content, *page_arguments(args))
        if self.uri is None:
            raise ValueError(f'The resource {self.name!r} has neither a file, nor content, nor a function.')
        path = Path(self.uri)
        return await anyio.to_thread.run_sync(read_text, self.root or Path(os.path.realpath(path.parent)), path, args)


@dataclass(frozen=True)
class SkillScript:
    """Something a skill's instructions run: a file, by an executor, or a Python function."""

    name: str
    """What the model calls it: the skill-relative path of a file, or any name."""

    description: str | None = None
    """What it does, shown in the list of bundled files."""

    uri: str | None = None
    """The resolved path of a file; `None` for a function."""

    function: Callable[..., Any] | None = None
    """The function behind it, or `None` for a file."""

    takes_ctx: bool | None = None
    """Whether the function's first parameter is the `RunContext`; `None` finds out from its annotation."""

    skill_name: str | None = None
    """The id of its skill."""

    skill_directory: Path | None = None
    """The folder of its skill, where it starts; `None` for a function."""

    executor: SkillScriptExecutor | None = field(default=None, repr=False, compare=False)
    """What runs a file."""

    origin: Origin = field(default='local', repr=False)
    """Where it comes from, for whoever routes scripts to executors."""

    from_registry: bool = field(default=False, repr=False)
    """Whether its folder belongs to a registry's store, which nothing may write to: it is run from a copy."""

    root: Path | None = field(default=None, repr=False)
    """The folder that its file must still lie in when it is run: its package, or its registry's generation."""

    approved_digest: str | None = field(default=None, repr=False)
    """The digest of its package that a person approved: it runs from a fresh copy that is exactly this, or not at all."""

    docstring_format: DocstringFormat = field(default='auto', repr=False)
    """How the function's docstring is written, as for `pydantic_ai.Tool`."""

    schema_generator: type[GenerateJsonSchema] = field(default=GenerateToolJsonSchema, repr=False)
    """What makes the schema of the function's arguments, as for `pydantic_ai.Tool`."""

    @cached_property
    def call(self) -> SkillFunction | None:
        """The function with its schema; `None` for a file."""
        return _skill_function(self)

    async def run(self, ctx: RunContext[Any] | None, args: ScriptArguments = None, *, stdin: str | None = None) -> Any:
        """What `run_skill_script` gives: the executor's text, or the function's result.

        Args:
            ctx: The run's context; may be `None` for a file, or a function that takes none.
            args: The script's arguments; for a function a mapping of its parameters, or JSON text of one.
            stdin: Text for the script's standard input; at its end unless given.

        Raises:
            ModelRetry: the arguments are not right.
            TimeoutError: the script ran out of time.
        """
        if self.call is not None:
            if stdin is not None:
                raise ModelRetry(f'{self.name!r} is a Python function and has no stdin; pass args.')
            return await self.call.call(ctx, object_arguments(self.name, args, self.call.signature()))
        if self.executor is None:
            raise ValueError(f'The script {self.name!r} has neither a function nor an executor to run it.')
        return await run_by(self.executor, self, args, ctx, stdin)


@dataclass(frozen=True)
class SkillAsset:
    """A file of a skill that is no text: an image, a font, an archive. Listed and described, never poured out."""

    name: str
    """Skill-relative POSIX path."""

    uri: str
    """Resolved path."""

    size: int
    """Bytes."""

    media_type: str
    """Such as `image/png`."""

    root: Path | None = field(default=None, repr=False, compare=False)
    """The folder that the file must still lie in when it is read."""


async def run_by(
    executor: SkillScriptExecutor,
    script: SkillScript,
    args: ScriptArguments,
    ctx: RunContext[Any] | None,
    stdin: str | None,
) -> Any:
    """Have an executor run a script, with `stdin` if there is any.

    Raises:
        ModelRetry: there is `stdin` and the executor takes none.
        TimeoutError: the script ran out of time.
    """
    if stdin is None:
        return await executor.run(script, args, ctx)
    if not accepts_stdin(executor):
        raise ModelRetry(f'{script.name!r} cannot be given stdin here; pass what it needs in args.')
    run: Any = executor.run  # the protocol leaves stdin out, so that a simple executor conforms
    return await run(script, args, ctx, stdin=stdin)


def accepts_stdin(executor: SkillScriptExecutor) -> bool:
    """Whether an executor's `run` takes `stdin=`."""
    try:
        parameters = inspect.signature(executor.run).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(item.name == 'stdin' or item.kind is inspect.Parameter.VAR_KEYWORD for item in parameters)


def _skill_function(member: SkillResource | SkillScript) -> SkillFunction | None:
    if member.function is None:
        return None
    return SkillFunction(
        member.function,
        name=member.name,
        description=member.description,
        takes_ctx=member.takes_ctx,
        docstring_format=member.docstring_format,
        schema_generator=member.schema_generator,
    )
