#!/usr/bin/env python3
"""Say what is in a CSV file: rows, and for each column its type, missing values, range and most common values."""

import argparse
import csv
import math
import re
import statistics
import sys
from collections import Counter
from datetime import date

MISSING = frozenset(['', 'na', 'n/a', 'nan', 'null', 'none', '-'])
TRUTH = (frozenset(['true', 'false']), frozenset(['yes', 'no']), frozenset(['0', '1']))
GROUPED = re.compile(r'[+-]?\d{1,3}(,\d{3})+(\.\d+)?')


def number(text):
    """A number with thousands separators at most; a decimal comma is too easily taken for one of those."""
    if '_' in text or (',' in text and not GROUPED.fullmatch(text)):
        raise ValueError(text)
    value = float(text.replace(',', ''))
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def integer(text):
    if not number(text).is_integer() or '.' in text or 'e' in text.lower():
        raise ValueError(text)


def kind_of(values):
    """The narrowest type that all values have."""
    if {value.lower() for value in values} in TRUTH:
        return 'truth'
    for name, parse in (('integer', integer), ('number', number), ('date', date.fromisoformat)):
        try:
            for value in values:
                parse(value)
        except ValueError:
            continue
        return name
    return 'text'


def plural(count, noun):
    return f'{count:,} {noun}{"" if count == 1 else "s"}'


def describe(values, top):
    """The lines about one column."""
    present = [value.strip() for value in values if value.strip().lower() not in MISSING]
    missing = len(values) - len(present)
    if not present:
        return ['empty: no value at all']
    kind = kind_of(present)
    counts = Counter(present)
    share = f', {missing / len(values):.0%} missing ({missing:,})' if missing else ''
    unique = ', all different' if len(counts) == len(present) > 1 else f', {len(counts):,} different'
    lines = [f'{kind}{unique}{share}']
    if kind in ('integer', 'number'):
        numbers = [number(value) for value in present]
        middle, mean = statistics.median(numbers), statistics.fmean(numbers)
        lines.append(f'min {min(numbers):g}, median {middle:g}, mean {mean:g}, max {max(numbers):g}')
    elif kind == 'date':
        lines.append(f'from {min(present)} to {max(present)}')
    if len(counts) < len(present):
        common = ', '.join(f'{value!r} ({count:,})' for value, count in counts.most_common(top))
        lines.append(f'most common: {common}')
    return lines


def read(source):
    """The header and the rows; the delimiter is found out from the first lines."""
    text = source.read()
    try:
        dialect = csv.Sniffer().sniff(text[:65536], delimiters=',;\t|')
    except csv.Error:
        dialect = csv.excel
    rows = [row for row in csv.reader(text.splitlines(keepends=True), dialect) if row]
    if not rows:
        sys.exit('The file is empty.')
    return rows[0], rows[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file', help='the CSV file, or - for standard input')
    parser.add_argument('columns', nargs='*', help='columns to describe; all unless given')
    parser.add_argument('--top', type=int, default=3, metavar='N', help='most common values to show (default: 3)')
    options = parser.parse_args()
    try:
        if options.file == '-':
            header, rows = read(sys.stdin)
        else:
            with open(options.file, encoding='utf-8-sig', errors='replace', newline='') as source:
                header, rows = read(source)
    except OSError as error:
        sys.exit(f'{options.file} cannot be read: {error.strerror}.')
    if unknown := [column for column in options.columns if column not in header]:
        sys.exit(f'No column {", ".join(map(repr, unknown))}. There is: {", ".join(header)}.')

    print(f'{plural(len(rows), "row")}, {plural(len(header), "column")}')
    if uneven := sum(len(row) != len(header) for row in rows):
        print(f'! {plural(uneven, "row")} with more or fewer fields than the header')
    if doubled := len(rows) - len({tuple(row) for row in rows}):
        print(f'! {plural(doubled, "row")} the same as an earlier one')
    for index, column in enumerate(header):
        if not options.columns or column in options.columns:
            print(f'\n{column}')
            for line in describe([row[index] if index < len(row) else '' for row in rows], options.top):
                print(f'  {line}')


if __name__ == '__main__':
    main()
