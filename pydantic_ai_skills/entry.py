"""One skill as an agent is offered it: what the catalog says, its instructions, and its files when first needed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset

from .bundled import bundled_files
from .info import SkillInfo
from .packages import FileKinds, SkillPackage


@dataclass(frozen=True)
class FileOptions:
    """How a capability offers the files of its skills; the meaning and defaults are `SkillsCapability`'s."""

    resources: bool = True
    scripts: bool = True
    require_loaded: bool = True
    list_bundled_files: bool = True
    approval: Any = 'never'
    attach_binaries: bool = False


@dataclass(eq=False)
class SkillEntry:
    """A skill with everything that is worked out once and then shared by every run and every copy."""

    info: SkillInfo
    """What is known of it."""

    body: str
    """The instructions, without heading and list of files."""

    index: Callable[[], SkillPackage]
    """Makes its package; called once, when a file is first asked for."""

    options: FileOptions = field(default_factory=FileOptions)
    """How its files are offered."""

    kinds: Callable[[], FileKinds] | None = None
    """Answers whether any file can be read, and whether any can be run, quicker than `index` would."""

    toolset: AbstractToolset[Any] | None = None
    """Tools that exist only while the skill is loaded, as a skill in Python may have."""

    staged: Callable[[RunContext[Any]], Awaitable[str]] | None = None
    """Makes the body for a run whose scripts find the skill's files elsewhere than where they lie."""

    identity: object = None
    """Equal for two readings of one definition that did not change between them."""

    stamp: Callable[[], object] | None = None
    """Makes what is equal for as long as no file of the skill changes."""

    shown_description: str | None = None
    """What the catalog says of it; its own description where it is `None`."""

    def __post_init__(self) -> None:
        self._lock = RLock()
        self._package: SkillPackage | None = None
        self._kinds: tuple[bool, bool] | None = None
        self._instructions: str | None = None
        self._seen: object = None

    @property
    def description(self) -> str:
        """What the catalog says of it."""
        return self.info.description if self.shown_description is None else self.shown_description

    @cached_property
    def catalog_text(self) -> str:
        """The description as the catalog has it."""
        return indented(self.description)

    def is_still(self, other: SkillEntry) -> bool:
        """Whether `other`, read later, is this skill unchanged, so that what was worked out for this one still holds."""
        if self.identity != other.identity or self.description != other.description:
            return False
        return not self.is_looked_at or self.stamp is None or self._seen == self.stamp()

    @property
    def is_looked_at(self) -> bool:
        """Whether its folder was looked at, so that `can_read` and `can_run` do not touch the disk any more."""
        return self._package is not None or self._kinds is not None

    @property
    def name(self) -> str:
        """Its id."""
        return self.info.name

    @property
    def package(self) -> SkillPackage:
        """Its files, indexed at the first use and kept.

        Raises:
            OSError: its folder is gone.
        """
        if self._package is None:
            with self._lock:
                if self._package is None:
                    if self.stamp is not None and self._kinds is None:
                        self._seen = self.stamp()
                    self._package = self.index()
        return self._package

    @property
    def can_read(self) -> bool:
        """Whether the capability reads files and the skill has one, an asset counting too."""
        return self.options.resources and self._found()[0]

    @property
    def can_run(self) -> bool:
        """Whether the capability runs scripts and the skill has one."""
        return self.options.scripts and self._found()[1]

    @property
    def has_files(self) -> bool:
        """Whether the skill has a file of any kind that the capability offers."""
        return self.can_read or self.can_run

    def _found(self) -> tuple[bool, bool]:
        try:
            return self._found_now()
        except OSError:  # its folder is gone, perhaps only for now
            return False, False

    def _found_now(self) -> tuple[bool, bool]:
        if self._kinds is None:
            self._kinds = self._look()
        return self._kinds

    def _look(self) -> tuple[bool, bool]:
        if self._package is None and self.kinds is not None:
            kinds = self.kinds()
            self._seen = kinds.stamp
            return kinds.readable, kinds.runnable
        package = self.package
        return bool(package.resources or package.assets), bool(package.scripts or package.unlisted_scripts)

    @property
    def instructions(self) -> str:
        """What loading the skill gives: heading, body, and the list of bundled files. Worked out once."""
        if self._instructions is None:
            try:
                self._instructions = self.instructions_with(self.body)
            except OSError:  # its folder is gone: the next to ask may find it again
                return self._text(self.body)
        return self._instructions

    def instructions_with(self, body: str) -> str:
        """The instructions with another body, as when placeholders mean a folder of a run's workspace.

        Raises:
            OSError: its folder is gone.
        """
        return self._text(body, self.file_list)

    @property
    def file_list(self) -> str:
        """The list of bundled files; empty where there are none, or it is switched off.

        Raises:
            OSError: its folder is gone.
        """
        options = self.options
        if not (options.list_bundled_files and (options.resources or options.scripts)):
            return ''
        readable, runnable = self._found_now()
        if not ((options.resources and readable) or (options.scripts and runnable)):
            return ''
        return bundled_files(self.package, resources=options.resources, scripts=options.scripts)

    def _text(self, body: str, files: str = '') -> str:
        return '\n\n'.join(part for part in (f'# Skill: {self.name}', body, files) if part)


def indented(description: str) -> str:
    """A description with its continuation lines indented, so that none can pose as another entry of the catalog."""
    return '\n  '.join(description.splitlines())


class EntryPackages(Mapping[str, SkillPackage]):
    """The packages of skills by id, each indexed when it is first looked at."""

    def __init__(self, entries: Mapping[str, SkillEntry]) -> None:
        """Give the packages of `entries`, which stay at hand with their options."""
        self.entries = entries

    def __getitem__(self, name: str) -> SkillPackage:
        return self.entries[name].package

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __repr__(self) -> str:
        return f'<files of the skills {", ".join(self.entries)}>'
