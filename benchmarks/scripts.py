"""What running a script costs over starting the process by hand."""

from __future__ import annotations

from .measure import measure, scratch
from .rows import Row


def rows() -> list[Row]:
    """One row: a Python script that prints one word."""
    folder = scratch() / 'one-word-library' / 'one-word'
    (folder / 'scripts').mkdir(parents=True, exist_ok=True)
    (folder / 'SKILL.md').write_text('---\nname: one-word\ndescription: Prints one word.\n---\n\nRun it.\n')
    (folder / 'scripts' / 'word.py').write_text("print('word')\n")
    best = measure('script_run', folder.parent, 50)
    return [
        Row(
            '`LocalSkillScriptExecutor.run` of a Python script that prints one word',
            best['ours']['executor'],
            best['yardstick']['executor'],
            reach=1.3,
            reference=best['ours']['bare'],
            reference_name='bare subprocess',
        )
    ]
