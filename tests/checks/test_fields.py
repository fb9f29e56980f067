"""The format's rules for the frontmatter."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import GOOD, body, check, codes


@pytest.mark.parametrize(
    ('extra', 'code', 'severity'),
    [
        ('version: 1\n', 'field-unknown', 'error'),
        ('user-invocable: false\n', 'field-extension', 'info'),
        (f'compatibility: {"x" * 501}\n', 'compatibility-long', 'error'),
        ('compatibility: ""\n', 'compatibility-invalid', 'error'),
        ('compatibility: [a]\n', 'compatibility-invalid', 'error'),
        ('metadata: text\n', 'metadata-invalid', 'error'),
        ('metadata: {tags: [a, b]}\n', 'metadata-not-text', 'info'),
        ('allowed-tools: [Read, Write]\n', 'allowed-tools-list', 'warning'),
    ],
)
def test_each_rule_with_its_line(tmp_path: Path, extra: str, code: str, severity: str) -> None:
    found = [problem for problem in check(tmp_path, body('Do it.', extra)) if problem.code == code]
    assert [(problem.severity, problem.line) for problem in found] == [(severity, 4)]


@pytest.mark.parametrize(
    'extra',
    [
        f'compatibility: {"x" * 500}\n',
        'license: MIT\nmetadata:\n  a: "1"\n  b: 2.10\n',
        'allowed-tools: Read Write\n',
        'metadata:\n',
    ],
)
def test_what_the_format_allows(tmp_path: Path, extra: str) -> None:
    found = codes(check(tmp_path, body('Do it.', extra)))
    assert found in ([], ['fields-ignored'])  # that allowed-tools has no effect here


def test_a_name_is_required_by_the_format_and_not_here(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, {'SKILL.md': f'---\ndescription: {GOOD}\n---\nDo it.\n'})
    assert (problem.code, problem.severity) == ('name-missing', 'error')


def test_fields_of_a_frontmatter_that_had_to_be_mended_are_checked_too(tmp_path: Path) -> None:
    text = '---\nname: demo\ndescription: Use when: asked.\nfoo: bar\n---\nDo it.\n'
    assert codes(check(tmp_path, {'SKILL.md': text})) == ['value-quoted', 'field-unknown']
