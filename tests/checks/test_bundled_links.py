"""Links in bundled Markdown, against the file that they stand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support import make_library
from .helpers import body, check, codes

FILES = {'references/a.md': 'x', 'references/deep/b c.md': 'x', 'assets/p.png': b'\x89PNG\0', 'scripts/s.py': ''}


@pytest.mark.parametrize(
    'link',
    [
        'references/a.md',
        './references/a.md',
        'references/a.md#part',
        'references/deep/b%20c.md',
        '<references/deep/b c.md>',
        'references/',
        'references',
        'scripts/s.py',
        'assets/p.png "title"',
        '#here',
        'https://example.com/x.md',
        'mailto:a@b.c',
        '//host/x',
        'path/to/{name}.md',
        '<...>',
    ],
)
def test_links_that_are_right_or_none_of_ours(tmp_path: Path, link: str) -> None:
    assert codes(check(tmp_path, {**FILES, **body(f'See [it]({link}) and `[x](no.md)`.\n\n    [y](no.md)')})) == []


@pytest.mark.parametrize(
    ('link', 'code', 'severity'),
    [
        ('references/nope.md', 'link-broken', 'warning'),
        ('References/a.md', 'link-broken', 'warning'),
        ('../nowhere/x.md', 'link-broken', 'warning'),
        ('../other/SKILL.md', 'link-outside', 'info'),
        ('.env', 'link-hidden', 'warning'),
    ],
)
def test_links_that_are_not(tmp_path: Path, link: str, code: str, severity: str) -> None:
    make_library(tmp_path, {'other/SKILL.md': 'x', 'demo/.env': 'x'})
    text = f'First.\n\nSecond\n![it]({link})\n'
    found = [item for item in check(tmp_path, {**FILES, **body(text)}) if 'demo' in str(item.path)]
    assert [(item.code, item.severity, item.line) for item in found] == [(code, severity, 9)]


def test_links_count_from_their_own_file(tmp_path: Path) -> None:
    files = {
        **FILES,
        'references/a.md': '[right](deep/b%20c.md) [up](../scripts/s.py)\n\n[root](references/deep/b%20c.md)\n\n[no](b.md)',
        'references/deep/table.md': '| a |\n|---|\n| [x](../a.md) |\n| [y](a.md) |\n',
    }
    found = check(tmp_path, files)
    assert [(item.code, Path(item.path).name, item.line) for item in found] == [
        ('link-from-root', 'a.md', 3),
        ('link-broken', 'a.md', 5),
        ('link-broken', 'table.md', 4),
    ]


def test_files_that_are_not_offered_are_told(tmp_path: Path) -> None:
    (tmp_path / 'demo').mkdir()
    (tmp_path / 'demo/out').symlink_to('/etc/hosts')
    (problem,) = check(tmp_path, {})
    assert problem.code == 'file-left-out' and '/etc/hosts' in problem.message


def test_a_huge_hostile_page_does_not_hang(tmp_path: Path) -> None:
    assert check(tmp_path, {'references/a.md': '[' * 50_000 + '](x' * 10_000}) is not None
