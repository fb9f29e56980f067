"""What the places to run scripts in cost, and that they stay within their bounds."""

from __future__ import annotations

import os
import shutil

from .measure import measure, scratch
from .rows import Row, Unavailable

MEMORY_BYTES = 64 * 2**20
"""How much a process may grow while a script prints 100 MB."""


def rows() -> list[Row]:
    """Bubblewrap over local, a second run in a workspace, 100 MB of output, and a run after the other."""
    if shutil.which('bwrap') is None:
        raise Unavailable('bubblewrap is not installed (apt install bubblewrap)')
    folder = scratch() / 'executors' / 'demo'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'SKILL.md').write_text('---\nname: demo\ndescription: Demo.\n---\n')
    (folder / 'word.py').write_text("print('word')\n")
    (folder / 'big.py').write_text("for _ in range(100): print('x' * 999_999)\n")
    (folder / 'nothing.sh').write_text(':\n')
    places = measure('executor_places', folder, 20, sides=['ours'])['ours']
    big = measure('big_output', folder, sides=['ours'])['ours']
    return [
        Row(
            'Bubblewrap over local, a script that prints one word',
            places['sandbox'] - places['local'],
            reach_seconds=0.06,
        ),
        Row(
            'second run in a workspace that has the files',
            places['workspace'],
            reach=1.5,
            reference=places['bare workspace'],
            reference_name='`Workspace.run`',
            failures=() if places['commands'] == 1 else (f'{places["commands"]:g} commands',),
        ),
        Row(
            f'100 MB of output, {big["bytes"] / 2**20:.0f} MiB over the start',
            big['seconds'],
            failures=_broken(
                {
                    'over 64 MiB of memory': big['bytes'] <= MEMORY_BYTES,
                    'the text does not say so': bool(big['told']),
                    'the text is long': big['characters'] <= 31_000,
                }
            ),
        ),
        soak(folder),
    ]


def soak(folder: object) -> Row:
    """Runs in a row of a script that leaves nothing behind: `BENCH_SOAK_RUNS`, 10,000 unless given."""
    os.environ['BENCH_ROUNDS'], before = '1', os.environ.get('BENCH_ROUNDS')
    try:
        left = measure('soak', str(folder), os.environ.get('BENCH_SOAK_RUNS', '10000'), sides=['ours'])['ours']
    finally:
        os.environ.pop('BENCH_ROUNDS')
        if before is not None:
            os.environ['BENCH_ROUNDS'] = before
    return Row(
        f'{left["runs"]:,.0f} runs in a row, each; resident memory {left["bytes"] / 2**20:+.1f} MiB',
        left['seconds'] / left['runs'],
        failures=_broken(
            {
                f'{left["descriptors"]:+g} descriptors': left['descriptors'] <= 0,
                f'{left["processes"]:+g} processes': left['processes'] <= 0,
                f'{left["files"]:+g} temporary files': left['files'] <= 0,
                'memory grows': left['bytes'] <= 4 * 2**20,
            }
        ),
    )


def _broken(conditions: dict[str, bool]) -> tuple[str, ...]:
    return tuple(name for name, holds in conditions.items() if not holds)
