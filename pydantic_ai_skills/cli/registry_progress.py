"""Progress of network work, as bars on standard error where a person sees them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from ..registries import SkillRegistry, WrapperRegistry
from .console import error_console, one_line


@contextmanager
def progress_bars(wanted: bool = True) -> Generator[Progress]:
    """Bars that vanish when the work is done; nothing at all where they are not wanted, or nobody would see them."""
    console = error_console()
    columns = (TextColumn('{task.description}', markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not (wanted and console.is_terminal)) as progress:
        yield progress


class WatchedRegistry(WrapperRegistry):
    """A registry whose sync moves a bar."""

    def __init__(self, wrapped: SkillRegistry, text: str, bars: Progress) -> None:
        """Watch `wrapped`, which is called `text` beside its bar."""
        super().__init__(wrapped)
        self._text = one_line(text)
        self._bars = bars

    def __repr__(self) -> str:
        return repr(self.wrapped)

    def sync(self, *, progress: Callable[[str, int, int | None], None] | None = None) -> Path:
        """Sync the registry; errors as its own."""
        task = self._bars.add_task(self._text, total=None)

        def watch(phase: str, done: int, total: int | None) -> None:
            self._bars.update(task, description=f'{self._text}: {phase}', completed=done, total=total)
            if progress is not None:
                progress(phase, done, total)

        try:
            return super().sync(progress=watch)
        finally:
            self._bars.remove_task(task)
