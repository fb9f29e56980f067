"""The CSV profiler: what its report says of tables that are not as they should be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SKILL = Path(__file__).parents[2] / 'examples' / 'skills' / 'csv-profiler'


def profile(*args: str, table: str | None = None) -> str:
    command = [sys.executable, 'scripts/profile.py', *args]
    done = subprocess.run(command, cwd=SKILL, input=table, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f'exit {done.returncode}: {done.stderr}'


def test_sample_has_the_faults_that_the_demo_tells_of() -> None:
    report = profile('assets/sample.csv', 'country', 'price')
    assert report.startswith('11 rows, 7 columns\n! 1 row the same as an earlier one\n')
    assert 'country\n  text, 4 different, 9% missing (1)' in report
    assert 'min 1.2, median 6.9, mean 353.414, max 3800' in report
    assert 'quantity' not in report


@pytest.mark.parametrize(
    ('values', 'line'),
    [
        (['1', '2'], 'integer, all different'),
        (['1,000', '2,000.5'], 'number, all different'),
        (['3,50', '4,50'], 'text, all different'),  # a decimal comma is no thousands separator
        (['1_0', '2'], 'text, all different'),
        (['yes', 'No'], 'truth, all different'),
        (['1', '1'], 'integer, 1 different'),
        (['2026-01-02', '2026-03-04'], 'date, all different'),
        (['nan', 'N/A'], 'empty: no value at all'),
        (['inf', '1'], 'text, all different'),
    ],
)
def test_type_of_a_column(values: list[str], line: str) -> None:
    rows = '\n'.join(f'"{value}";x' for value in values)
    assert f'column\n  {line}' in profile('-', 'column', table=f'column;other\n{rows}\n')


def test_damaged_rows_are_counted() -> None:
    assert '! 1 row with more or fewer fields than the header' in profile('-', table='a,b\n1,2\n1,2,3\n')


@pytest.mark.parametrize(
    ('args', 'table', 'message'),
    [
        (['no/such.csv'], None, 'no/such.csv cannot be read: No such file or directory.\n'),
        (['-'], '', 'The file is empty.\n'),
        (['-', 'c'], 'a,b\n1,2\n', "No column 'c'. There is: a, b.\n"),
    ],
)
def test_what_cannot_be_profiled_is_said_in_one_sentence(args: list[str], table: str | None, message: str) -> None:
    assert profile(*args, table=table) == f'exit 1: {message}'
