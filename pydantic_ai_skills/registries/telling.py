"""Who tells of findings: a registry that is synced by itself gives warnings; whoever collects findings does it instead."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

from ..diagnostics import SkillDiagnostic, warn_about

_collected: ContextVar[bool] = ContextVar('pydantic_ai_skills_findings_collected', default=False)


@contextmanager
def findings_collected() -> Generator[None]:
    """In this block findings are not given as warnings: the caller has them from `diagnostics`, and says them once."""
    token = _collected.set(True)
    try:
        yield
    finally:
        _collected.reset(token)


def tell(findings: Iterable[SkillDiagnostic]) -> None:
    """Give findings as warnings, unless somebody collects them."""
    if not _collected.get():
        warn_about(findings, stacklevel=4)
