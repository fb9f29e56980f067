"""Runs the modules' rows and prints the table: `python -m benchmarks [MODULE…] [--json FILE]`."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from .rows import Row, Unavailable


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog='scripts/bench', description='Measure against pydantic-ai-skills 2.1.0.')
    known = list(_modules())
    parser.add_argument('modules', nargs='*', metavar='MODULE', help=f'of {", ".join(known)}; all unless given')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the figures there too')
    options = parser.parse_args()
    if unknown := set(options.modules) - set(known):
        parser.error(f'no module {", ".join(sorted(unknown))}; there is {", ".join(known)}')
    rows: list[Row] = []
    failed = False
    for name in options.modules or known:
        print(f'measuring {name} …', file=sys.stderr, flush=True)
        try:
            rows += importlib.import_module(f'{__package__}.{name}').rows()
        except Unavailable as reason:
            print(f'left out {name}: {reason}', file=sys.stderr)
        except Exception:  # the others are worth having all the same
            traceback.print_exc()
            failed = True
    print(table(rows))
    if options.json is not None:
        options.json.write_text(json.dumps([{**asdict(row), 'ratio': row.ratio, 'met': row.met} for row in rows]))
    return int(failed or any(row.met is False for row in rows))


def _modules() -> Iterator[str]:
    """The modules here that have rows; the others are programs of their own, so none is imported to find out."""
    for path in sorted(Path(__file__).parent.glob('*.py')):
        if path.name != Path(__file__).name and '\ndef rows()' in path.read_text():
            yield path.stem


def table(rows: Iterable[Row]) -> str:
    """A Markdown table, which reads well in a terminal too."""
    lines = [('work', 'here', '2.1.0', 'ratio', 'reach', 'reached')]
    for row in rows:
        met = {True: 'yes', False: '**no**', None: ''}[row.met]
        ratio = '' if row.ratio is None else _ratio(row.ratio)
        against = f' of {row.reference_name} ({_time(row.reference)})' if row.reference is not None else ''
        failed = f' ({", ".join(row.failures)})' if row.failures else ''
        lines.append((row.work, _time(row.ours), _time(row.yardstick), ratio + against, _reach(row), met + failed))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = [f'| {" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |' for line in lines]
    text.insert(1, f'|{"|".join("-" * (width + 2) for width in widths)}|')
    return '\n'.join(text)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ''
    return f'{seconds:.2f} s' if seconds >= 1 else f'{seconds * 1000:.1f} ms'


def _ratio(ratio: float) -> str:
    return f'{ratio:.2f} ×' if ratio >= 0.2 else f'1/{1 / ratio:.0f}' if ratio > 0 else '0'


def _reach(row: Row) -> str:
    parts = [] if row.reach is None else [f'≤ {_ratio(row.reach)}']
    if row.reach_seconds is not None:
        parts.append(f'≤ {_time(row.reach_seconds)}')
    return ' and '.join(parts)


if __name__ == '__main__':
    sys.exit(main())
