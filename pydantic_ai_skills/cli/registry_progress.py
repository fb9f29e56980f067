"""Progress of network work, as bars on standard error where a person sees them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from ..diagnostics import SkillDiagnostic
from ..discovery import Library
from ..registries import SkillRegistry
from .console import error_console, one_line


@contextmanager
def progress_bars() -> Generator[Progress]:
    """Bars that vanish when the work is done; nothing at all where standard error is no terminal."""
    console = error_console()
    columns = (TextColumn('{task.description}', markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


class WatchedRegistry(SkillRegistry):
    """A registry whose sync moves a bar."""

    def __init__(self, wrapped: SkillRegistry, text: str, progress: Progress) -> None:
        """Watch `wrapped`, which is called `text` beside its bar."""
        self.wrapped = wrapped
        self.origin = wrapped.origin
        self._text = one_line(text)
        self._progress = progress

    def __repr__(self) -> str:
        return repr(self.wrapped)

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """Those of the registry."""
        return self.wrapped.diagnostics

    def library(self, path: Path) -> Library:
        """That of the registry."""
        return self.wrapped.library(path)

    def sync(self) -> Path:
        """Sync the registry; errors as its own."""
        task = self._progress.add_task(self._text, total=None)

        def watch(phase: str, done: int, total: int | None) -> None:
            self._progress.update(task, description=f'{self._text}: {phase}', completed=done, total=total)

        sync: Any = self.wrapped.sync  # the base class leaves `progress` to those that can
        try:
            return sync(progress=watch)
        finally:
            self._progress.remove_task(task)
