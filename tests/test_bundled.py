"""The "Bundled files" section."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_skills import SkillAsset, SkillPackage, SkillResource, SkillScript
from pydantic_ai_skills.bundled import bundled_files, is_listable
from pydantic_ai_skills.packages import index_libraries

from .support import make_library, skill_text


def section(root: Path, files: dict[str, str | bytes], **options: bool) -> str:
    library = make_library(
        root, {'demo/SKILL.md': skill_text(), **{f'demo/{name}': text for name, text in files.items()}}
    )
    return bundled_files(index_libraries(library)['demo'], **options)


def test_all_kinds(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        'b.md': '',
        'a.md': '',
        'x.py': '',
        'scripts/y.sh': '',
        'z.png': b'\0',
        'tools/t.py': '',
    }
    assert section(tmp_path, files) == (
        '## Bundled files\n\n'
        'Resources, read with `read_skill_resource`:\n- a.md\n- b.md\n- tools/t.py\n\n'
        'Assets (not text):\n- z.png (image/png)\n\n'
        'Scripts, run with `run_skill_script`:\n- scripts/y.sh\n- x.py'
    )


@pytest.mark.parametrize(
    ('options', 'titles'),
    [
        ({'resources': False}, ['Scripts']),
        ({'scripts': False}, ['Resources', 'Assets']),
        ({'resources': False, 'scripts': False}, []),
    ],
)
def test_only_kinds_whose_tool_is_there(tmp_path: Path, options: dict[str, bool], titles: list[str]) -> None:
    text = section(tmp_path, {'a.md': '', 'x.py': '', 'z.png': b'\0'}, **options)
    assert [title for title in ['Resources', 'Assets', 'Scripts'] if title in text] == titles
    assert bool(text) == bool(titles)


def test_nothing_to_list(tmp_path: Path) -> None:
    assert section(tmp_path, {}) == ''


@pytest.mark.parametrize(('count', 'more'), [(50, None), (51, '- and 1 more'), (2050, '- and 2,000 more')])
def test_fifty_of_a_kind_and_then_a_count(count: int, more: str | None) -> None:
    names = [f'f{number:04d}' for number in range(count)]
    package = SkillPackage(
        'demo',
        None,
        tuple(SkillResource(name, content='') for name in names),
        tuple(SkillScript(name) for name in names),
        tuple(SkillAsset(name, '/x', 1, 'image/png') for name in names),
    )
    for part in bundled_files(package).split('\n\n')[1:]:
        lines = part.splitlines()[1:]
        assert len(lines) == 50 + (more is not None) and lines[49].startswith('- f0049')
        assert (lines[-1] if more else None) == more


@pytest.mark.parametrize(
    ('size', 'note'), [(99_999, ''), (100_000, '100 KB'), (118_400, '118 KB'), (2_345_678, '2.3 MB')]
)
def test_sizes_are_said_from_100_kb(tmp_path: Path, size: int, note: str) -> None:
    text = section(tmp_path, {'a.md': 'x' * size, 'b.bin': b'\0' * size, 'x.py': '#' * size})
    assert f'- a.md{f" ({note})" if note else ""}\n' in text + '\n'
    assert f'- b.bin (application/octet-stream{f", {note}" if note else ""})\n' in text
    assert text.endswith('- x.py'), 'a script is run, not read'


def test_a_file_that_is_gone_has_no_size(tmp_path: Path) -> None:
    library = make_library(tmp_path, {'demo/SKILL.md': skill_text(), 'demo/a.md': 'x' * 200_000})
    package = index_libraries(library)['demo']
    (library / 'demo/a.md').unlink()
    assert bundled_files(package).endswith('\n- a.md')


@pytest.mark.parametrize(
    'name',
    [
        'a\nb',
        'a\rb',
        'a\tb',
        'a\x00b',
        'a\x1bb',
        'a\x7fb',
        'a\x85b',
        'a\u2028b',
        'a\u2029b',
        'a\u202eb',
        'a\u200bb',
        '\ufeffa',
        'a\udcffb',
        'a\u2066b',
    ],
)
def test_names_that_could_forge_a_line_are_not_listed(name: str) -> None:
    assert not is_listable(name)
    package = SkillPackage(
        'demo',
        None,
        (SkillResource(name, content=''),),
        (SkillScript(name),),
        (SkillAsset(name, '/x', 1, 'image/png'),),
    )
    assert bundled_files(package) == ''


@pytest.mark.parametrize('name', ['a b', 'é', '技能.md', 'a-b_c.d', "it's", '`x`', '🎉.md'])
def test_other_names_are(name: str) -> None:
    assert is_listable(name)


def test_forged_files_on_disk(tmp_path: Path) -> None:
    text = section(tmp_path, {'a.md': '', 'x\n- forged.md': '', 'y\u2028z.py': '', 'b\x1b[2J.png': b'\0'})
    assert text == '## Bundled files\n\nResources, read with `read_skill_resource`:\n- a.md'


def test_descriptions_stay_on_one_line() -> None:
    package = SkillPackage('demo', None, (SkillResource('a', 'First.\n\n- second', content=''),))
    assert bundled_files(package).endswith('- a: First. - second')


def test_functions_show_their_arguments() -> None:
    def both(amount: int, names: list[str], ratio: float = 0.5) -> str:
        """Do it.

        Args:
            amount: How much.
            names: Whose.
            ratio: Of what.
        """
        return ''

    package = SkillPackage(
        'demo', None, (), (SkillScript('both', function=both), SkillScript('none', 'Own.', function=lambda: ''))
    )
    assert bundled_files(package).splitlines()[-2:] == [
        '- both: Do it. (args: amount: integer, names: array of string, ratio: number = 0.5)',
        '- none: Own.',
    ]
