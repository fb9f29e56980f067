"""The base of what wraps one registry."""

from __future__ import annotations

from pathlib import Path

from ..diagnostics import SkillDiagnostic
from ..discovery import Library
from ..members import Origin
from .base import SkillRegistry
from .together import sync_registry
from .work import Progress


class WrapperRegistry(SkillRegistry):
    """A registry that does what another one does: subclass it and change what should be different.

    One that overrides `sync` can do anything before or after it, such as checking what was fetched:

        class Checked(WrapperRegistry):
            def sync(self, *, progress=None):
                library = super().sync(progress=progress)
                check_signatures(library)
                return library
    """

    def __init__(self, wrapped: SkillRegistry) -> None:
        """`wrapped` is never changed by it.

        Raises:
            TypeError: it is no registry.
        """
        if not isinstance(wrapped, SkillRegistry):
            raise TypeError(f'A registry is needed, not {wrapped!r}.')
        self.wrapped = wrapped
        """The registry it wraps."""

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.wrapped!r})'

    @property
    def origin(self) -> Origin:  # pyright: ignore[reportIncompatibleVariableOverride]
        """That of the wrapped one."""
        return self.wrapped.origin

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """Those of the wrapped one."""
        return self.wrapped.diagnostics

    def library(self, path: Path) -> Library:
        """As the wrapped one's library is read."""
        return self.wrapped.library(path)

    def sync(self, *, progress: Progress | None = None) -> Path:
        """Sync the wrapped one; errors as there."""
        return sync_registry(self.wrapped, progress)
