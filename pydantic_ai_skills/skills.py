"""Skills written in Python: a name, a description, instructions, and functions as resources, scripts and tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

from pydantic.json_schema import GenerateJsonSchema
from pydantic_ai import FunctionToolset, Tool
from pydantic_ai.tools import AgentDepsT, DocstringFormat, GenerateToolJsonSchema
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset

from .bundled import is_listable
from .members import SkillResource, SkillScript, SkillScriptExecutor
from .names import is_legal_name, normalize_name
from .packages import SkillPackage

FunctionT = TypeVar('FunctionT', bound=Callable[..., Any])


class _Bundle:
    """The two decorators, for whatever keeps lists of resources and scripts."""

    resources: list[SkillResource]
    scripts: list[SkillScript]

    @overload
    def resource(self, function: FunctionT) -> FunctionT: ...
    @overload
    def resource(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        takes_ctx: bool | None = None,
        docstring_format: DocstringFormat = 'auto',
        schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
    ) -> Callable[[FunctionT], FunctionT]: ...
    def resource(self, function: Any = None, **options: Any) -> Any:
        """Add a function whose result the model reads with `read_skill_resource`; bare, or with options.

        Args:
            function: Sync or async; its parameters are the resource's args.
            **options: `name` (the function's own), `description` (its docstring), `takes_ctx` (found out),
                `docstring_format` and `schema_generator`, as for `pydantic_ai.Tool`.

        Raises:
            ValueError: the skill has a resource of this name already.
        """
        return self._add(function, self.resources, SkillResource, options)

    @overload
    def script(self, function: FunctionT) -> FunctionT: ...
    @overload
    def script(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        takes_ctx: bool | None = None,
        docstring_format: DocstringFormat = 'auto',
        schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
    ) -> Callable[[FunctionT], FunctionT]: ...
    def script(self, function: Any = None, **options: Any) -> Any:
        """Add a function that the model runs with `run_skill_script`; bare, or with the options of `resource`.

        Raises:
            ValueError: the skill has a script of this name already.
        """
        return self._add(function, self.scripts, SkillScript, options)

    def _add(self, function: Callable[..., Any] | None, members: list[Any], kind: Any, options: dict[str, Any]) -> Any:
        def add(target: FunctionT) -> FunctionT:
            name = options.get('name') or getattr(target, '__name__', '')
            member = kind(**{**options, 'name': name, 'function': target})
            _check_member(member, kind)
            _check_new(name, members)
            call = member.call
            members.append(
                replace(member, description=member.description or call.description, takes_ctx=call.takes_ctx)
            )
            return target

        return add if function is None else add(function)


@dataclass
class Skill(_Bundle):
    """A skill written in Python; give it to `SkillsCapability(skills=[…])`.

    ```python
    billing = Skill('billing', 'Answers questions about invoices.', 'Look the invoice up first.')


    @billing.script
    def invoice(number: int) -> str:
        '''Look an invoice up.'''
        return f'Invoice {number}: paid'
    ```
    """

    name: str
    """Its id: a legal skill name, kept in NFKC."""

    description: str
    """What it does and when to use it: all the model sees until it loads the skill."""

    content: str = ''
    """The instructions, in Markdown. No placeholder is replaced in them."""

    license: str | None = None
    """As in a `SKILL.md`."""

    compatibility: str | None = None
    """As in a `SKILL.md`."""

    resources: list[SkillResource] = field(default_factory=list[SkillResource])
    """What the model can read."""

    scripts: list[SkillScript] = field(default_factory=list[SkillScript])
    """What the model can run."""

    uri: str | None = None
    """Where it comes from, for traces; `skill://<name>` unless given."""

    metadata: Mapping[str, Any] | None = None
    """Anything, for filters and selections."""

    tools: Sequence[Callable[..., Any] | Tool[Any]] = ()
    """Tools that exist for the model only while the skill is loaded."""

    toolsets: Sequence[AbstractToolset[Any]] = ()
    """Toolsets that exist for the model only while the skill is loaded."""

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            TypeError: name, description or content is no string.
            ValueError: the name is not legal, the description is empty, two members have one name, or one has none,
                or nothing behind it.
            UserError: a member's function has a signature that cannot be a tool's.
        """
        for label in ('name', 'description', 'content'):
            if not isinstance(getattr(self, label), str):
                raise TypeError(f'The {label} of a Skill must be a string, not {getattr(self, label)!r}.')
        if not is_legal_name(self.name):
            raise ValueError(
                f'{self.name!r} is no legal skill name: use at most 64 lowercase letters, numbers and single hyphens.'
            )
        self.name = normalize_name(self.name)
        self.description = self.description.strip()
        if not self.description:
            raise ValueError(
                f'The skill {self.name!r} needs a description: it is all the model sees before loading it.'
            )
        self.uri = self.uri or f'skill://{self.name}'
        self.resources, self.scripts = list(self.resources), list(self.scripts)
        for members, kind in ((self.resources, SkillResource), (self.scripts, SkillScript)):
            for index, member in enumerate(members):
                _check_member(member, kind)
                _check_new(member.name, members[:index])

    def package(self, executor: SkillScriptExecutor) -> SkillPackage:
        """Its members as they are now; a script that is a file is run by `executor` unless it brings its own."""
        scripts = (
            replace(script, skill_name=self.name, executor=script.executor or executor) for script in self.scripts
        )
        return SkillPackage(self.name, None, tuple(self.resources), tuple(scripts))

    @cached_property
    def brought_toolset(self) -> AbstractToolset[Any] | None:
        """Its tools and toolsets as one; `None` if it has none."""
        toolsets = list(self.toolsets)
        if self.tools:
            toolsets.insert(0, FunctionToolset(list(self.tools), id=f'{self.name}_tools'))
        if len(toolsets) > 1:
            return CombinedToolset(toolsets)
        return toolsets[0] if toolsets else None


class SkillWrapper(_Bundle, Generic[AgentDepsT]):
    """A function that returns a skill's instructions, made a skill by `@skill`; it has the decorators of `Skill`."""

    def __init__(self, function: Callable[[], str], **options: Any) -> None:
        """Wrap `function`; use `@skill`.

        Raises:
            TypeError: the function is async, or takes arguments.
            ValueError: there is no description, neither as an option nor as a docstring.
        """
        if inspect.iscoroutinefunction(function) or inspect.signature(function).parameters:
            raise TypeError(f'{function.__name__}: a skill function is not async, takes nothing and returns text.')
        if 'content' in options:
            raise TypeError(
                f'{function.__name__}: a skill function returns its content; `content` cannot be given too.'
            )
        self.function = function
        self.__doc__ = function.__doc__
        self._template = Skill(
            name=options.pop('name', None) or function.__name__.strip('_').replace('_', '-'),
            description=options.pop('description', None) or inspect.getdoc(function) or '',
            resources=options.pop('resources', None) or [],
            scripts=options.pop('scripts', None) or [],
            **options,
        )
        self.resources, self.scripts = self._template.resources, self._template.scripts

    @property
    def name(self) -> str:
        """The skill's id."""
        return self._template.name

    @property
    def description(self) -> str:
        """The skill's description."""
        return self._template.description

    def __call__(self) -> str:
        """Call the function itself."""
        return self.function()

    def __repr__(self) -> str:
        """Only what tells it from another."""
        return f'SkillWrapper({self.name!r})'

    def to_skill(self) -> Skill:
        """The skill, with the instructions that the function returns now and the members it has now.

        Raises:
            TypeError: the function returns something else than text.
        """
        content: object = self.function()
        if not isinstance(content, str):
            raise TypeError(f'The skill function {self.name!r} must return its instructions as text, not {content!r}.')
        return replace(self._template, content=content, resources=self.resources, scripts=self.scripts)


@overload
def skill(function: Callable[[], str]) -> SkillWrapper[Any]: ...
@overload
def skill(
    *,
    name: str | None = None,
    description: str | None = None,
    license: str | None = None,
    compatibility: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    resources: Sequence[SkillResource] | None = None,
    scripts: Sequence[SkillScript] | None = None,
) -> Callable[[Callable[[], str]], SkillWrapper[Any]]: ...
def skill(function: Any = None, **options: Any) -> Any:
    """Make a skill of a function that returns its instructions; bare, or with options.

    ```python
    @skill
    def code_review() -> str:
        '''Reviews a change for bugs and style.'''
        return 'Read the whole change first.'
    ```

    Args:
        function: Takes nothing, returns the instructions; called when a snapshot is made.
        **options: `name` (the function's, with hyphens), `description` (its docstring), `license`,
            `compatibility`, `metadata`, `resources`, `scripts`.

    Raises:
        TypeError: the function is async or takes arguments.
        ValueError: the name is not legal, or there is no description.
    """

    def wrap(target: Callable[[], str]) -> SkillWrapper[Any]:
        return SkillWrapper(target, **options)

    return wrap if function is None else wrap(function)


def _check_member(member: object, kind: type[SkillResource] | type[SkillScript]) -> None:
    """Find mistakes where they are written, not in a run."""
    if not isinstance(member, kind):
        raise TypeError(f'A skill needs {kind.__name__} objects, not {member!r}.')
    if not isinstance(member.name, str) or not member.name.strip() or not is_listable(member.name):
        raise ValueError(f'{member.name!r} is no name for a {kind.__name__}: it must be visible, and on one line.')
    if member.call is None and member.uri is None and getattr(member, 'content', None) is None:
        raise ValueError(
            f'The {kind.__name__} {member.name!r} has nothing behind it: give it a function or a file (uri).'
        )


def _check_new(name: str, members: Sequence[SkillResource | SkillScript]) -> None:
    if any(member.name == name for member in members):
        raise ValueError(f'The skill already has {type(members[0]).__name__} {name!r}; give it another name.')
