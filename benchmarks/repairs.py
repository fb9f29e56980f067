"""What repairs cost where every tenth package needs one, and whether construction is linear."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from .libraries import library
from .measure import measure, scratch
from .rows import Row

_REPEATS = 4
_MEGABYTES = 300

# Of ten packages that need a repair, in published skills: seven names, two colons, one byte order mark.
_MIXTURE = ['name'] * 5 + ['Name'] * 2 + ['colon'] * 2 + ['mark']
_TROUBLES: dict[str, Callable[[str], str]] = {
    'name': lambda text: text.replace('name: ', 'name: vendor-', 1),
    'Name': lambda text: text.replace('name: skill-', 'name: Skill ', 1),
    'colon': lambda text: text.replace('description: Does', 'description: Use when: it does', 1),
    'mark': lambda text: f'\ufeff{text}',
}


def rows() -> list[Row]:
    """A row for the troubles as they are published, one for the dearest alone, and one for 5,000 skills."""
    work = 'Constructing over 500 skills of which 50 need a repair'
    return [
        _repairs(f'{work}, as published', _MIXTURE),
        _repairs(f'{work}, all an unquoted colon', ['colon']),
        _linear(),
    ]


def _repairs(work: str, troubles: list[str]) -> Row:
    # Each library is constructed over once a process, for what is read is kept: so there are several of each kind.
    pairs: list[Path] = []
    for repeat in range(_REPEATS):
        pairs += [_copy(f'sound-{"".join(troubles)}-{repeat}', []), _copy(f'{"".join(troubles)}-{repeat}', troubles)]
    best = measure('repairs', library(10, 0), 500, *pairs, sides=['ours'])['ours']
    return Row(work, best['mended'], reach=1.1, reference=best['sound'], reference_name='500 that need none')


def _copy(name: str, troubles: list[str]) -> Path:
    root = shutil.copytree(library(500, 0), scratch() / f'repairs-{name}')
    for index, file in enumerate(sorted(root.glob('*/SKILL.md'))[::10] if troubles else ()):
        file.write_text(_TROUBLES[troubles[index % len(troubles)]](file.read_text('utf-8')), 'utf-8')
    return root


def _linear() -> Row:
    # One after the other in the same process: a machine's speed changes by a tenth from one minute to the next.
    sizes = [library(1_000, 1), '1000', library(5_000, 1), '5000']
    best = measure('many_skills', library(10, 0), *sizes, sides=['ours'])['ours']
    peak = best['megabytes']
    return Row(
        f'Constructing over 5,000 skills ({peak:.0f} MB)',
        best['many'],
        reach=5.5,
        reference=best['few'],
        reference_name='1,000',
        failures=(f'{peak:.0f} MB of memory, at most {_MEGABYTES}',) if peak > _MEGABYTES else (),
    )
