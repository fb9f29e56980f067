"""A package with all that the checks look at, read once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..catalog import CatalogItem
from ..discovery import FoundPackage, read_skill_file
from ..excludes import ResourceFilter
from ..executors import LocalSkillScriptExecutor
from ..files import read_inside
from ..frontmatter import split_frontmatter
from ..index import IndexedFile, index_files
from ..lines import skip_blank_lines, split_lines
from ..packages import SkillPackage, index_package
from ..repair import repair

MAX_CHECKED_BYTES = 1_000_000
"""How much of one file is looked at: enough for every script and page that was published."""


@dataclass(frozen=True)
class CheckedPackage:
    """One package."""

    item: CatalogItem
    left_out: list[str] = field(default_factory=list[str])
    """Sentences about files that are not offered; filled when `files` is read."""

    @property
    def found(self) -> FoundPackage:
        """Where it is."""
        return self.item.found

    @property
    def skill_file(self) -> Path:
        """Its `SKILL.md`."""
        return self.found.skill_file

    @property
    def directory(self) -> Path:
        """Its folder as it was named, so that findings name it so."""
        return self.skill_file.parent

    @cached_property
    def raw(self) -> bytes:
        """Its `SKILL.md`; empty where it cannot be read, which the runtime reports."""
        try:
            return read_skill_file(self.found)
        except OSError:
            return b''

    @cached_property
    def text(self) -> str:
        """Its `SKILL.md` as text, without a byte order mark."""
        return self.raw.decode('utf-8-sig', errors='replace')

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """Its frontmatter, mended where the runtime mends it; empty where that cannot be read."""
        return repair(self.raw, self.found.folder).fields

    @cached_property
    def body_start(self) -> int:
        """Where its instructions begin in `text`."""
        span = split_frontmatter(self.text)
        return 0 if span is None else skip_blank_lines(self.text, span.end)

    @property
    def body(self) -> str:
        """Its instructions."""
        return self.text[self.body_start :]

    @cached_property
    def body_line(self) -> int:
        """The line of `text` on which the instructions begin, from 1."""
        return len(split_lines(self.text[: self.body_start])) + 1

    def field_line(self, name: str) -> int | None:
        """The line on which a field of the frontmatter begins."""
        for number, line in enumerate(split_lines(self.text[: self.body_start]), 1):
            if line.partition(':')[0].strip(' "\'') == name:
                return number
        return None

    @cached_property
    def files(self) -> tuple[IndexedFile, ...]:
        """Its files, without `SKILL.md`; none where the folder cannot be listed."""
        try:
            return tuple(index_files(self.found.directory, None, self.left_out.append))
        except OSError:
            return ()

    @cached_property
    def package(self) -> SkillPackage:
        """Its files as the tools look them up.

        Raises:
            OSError: its folder cannot be listed.
        """
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # `files` has reported them
            return index_package(self.item.name, self.found, LocalSkillScriptExecutor(), ResourceFilter())

    def read(self, file: IndexedFile) -> bytes:
        """The beginning of a file; empty where it cannot be read."""
        try:
            return read_inside(self.found.directory, file.file.path, MAX_CHECKED_BYTES)
        except OSError:
            return b''

    def place(self, name: str) -> Path:
        """The path of one of its files, for a finding."""
        return self.directory / name

    def documents(self) -> Iterator[tuple[str, str, int]]:
        """Each bundled Markdown file: its name, its text, and the line on which that begins; `SKILL.md`'s body first."""
        yield self.skill_file.name, self.body, self.body_line
        for file in self.files:
            if file.kind == 'resource' and file.file.name.lower().endswith(('.md', '.mdx', '.markdown')):
                yield file.file.name, self.read(file).decode('utf-8-sig', errors='replace'), 1
