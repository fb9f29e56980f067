"""What --fix makes of a file, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_skills.catalog import read_packages
from pydantic_ai_skills.checks.fixes import Fix, fixes_for
from pydantic_ai_skills.checks.package_checks import found_packages

from ..support import make_library, skill_text


def fixes(root: Path, folder: str, files: dict[str, str | bytes]) -> list[Fix]:
    make_library(root / folder, files)
    (item,) = read_packages(found_packages([root / folder]))
    return list(fixes_for(item))


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('\ufeff---\nname: demo\ndescription: D\n---\nx\n', '---\nname: demo\ndescription: D\n---\nx\n'),
        ('---\r\nname: demo\r\ndescription: D\r\n---\r\nx\r\n', '---\nname: demo\ndescription: D\n---\nx\n'),
        ('---\nname: demo\ndescription: A: b\n---\nx\n', '---\nname: demo\ndescription: "A: b"\n---\nx\n'),
        ('---\nname: Demo X\ndescription: D\n---\nx\n', '---\nname: "demo"\ndescription: D\n---\nx\n'),
        ('---\ndescription: D\n---\nx\n', '---\nname: demo\ndescription: D\n---\nx\n'),
        ('--- \nname: demo\ndescription: D\n---\nx\n', '---\nname: demo\ndescription: D\n---\nx\n'),
        (
            '<!-- Copyright -->\n\n---\nname: demo\ndescription: D\n---\nx\n',
            '---\nname: demo\ndescription: D\n---\n\n<!-- Copyright -->\nx\n',
        ),
    ],
)
def test_what_is_mended(tmp_path: Path, before: str, after: str) -> None:
    (fix,) = fixes(tmp_path, 'demo', {'SKILL.md': before})
    assert fix.after.decode() == after
    fix.write()
    assert (tmp_path / 'demo/SKILL.md').read_bytes() == after.encode()
    (item,) = read_packages(found_packages([tmp_path / 'demo']), strict=True)
    assert item.definition is not None


@pytest.mark.parametrize(
    'text', ['no frontmatter', '---\nname: demo\n---\nx\n', '\ufeff---\nname: [\n---\n', skill_text('demo'), '']
)
def test_what_cannot_be_mended_or_is_fine_stays(tmp_path: Path, text: str) -> None:
    assert fixes(tmp_path, 'demo', {'SKILL.md': text}) == []


def test_bytes_that_are_no_text_stay(tmp_path: Path) -> None:
    assert fixes(tmp_path, 'demo', {'SKILL.md': b'---\r\nname: demo\r\ndescription: \xff\r\n---\r\n'}) == []


def test_other_case_is_renamed(tmp_path: Path) -> None:
    (fix,) = fixes(tmp_path, 'demo', {'skill.md': skill_text('demo')})
    assert fix.diff().startswith('rename ')
    fix.write()
    assert [path.name for path in (tmp_path / 'demo').iterdir()] == ['SKILL.md']


def test_scripts_get_a_first_line_that_works_and_nothing_else(tmp_path: Path) -> None:
    files = {
        'SKILL.md': skill_text('demo'),
        'scripts/a.py': b'\xef\xbb\xbf#!/usr/bin/env python3\r\nprint(1)\r\n',
        'scripts/b.py': b'print(1)\r\n',
        'scripts/c.bat': b'@echo off\r\n',
    }
    (fix,) = fixes(tmp_path, 'demo', files)
    assert (fix.path.name, fix.after) == ('a.py', b'#!/usr/bin/env python3\nprint(1)\n')


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = '\ufeff' + skill_text('demo')
    (fix,) = fixes(tmp_path, 'demo', {'SKILL.md': before})

    def full(descriptor: int) -> None:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('pydantic_ai_skills.checks.fixes.os.fsync', full)
    with pytest.raises(OSError, match='No space'):
        fix.write()
    assert (tmp_path / 'demo/SKILL.md').read_text() == before
    assert [path.name for path in (tmp_path / 'demo').iterdir()] == ['SKILL.md']
