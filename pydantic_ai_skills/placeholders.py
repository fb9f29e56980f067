"""The names that published skills use for their own folder, and the folder in their place."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    # not one that is escaped for a shell, which is to find it in its environment
    r'(?<!\\)\$\{(?:CLAUDE_)?SKILL_DIR\}'
    # not the beginning of a longer name, by the shell's rule of what a name is
    r'|(?<!\\)\$(?:CLAUDE_)?SKILL_DIR(?![A-Za-z0-9_])'
    # not ${baseDir}, a variable of JavaScript or a shell, nor {{skill_dir}}, a template's
    r'|(?<![${])\{(?:baseDir|skill_dir)\}'
)


def resolve_placeholders(text: str, directory: str) -> str:
    """Put a skill's directory in the place of the placeholders for it.

    These are `${SKILL_DIR}` and `${CLAUDE_SKILL_DIR}` (contract), and `$SKILL_DIR`, `$CLAUDE_SKILL_DIR`, `{baseDir}` and
    `{skill_dir}` (found in published skills: 81 of 6,450, and 567 more in collections). In fenced code too, for
    commands are there. Longer names such as `$SKILL_DIRECTORY` stay as they are, and so do `\\${SKILL_DIR}` and `{{baseDir}}`.

    Args:
        text: Instructions. Files of a skill are never changed in this way.
        directory: Put in as it is, whatever it holds.
    """
    return _PLACEHOLDER.sub(lambda _: directory, text)
