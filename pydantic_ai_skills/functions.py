"""A Python function behind a skill's resource or script: its schema, the check of its arguments, and the call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_ai import FunctionToolset, ModelRetry, RunContext, Tool
from pydantic_ai.tools import DocstringFormat, GenerateToolJsonSchema
from pydantic_ai.toolsets import ToolsetTool
from pydantic_ai.usage import RunUsage

from .encoding import quoted


class SkillFunction:
    """Calls one function with arguments that were checked against its schema, as Pydantic AI does for tools."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        takes_ctx: bool | None = None,
        docstring_format: DocstringFormat = 'auto',
        schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
    ) -> None:
        """Read the function's signature; the arguments mean what they mean for `pydantic_ai.Tool`.

        Raises:
            UserError: the signature cannot be a tool's.
        """
        self._tool: Tool[Any] = Tool(
            function,
            name=name,
            description=description,
            takes_ctx=takes_ctx,
            docstring_format=docstring_format,
            schema_generator=schema_generator,
        )
        self._toolset: FunctionToolset[Any] = FunctionToolset([self._tool])

    @property
    def name(self) -> str:
        """The name it was given, or the function's own."""
        return self._tool.name

    @property
    def description(self) -> str | None:
        """The description it was given, or what its docstring says first."""
        return self._tool.description or None

    @property
    def takes_ctx(self) -> bool:
        """Whether its first parameter is the `RunContext`."""
        return self._tool.takes_ctx

    @property
    def json_schema(self) -> dict[str, Any]:
        """The schema of its arguments."""
        return self._tool.tool_def.parameters_json_schema

    async def check(self, ctx: RunContext[Any] | None, args: Mapping[str, Any] | None) -> dict[str, Any]:
        """`args` as they were given, if they fit the schema; errors as `call`."""
        await self._validated(ctx, args)
        return dict(args or {})

    async def call(self, ctx: RunContext[Any] | None, args: Mapping[str, Any] | None) -> Any:
        """Check `args` and call the function; what it returns or raises passes through.

        Args:
            ctx: The run's context; may be `None` for a function that takes none.
            args: Its arguments by name.

        Raises:
            ModelRetry: an argument is missing, unknown or of a wrong type; the message names it.
            TypeError: the function takes a context and `ctx` is `None`.
        """
        ctx, tool, valid = await self._validated(ctx, args)
        return await self._toolset.call_tool(self.name, valid, ctx, tool)

    async def _validated(
        self, ctx: RunContext[Any] | None, args: Mapping[str, Any] | None
    ) -> tuple[RunContext[Any], ToolsetTool[Any], dict[str, Any]]:
        if ctx is None:
            if self.takes_ctx:
                raise TypeError(f'{self.name!r} takes the run context: pass `ctx`.')
            ctx = _bare_context()
        tool = (await self._toolset.get_tools(ctx))[self.name]
        try:
            valid = tool.args_validator.validate_python(dict(args or {}), context=ctx.validation_context)
        except ValidationError as error:
            raise ModelRetry(self._mistake(error)) from error
        return ctx, tool, valid

    def _mistake(self, error: ValidationError) -> str:
        problems = '; '.join(
            f'{".".join(str(part) for part in item["loc"]) or "args"}: {item["msg"]}' for item in error.errors()
        )
        return f'The arguments of {self.name!r} are not right: {problems}. It takes: {self.signature() or "nothing"}.'

    def signature(self) -> str:
        """Its parameters in short, for a list: `amount: integer, bonus: integer = 1`; empty if there are none."""
        required = set(self.json_schema.get('required', ()))
        properties: dict[str, dict[str, Any]] = self.json_schema.get('properties', {})
        return ', '.join(
            f'{name}: {_type_of(schema)}' + ('' if name in required else f' = {schema.get("default")!r}')
            for name, schema in properties.items()
        )


def object_arguments(name: str, args: Any, takes: str = '') -> dict[str, Any] | None:
    """Arguments that must be an object, from what a model sent: an object, JSON text of one, or nothing.

    Args:
        name: Whose arguments they are, for the message.
        args: What was sent.
        takes: What may be in them, for the message.

    Raises:
        ModelRetry: they are something else.
    """
    given = args
    if isinstance(args, str):
        try:
            args = json.loads(args) if args.strip() else None
        except (ValueError, RecursionError):
            args = given
    if args is None or args == []:
        return None
    if not isinstance(args, Mapping):
        what = f'the text {quoted(given)}' if isinstance(given, str) else f'a {type(given).__name__}'
        raise ModelRetry(f'The args of {name!r} must be an object{f" ({takes})" if takes else ""}, not {what}.')
    return {str(key): value for key, value in cast('Mapping[Any, Any]', args).items()}


def _type_of(schema: Mapping[str, Any]) -> str:
    if isinstance(named := schema.get('type'), str):
        items: Mapping[str, Any] | None = schema.get('items')
        return f'array of {_type_of(items)}' if named == 'array' and items else named
    if isinstance(reference := schema.get('$ref'), str):
        return reference.rpartition('/')[2]
    if choices := schema.get('anyOf'):
        return ' or '.join(_type_of(choice) for choice in choices)
    return 'any'


def _bare_context() -> RunContext[Any]:
    from pydantic_ai.models.test import TestModel

    return RunContext(deps=None, model=TestModel(), usage=RunUsage())
