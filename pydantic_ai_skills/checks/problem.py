"""A finding with its place, and how much a finding matters to an author."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..diagnostics import SkillDiagnostic
from .rules import BREAKS_FORMAT, RULES


@dataclass(frozen=True)
class Problem(SkillDiagnostic):
    """A diagnostic that may know its line.

    For an author, `'error'` is what the format forbids or what leaves the skill out, although it may have been mended
    here; `'warning'` what is likely to go wrong; `'info'` what is worth knowing.
    """

    line: int | None = None
    """The line of the file, from 1; `None` where it is about the whole."""


def problem(code: str, path: Path, message: str, *, line: int | None = None, hint: str | None = None) -> Problem:
    """A finding of one of our own rules, with the rule's severity, and its remedy unless there is a better `hint`."""
    rule = RULES[code]
    return Problem(path, rule.severity, code, message, rule.remedy if hint is None else hint, line)


def as_problem(diagnostic: SkillDiagnostic, line: int | None = None) -> Problem:
    """A diagnostic of the runtime as an author should take it: what breaks the format is an error, mended or not."""
    severity: Any = 'error' if diagnostic.code in BREAKS_FORMAT else diagnostic.severity
    return Problem(diagnostic.path, severity, diagnostic.code, diagnostic.message, diagnostic.hint, line)
