"""Diagnostics for programs: as JSON, as SARIF, and as annotations of GitHub's workflows."""

from __future__ import annotations

import os
from typing import Any

from ..diagnostics import SkillDiagnostic


def problem_dict(diagnostic: SkillDiagnostic) -> dict[str, Any]:
    """A diagnostic as JSON."""
    line: int | None = getattr(diagnostic, 'line', None)
    return {
        'path': os.fspath(diagnostic.path),
        **({} if line is None else {'line': line}),
        'severity': diagnostic.severity,
        'code': diagnostic.code,
        'message': diagnostic.message,
        'hint': diagnostic.hint,
    }
