"""Libraries and which of their children are packages."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pydantic_ai_skills import SkillsCapability, discovery
from pydantic_ai_skills.discovery import Library, find_packages, installed_or_local, read_skill_file, skill_file_in
from pydantic_ai_skills.packages import index_libraries

from .support import make_library, skill_text


def folders(path: Path, from_registry: bool = False) -> list[str]:
    return [found.folder for found in find_packages(Library(path, from_registry=from_registry))]


def test_immediate_children_in_the_order_of_their_names(tmp_path: Path) -> None:
    files = ['b/SKILL.md', 'a/SKILL.md', 'Z/SKILL.md', 'no/README.md', 'SKILL.md', 'deep/er/SKILL.md', '.x/SKILL.md']
    make_library(tmp_path, dict.fromkeys(files, 'x'))
    assert folders(tmp_path) == ['.x', 'Z', 'a', 'b']


def test_other_cases(tmp_path: Path) -> None:
    make_library(
        tmp_path,
        {'a/skill.md': 'x', 'b/SKILL.MD': 'x', 'c/skill.md': 'lower', 'c/SKILL.md': 'upper', 'd/SKILLS.md': 'x'},
    )
    found = {item.folder: item.skill_file.name for item in find_packages(Library(tmp_path))}
    assert found == {'a': 'skill.md', 'b': 'SKILL.MD', 'c': 'SKILL.md'}
    assert skill_file_in(tmp_path / 'a') == tmp_path / 'a/skill.md'
    assert skill_file_in(tmp_path / 'd') is None and skill_file_in(tmp_path / 'gone') is None


def test_what_is_no_regular_file_is_a_broken_package(tmp_path: Path) -> None:
    for name in ['fifo', 'folder', 'dangling', 'loop', 'device', 'lower']:
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / 'fifo/SKILL.md')
    os.mkfifo(tmp_path / 'lower/skill.md')
    (tmp_path / 'folder/SKILL.md').mkdir()
    (tmp_path / 'dangling/SKILL.md').symlink_to('nowhere')
    (tmp_path / 'loop/SKILL.md').symlink_to('SKILL.md')
    (tmp_path / 'device/SKILL.md').symlink_to('/dev/zero')
    (tmp_path / 'circle').symlink_to('circle')
    (tmp_path / 'self').symlink_to('.')
    found = list(find_packages(Library(tmp_path)))
    assert [item.folder for item in found] == ['dangling', 'device', 'fifo', 'folder', 'loop', 'lower']
    for item in found:
        with pytest.raises(OSError):
            read_skill_file(item)
    assert index_libraries(tmp_path) == {}
    with pytest.warns(UserWarning) as told:
        made = SkillsCapability(tmp_path)
    assert (made.skill_names, len(told), len(made.diagnostics)) == ([], 6, 6)
    assert 'dangling/SKILL.md' in str(told[0].message) and 'No such file or directory' in str(told[0].message)
    with pytest.warns(UserWarning):
        assert SkillsCapability(tmp_path, exclude=['dangling']).skill_names == []


def test_a_dangling_link_in_another_case_is_told_of(tmp_path: Path) -> None:
    (tmp_path / 'demo').mkdir()
    (tmp_path / 'demo/skill.md').symlink_to('gone.md')
    [found] = find_packages(Library(tmp_path))
    assert (found.folder, found.skill_file.name) == ('demo', 'skill.md')
    with pytest.raises(FileNotFoundError):
        read_skill_file(found)


def test_links_are_the_owners_in_a_local_library_only(tmp_path: Path) -> None:
    make_library(
        tmp_path, {'far/demo/SKILL.md': 'x', 'far/f.md': 'x', 'lib/near/SKILL.md': 'x', 'lib/other/README.md': 'x'}
    )
    library = tmp_path / 'lib'
    (library / 'demo').symlink_to('../far/demo')
    (library / 'alias').symlink_to('near')
    (library / 'file').mkdir()
    (library / 'file/SKILL.md').symlink_to('../../far/f.md')
    (library / 'other/SKILL.md').symlink_to('README.md')
    assert folders(library) == ['alias', 'demo', 'file', 'near', 'other']
    assert folders(library, from_registry=True) == ['alias', 'near', 'other']
    [demo] = [found for found in find_packages(Library(library)) if found.folder == 'demo']
    assert demo.directory == tmp_path / 'far/demo'


def test_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_library(tmp_path, {'far/f.md': 'FAR', 'lib/a/SKILL.md': 'NEAR', 'lib/b/x': ''})
    (tmp_path / 'lib/b/SKILL.md').symlink_to('../../far/f.md')
    near, far = find_packages(Library(tmp_path / 'lib'))
    assert (read_skill_file(near), read_skill_file(far)) == (b'NEAR', b'FAR')
    monkeypatch.setattr(discovery, 'MAX_SKILL_FILE_BYTES', 3)
    with pytest.raises(OSError, match='it has more than 3 bytes') as caught:
        read_skill_file(near)
    assert caught.value.errno == errno.EFBIG


def test_a_swap_after_it_was_found(tmp_path: Path) -> None:
    make_library(tmp_path, {'secret': 'SECRET', 'lib/a/SKILL.md': 'x'})
    [found] = find_packages(Library(tmp_path / 'lib', from_registry=True))
    (tmp_path / 'lib/a/SKILL.md').unlink()
    (tmp_path / 'lib/a/SKILL.md').symlink_to('../../secret')
    with pytest.raises(OSError):
        read_skill_file(found)
    (tmp_path / 'lib/a/SKILL.md').unlink()
    os.mkfifo(tmp_path / 'lib/a/SKILL.md')
    with pytest.raises(OSError):
        read_skill_file(found)


def test_origins() -> None:
    assert installed_or_local(Path('/x/lib/python3.12/site-packages/p/.agents/skills')) == 'installed'
    assert installed_or_local(Path('/usr/lib/python3/dist-packages/p')) == 'installed'
    assert installed_or_local(Path('/home/me/site-packages-notes')) == 'local'


def test_the_boundary_is_the_librarys_own_folder(tmp_path: Path) -> None:
    (tmp_path / 'alias').symlink_to('.')
    assert Library(tmp_path / 'alias').boundary is None
    assert Library(tmp_path / 'alias', from_registry=True).boundary == tmp_path


def test_a_library_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(find_packages(Library(tmp_path / 'gone')))


def test_a_text_of_a_skill(tmp_path: Path) -> None:
    make_library(tmp_path, {'demo/SKILL.md': skill_text()})
    [found] = find_packages(Library(tmp_path))
    assert found.signature[0] == len(skill_text()) and found.skill_file == tmp_path / 'demo/SKILL.md'
