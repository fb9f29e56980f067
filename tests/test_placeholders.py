from __future__ import annotations

import pytest

from pydantic_ai_skills.placeholders import resolve_placeholders

DIRECTORY = r'/lib/my skill\1'


@pytest.mark.parametrize(
    'spelling',
    ['${SKILL_DIR}', '${CLAUDE_SKILL_DIR}', '$SKILL_DIR', '$CLAUDE_SKILL_DIR', '{baseDir}', '{skill_dir}'],
)
@pytest.mark.parametrize(
    'context',
    [
        'python "{}/scripts/a.py" --x',
        '{}',
        '{}-old',
        'x={}\n{}.',
        '```sh\ncd {} && ls {}/a\n```',
        'a{}:{}é',
        '({})',
        '{"cwd": "{}", "at": {}}',
        r'{}\scripts\a.py',
    ],
)
def test_every_spelling_in_every_place(spelling: str, context: str) -> None:
    assert resolve_placeholders(context.replace('{}', spelling), DIRECTORY) == context.replace('{}', DIRECTORY)


@pytest.mark.parametrize(
    'text',
    [
        '$SKILL_DIRECTORY',
        '$SKILL_DIR_2',
        '$SKILL_DIRS/x',
        '${SKILL_DIRECTORY}',
        '${SKILL_DIR:-.}',
        '$MY_SKILL_DIR',
        '${MY_CLAUDE_SKILL_DIR}',
        'SKILL_DIR',
        '$skill_dir',
        '{SKILL_DIR}',
        '{basedir}',
        '{skill_dir_name}',
        '{ baseDir }',
        '${baseDir}',
        '{{baseDir}}',
        '{{skill_dir}}',
        r'bash -c "cd \$SKILL_DIR && ls \${CLAUDE_SKILL_DIR}"',
        '<skill-dir>',
        '$ARGUMENTS $0',
    ],
)
def test_what_is_something_else(text: str) -> None:
    assert resolve_placeholders(text, DIRECTORY) == text


def test_a_directory_that_looks_like_a_placeholder() -> None:
    assert resolve_placeholders('$SKILL_DIR {baseDir}', '/a/{baseDir}') == '/a/{baseDir} /a/{baseDir}'
