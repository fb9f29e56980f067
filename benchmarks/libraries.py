"""Skill libraries to measure on, made once a run and the same for both sides."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .measure import scratch

_FOLDERS = ('', 'references/', 'scripts/', 'assets/', 'references/deep/')


@cache
def library(skills: int, files: int) -> Path:
    """A library of `skills` packages, each with a `SKILL.md` and `files` other files: text, scripts and a few images.

    Sizes are those of published skills: a description of 256 characters, a body of 7.7 KB, files of about 4 KB.
    """
    root = scratch() / f'library-{skills}-{files}'
    for number in range(skills):
        _package(root / f'skill-{number:05}', number, files)
    return root


def _package(folder: Path, number: int, files: int) -> None:
    folder.mkdir(parents=True)
    description = f'Does thing {number}. Use it when thing {number} is asked for. '.ljust(256, 'x')
    body = '\n'.join(
        f'{line}. Read `references/file-{line}.md` and do what it says about thing {number}.' for line in range(100)
    )
    (folder / 'SKILL.md').write_text(f'---\nname: {folder.name}\ndescription: {description}\n---\n\n{body}\n')
    for index in range(files):
        name, content = _file(index)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _file(index: int) -> tuple[str, bytes]:
    if index % 5 == 2:
        return f'scripts/script-{index}.py', b'print("done")\n' * 200
    if index % 7 == 3:
        return f'assets/image-{index}.png', b'\x89PNG\r\n\x1a\n' + bytes(4_000)
    return f'{_FOLDERS[index % len(_FOLDERS)]}file-{index}.md', b'A line of a reference.\n' * 180
