"""Puts the example skills into the wheel, where the installed `demo` finds them.

Not by `force-include`: that copies them for an editable install too, into a second folder of the package's name.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExampleSkillsHook(BuildHookInterface[Any]):
    """Called by hatchling for each wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version` is `'editable'` for an editable install, which uses `examples/` as it is."""
        if version == 'standard':
            build_data['force_include']['examples/skills'] = 'pydantic_ai_skills/cli/skills'
