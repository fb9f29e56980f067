"""Where skills are found below a folder, and by convention."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai_skills.skill_folders import conventional_folders, find_skill_folders, libraries_below, libraries_near

from .support import make_library


def found(top: Path) -> list[str]:
    return [folder.relative_to(top).as_posix() for folder in find_skill_folders(top)]


def test_every_depth_in_order_without_what_is_excluded(tmp_path: Path) -> None:
    paths = ['b', 'a/deep/x', 'a/deep/x/inner', '.claude/skills/y', 'node_modules/n', '.git/g', '.venv/v']
    make_library(tmp_path, {f'{path}/SKILL.md': '' for path in paths})
    make_library(tmp_path, {'c/skill.md': '', 'd/other.md': ''})
    assert found(tmp_path) == ['.claude/skills/y', 'a/deep/x', 'a/deep/x/inner', 'b', 'c']


def test_links_lead_to_skills_elsewhere_once_and_never_round(tmp_path: Path) -> None:
    make_library(tmp_path, {'out/one/SKILL.md': '', 'out/folder/two/SKILL.md': '', 'top/own/SKILL.md': ''})
    top = tmp_path / 'top'
    for name in ('l1', 'l2'):
        (top / name).symlink_to(tmp_path / 'out/one')
        (top / 'own' / name).symlink_to(top / 'own')
        (tmp_path / 'out/one' / name).symlink_to(tmp_path / 'out/one')
    (top / 'folder').symlink_to(tmp_path / 'out/folder')  # leads to no skill itself
    (top / 'up').symlink_to(tmp_path)
    assert found(top) == ['l1', 'own']


def test_a_library_is_itself_and_what_is_above_means_those_below(tmp_path: Path) -> None:
    make_library(tmp_path, {'x/skills/a/SKILL.md': '', 'y/b/SKILL.md': '', 'y/b/inner/SKILL.md': ''})
    assert libraries_below(tmp_path) == [tmp_path / 'x/skills', tmp_path / 'y']
    assert libraries_below(tmp_path / 'y') == [tmp_path / 'y']
    (tmp_path / 'empty').mkdir()
    assert libraries_below(tmp_path / 'empty') == [tmp_path / 'empty']


def test_a_link_that_repeats_what_lies_deeper_makes_no_library(tmp_path: Path) -> None:
    make_library(tmp_path, {'skills/a/SKILL.md': '', 'skills/b/SKILL.md': ''})
    (tmp_path / 'a').symlink_to('skills/a')
    assert libraries_below(tmp_path) == [tmp_path / 'skills']


def test_a_worktree_ends_the_search_upwards_too(tmp_path: Path) -> None:
    make_library(tmp_path, {'.agents/skills/x': '', 'repo/.git': 'gitdir: elsewhere', 'repo/a/.claude/skills/x': ''})
    (tmp_path / 'repo/.agents/skills').mkdir(parents=True)
    start, home = tmp_path / 'repo/a', tmp_path / 'home'
    assert conventional_folders(start, home) == [start / '.claude/skills', tmp_path / 'repo/.agents/skills']
    assert conventional_folders(home, home) == []


def test_libraries_near_for_a_hint(tmp_path: Path) -> None:
    paths = ['one/a', 'x/y/two/b', 'x/y/z/far/c', 'node_modules/n/d', '.claude/skills/e', 'one/a/inner']
    make_library(tmp_path, {f'{path}/SKILL.md': '' for path in paths})
    (tmp_path / 'link').symlink_to(tmp_path / 'one')
    near = [path.relative_to(tmp_path).as_posix() for path in libraries_near(tmp_path)]
    assert near == ['one', '.claude/skills', 'x/y/two']
    assert libraries_near(tmp_path, 4) == []
    assert libraries_near(tmp_path / 'gone') == []
