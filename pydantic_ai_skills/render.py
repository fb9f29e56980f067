"""The instructions that a host sends when a person invokes a skill."""

from __future__ import annotations

from pydantic_ai_harness.skills import SkillDefinition

from .entry import SkillEntry


def render_entry(entry: SkillEntry, arguments: str | None, *, with_files: bool) -> str:
    """A skill's instructions with a person's arguments, by harness's own rules for `$ARGUMENTS`.

    Args:
        entry: The skill.
        arguments: What the person wrote behind its name; `None` where there is nothing to put in.
        with_files: Whether to list its files: not where the model cannot load the skill, since they stay shut then.
    """
    definition = SkillDefinition(
        name=entry.name,
        description=entry.info.description,
        body=entry.body,
        ignored_behavioral_fields=(),
        path=f'/{entry.name}/SKILL.md',
        in_run_workspace=False,
    )
    text = definition.render(arguments)
    return '\n\n'.join(part for part in (text, entry.file_list) if part) if with_files else text
