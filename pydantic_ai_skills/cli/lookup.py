"""Which skill a command is about: by its name in the sources, or by its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from ..access import unwrap_entry
from ..discovery import skill_file_in
from ..entry import SkillEntry
from ..info import SkillInfo
from ..names import normalize_name
from .errors import WrongUseError
from .locations import FolderLocation, locations
from .sources import ExecutorChoice, Source, anywhere, folder_of, open_all

_LISTED = 20


@dataclass(frozen=True)
class Chosen:
    """A skill and where it was found."""

    source: Source
    info: SkillInfo
    entry: SkillEntry | None
    """What the model can load; `None` where only a person may invoke the skill."""

    def offered(self) -> SkillEntry:
        """What the model can load.

        Raises:
            WrongUseError: the model is not offered this skill.
        """
        if self.entry is None:
            raise WrongUseError(
                f'The skill {self.info.name!r} is not offered to the model (disable-model-invocation), so it cannot '
                'use its files.'
            )
        return self.entry


def choose_skill(name: str, sources: Sequence[str] | None, choose: ExecutorChoice = anywhere) -> Chosen:
    """The skill that `name` means: its folder where it is a path, else the first of that name in the sources.

    Raises:
        WrongUseError: there is none; the message says which there are, or why it was left out.
    """
    if not sources and _is_path(name):
        opened = open_all([FolderLocation(name, Path(os.path.abspath(Path(name).expanduser())))], choose)
        if opened[0].capability.skills:
            return _chosen(opened[0], opened[0].capability.skills[0])
        raise WrongUseError(_left_out(opened, name))
    opened = open_all(locations(sources), choose)
    wanted = normalize_name(name)
    for source in opened:
        for info in source.capability.skills:
            if info.name == wanted:
                return _chosen(source, info)
    raise WrongUseError(_left_out(opened, name))


def _is_path(name: str) -> bool:
    path = Path(name).expanduser()
    return (os.sep in name or name in ('.', '..') or path.is_dir()) and (
        path.name.lower() == 'skill.md' or skill_file_in(path) is not None or os.sep in name
    )


def _chosen(source: Source, info: SkillInfo) -> Chosen:
    entries: dict[str | None, SkillEntry | None] = {}

    def visit(part: AbstractCapability[Any]) -> None:
        entries[part.id] = unwrap_entry(part)

    source.capability.apply(visit)
    return Chosen(source, info, entries.get(info.name))


def _left_out(opened: Sequence[Source], name: str) -> str:
    base = Path(name).name if os.sep in name else name
    for source in opened:
        for item in source.capability.diagnostics:
            folder = folder_of(item)
            if item.severity == 'error' and folder is not None and folder.name == base:
                return f'The skill {name!r} cannot be loaded. {item}'
    names = sorted({info.name for source in opened for info in source.capability.skills})
    if not names:
        return f'There is no skill {name!r}: {", ".join(source.text for source in opened)} has none at all.'
    if Path(name).is_dir():
        return f'{name} is a folder without a SKILL.md: name a skill, and the folder by --source {name}.'
    if close := get_close_matches(base, names, n=1):
        return f'There is no skill {name!r}. Did you mean {close[0]!r}?'
    more = f' and {len(names) - _LISTED:,} more' if len(names) > _LISTED else ''
    return f'There is no skill {name!r}. There is: {", ".join(names[:_LISTED])}{more}.'


def tool_context() -> RunContext[Any]:
    """A context for calling the file tools outside a run: no dependencies, and a model that is never asked."""
    return RunContext(deps=None, model=TestModel(), usage=RunUsage())
