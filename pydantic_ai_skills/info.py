"""What a host shows and filters by: one skill as its frontmatter describes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from pydantic_ai import RunContext

from .digest import package_digest
from .frontmatter import text_field


@dataclass(frozen=True)
class SkillInfo:
    """One skill: its name and description, and the frontmatter that harness does not keep.

    What predicates of `filtered` and `select` are given, and what listings show. Values of the frontmatter are as
    written, without YAML types: `version: 1.10` is the text `'1.10'`.
    """

    name: str
    """The skill's id, as the catalog has it."""

    description: str
    """What it is for; outer blanks removed."""

    directory: Path | None
    """Its folder, resolved; `None` for a skill written in Python."""

    license: str | None = None
    """The frontmatter's `license`."""

    compatibility: str | None = None
    """The frontmatter's `compatibility`: what the skill needs around it."""

    # Aliases can unfold a few hundred bytes to a billion items, so nothing that visits every item may run by itself.
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), repr=False, compare=False)
    """The frontmatter's `metadata`: text, or lists and mappings of text. Empty where there is none."""

    source: str | None = None
    """Where it comes from, to show: the library as configured, or the registry."""

    model_invocable: bool = True
    """Whether the model may load it; `disable-model-invocation: true` says no."""

    user_invocable: bool = True
    """Whether a person may invoke it; `user-invocable: false` says no."""

    boundary: Path | None = field(default=None, repr=False, compare=False)
    """The folder that its links may lead into; the package's own where it is `None`."""

    @property
    def digest(self) -> str | None:
        """The SHA-256 over all its files (see `pydantic_ai_skills.digest`); `None` for a skill written in Python.

        Computed when asked for.

        Raises:
            OSError: a file cannot be read.
        """
        return None if self.directory is None else package_digest(self.directory, self.boundary)


def skill_info(
    name: str,
    fields: Mapping[str, Any],
    directory: Path | None,
    *,
    source: str | None = None,
    boundary: Path | None = None,
) -> SkillInfo:
    """The `SkillInfo` of a package out of its frontmatter, as `frontmatter_fields` gives it."""
    metadata = fields.get('metadata')
    return SkillInfo(
        name=name,
        description=(text_field(fields, 'description') or '').strip(),
        directory=directory,
        license=text_field(fields, 'license'),
        compatibility=text_field(fields, 'compatibility'),
        metadata=MappingProxyType(cast('dict[str, Any]', metadata) if isinstance(metadata, dict) else {}),
        source=source,
        model_invocable=not _is_word(fields, 'disable-model-invocation', 'true'),
        user_invocable=not _is_word(fields, 'user-invocable', 'false'),
        boundary=boundary,
    )


def _is_word(fields: Mapping[str, Any], name: str, word: str) -> bool:
    return (text_field(fields, name) or '').strip().lower() == word


SelectSkill: TypeAlias = Callable[[RunContext[Any], SkillInfo], bool | Awaitable[bool]]
"""Says whether a skill exists for a run, by its tenant, role or flag in `ctx.deps`. Sync or async."""
