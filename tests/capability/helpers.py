"""The library that these tests share."""

from __future__ import annotations

from ..support import Seen, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(body='Run ${SKILL_DIR}/scripts/x.py or ${CLAUDE_SKILL_DIR}/y.'),
    'demo/a.md': 'ALPHA',
    'demo/notes/b.csv': 'BETA',
    'demo/logo.png': b'\x89PNG\0',
    'demo/scripts/x.py': 'print("x ran")',
    'two/SKILL.md': skill_text('two', 'The second.'),
    'two/c.md': 'GAMMA',
    'bare/SKILL.md': skill_text('bare', 'Without files.'),
}
BOTH_TOOLS = ['read_skill_resource', 'run_skill_script']


def instructions(seen: Seen, name: str = 'demo') -> str:
    """The instructions of a loaded skill as the model got them."""
    start = seen.everything.index(f'# Skill: {name}')
    return seen.everything[start:].split('\n</context>')[0].rstrip()
