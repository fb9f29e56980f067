"""Findings for programs: as JSON, as SARIF, and as annotations of GitHub's workflows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..diagnostics import SkillDiagnostic

if TYPE_CHECKING:
    from ..checks.fixes import Fix
    from ..checks.problem import Problem

_LEVELS = {'error': 'error', 'warning': 'warning', 'info': 'note'}
_COMMANDS = {'error': 'error', 'warning': 'warning', 'info': 'notice'}


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


def as_json(checked: int, problems: Sequence[Problem], fixes: Sequence[Fix]) -> str:
    """A JSON document with all findings, and what was mended."""
    report = {
        'checked': checked,
        'problems': [problem_dict(problem) for problem in problems],
        'fixed': [{'path': str(fix.target), 'diff': fix.diff()} for fix in fixes],
    }
    return json.dumps(report, indent=2)


def as_sarif(checked: int, problems: Sequence[Problem], fixes: Sequence[Fix]) -> str:
    """SARIF 2.1.0, as GitHub's code scanning and editors read it; paths are relative to the folder of the command."""
    used = list(dict.fromkeys(problem.code for problem in problems))
    driver = {
        'name': 'pydantic-ai-skills',
        'version': version('pydantic-ai-skills'),
        'rules': [_sarif_rule(code) for code in used],
    }
    results = [
        {
            'ruleId': problem.code,
            'ruleIndex': used.index(problem.code),
            'level': _LEVELS[problem.severity],
            'message': {'text': str(problem)},
            'locations': [{'physicalLocation': _sarif_place(problem)}],
        }
        for problem in problems
    ]
    base = {'SRCROOT': {'uri': f'{Path.cwd().as_uri()}/'}}
    run = {'tool': {'driver': driver}, 'originalUriBaseIds': base, 'results': results}
    schema = 'https://json.schemastore.org/sarif-2.1.0.json'
    return json.dumps({'$schema': schema, 'version': '2.1.0', 'runs': [run]}, indent=2)


def _sarif_rule(code: str) -> Mapping[str, Any]:
    from ..checks.rules import explained

    meaning, remedy = explained(code)
    return {'id': code, 'shortDescription': {'text': meaning}, 'help': {'text': remedy}}


def _sarif_place(problem: Problem) -> Mapping[str, Any]:
    path = Path(problem.path)
    if path.is_relative_to(Path.cwd()):
        location = {'uri': path.relative_to(Path.cwd()).as_posix(), 'uriBaseId': 'SRCROOT'}
    else:
        location = {'uri': path.as_uri()}
    # Without a region, GitHub's code scanning does not show a result.
    return {'artifactLocation': location, 'region': {'startLine': problem.line or 1}}


def as_github(checked: int, problems: Sequence[Problem], fixes: Sequence[Fix]) -> str:
    """Workflow commands that GitHub Actions shows beside the lines of a change."""
    lines: list[str] = []
    for problem in problems:
        path = Path(problem.path)
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        properties = {'file': path.as_posix(), 'line': str(problem.line or 1), 'title': problem.code}
        listed = ','.join(f'{name}={_escaped(value, ",:")}' for name, value in properties.items())
        lines.append(f'::{_COMMANDS[problem.severity]} {listed}::{_escaped(str(problem))}')
    return '\n'.join(lines)


def _escaped(text: str, more: str = '') -> str:
    """As GitHub's toolkit escapes the data and, with `more`, the properties of a workflow command."""
    for character in f'%\r\n{more}':
        text = text.replace(character, f'%{ord(character):02X}')
    return text


REPORTS: Mapping[str, Callable[[int, Sequence[Problem], Sequence[Fix]], str]] = {
    'json': as_json,
    'sarif': as_sarif,
    'github': as_github,
}
"""The formats of `validate` beside text."""
