"""The skill's folder, where its instructions ask for it."""

from __future__ import annotations


def replace_placeholders(body: str, directory: str) -> str:
    """`body` with `${SKILL_DIR}` and `${CLAUDE_SKILL_DIR}` replaced by the skill's folder."""
    return body.replace('${SKILL_DIR}', directory).replace('${CLAUDE_SKILL_DIR}', directory)
