"""What was noticed about a skill package when it was read: left out, repaired, or worth knowing."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal['error', 'warning', 'info']
"""`'error'`: the skill was left out. `'warning'`: it was repaired, shadowed or cut. `'info'`: worth knowing."""


@dataclass(frozen=True)
class SkillDiagnostic:
    """One finding about one file or folder, for a host to show, log or fail on.

    Listed by `SkillsCapability.diagnostics`, in the order of libraries and then of names. Errors and warnings
    are also given as one `UserWarning` each, once, when the snapshot is made.
    """

    path: Path | str
    """The `SKILL.md`, folder or library it is about; `skill://<name>` for a skill written in Python."""

    severity: Severity
    """How much it matters: see `Severity`."""

    code: str
    """A stable, hyphenated name of the kind of finding, to filter on; the documentation explains each."""

    message: str
    """A sentence that names the thing and says what is wrong with it."""

    hint: str | None = None
    """How to mend it, or `None` where nothing needs mending."""

    def __str__(self) -> str:
        """The finding as one line: message, then hint."""
        return self.message if self.hint is None else f'{self.message} {self.hint}'


def warn_about(diagnostics: Iterable[SkillDiagnostic], *, stacklevel: int = 2) -> None:
    """Give each error and warning among `diagnostics` as a `UserWarning`; infos stay silent."""
    for diagnostic in diagnostics:
        if diagnostic.severity != 'info':
            warnings.warn(str(diagnostic), UserWarning, stacklevel=stacklevel + 1)
