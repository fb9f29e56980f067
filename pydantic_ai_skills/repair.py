"""What a refused `SKILL.md` would be when mended: text in, text and findings out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was mended or is wrong."""

    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Repaired:
    """The mended text, or `None` where it cannot be mended."""

    text: str | None
    findings: tuple[Finding, ...] = ()


def repair(raw: bytes, directory_name: str) -> Repaired:
    """Nothing is mended yet: what harness refuses is left out."""
    return Repaired(None)
