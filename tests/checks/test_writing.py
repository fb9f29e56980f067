"""Practice in writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support import skill_text
from .helpers import GOOD, body, check, codes


@pytest.mark.parametrize(
    'description',
    [
        'Fills forms. Use when the user has a PDF.',
        'Use this skill for tables.',
        'Fills forms if asked.',
        'Reviews changes before they are merged.',
        'Invoked whenever a release is cut.',
        'Helps users who want to fill forms; the user asks for a form.',
        '處理 PDF 表單的工具。',
    ],
)
def test_descriptions_that_say_when(tmp_path: Path, description: str) -> None:
    assert codes(check(tmp_path, {'SKILL.md': skill_text('demo', description)})) == []


@pytest.mark.parametrize('description', ['Fills PDF forms.', 'A collection of helpers about tables and charts.'])
def test_descriptions_that_do_not(tmp_path: Path, description: str) -> None:
    (problem,) = check(tmp_path, {'SKILL.md': skill_text('demo', description)})
    assert (problem.code, problem.line, problem.severity) == ('description-when', 3, 'warning')


def test_length_of_the_instructions(tmp_path: Path) -> None:
    assert codes(check(tmp_path / 'a', body('\n'.join('x' * 500)))) == []
    (problem,) = check(tmp_path / 'b', body('\n'.join('x' * 501)))
    assert (problem.code, problem.line) == ('body-long', 6) and '501 lines' in problem.message
    assert codes(check(tmp_path / 'c', body('\n\n'))) == ['body-empty']


def test_line_ends_of_windows(tmp_path: Path) -> None:
    text = skill_text('demo', GOOD).replace('\n', '\r\n')
    assert codes(check(tmp_path, {'SKILL.md': text})) == ['line-ends']


def test_a_description_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, {'SKILL.md': skill_text('demo', 'Use when ' + 'x' * 1_100)})
    assert (problem.code, problem.severity, problem.line) == ('description-long', 'error', 3)
