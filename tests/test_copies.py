from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pydantic_ai_skills import cache as cache_module
from pydantic_ai_skills import copies
from pydantic_ai_skills.cache import cache_folder
from pydantic_ai_skills.copies import PackageChangedError, package_copy, write_exact_copy
from pydantic_ai_skills.digest import package_digest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(tmp_path / 'cache'))
    return tmp_path / 'cache'


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / 'store' / 'demo'
    (folder / 'scripts').mkdir(parents=True)
    (folder / 'SKILL.md').write_text('---\nname: demo\ndescription: d\n---\n')
    (folder / 'scripts/x.py').write_text('print(1)\n')
    (folder / 'tool').write_text('#!/bin/sh\n')
    (folder / 'tool').chmod(0o700)
    (folder / '.env').write_text('SECRET=1')
    (folder.parent / 'shared.py').write_text('shared = 1\n')
    (folder / 'scripts/shared.py').symlink_to('../../shared.py')
    return folder


def test_a_copy_has_the_packages_files_and_nothing_that_is_secret(skill: Path, cache: Path) -> None:
    copy = package_copy(skill, skill.parent)
    assert copy.name == 'demo'
    assert copy.is_relative_to(cache)
    found = {str(path.relative_to(copy)) for path in copy.rglob('*') if path.is_file()}
    assert found == {'SKILL.md', 'scripts/x.py', 'scripts/shared.py', 'tool'}
    assert not (copy / 'scripts/shared.py').is_symlink()
    assert os.access(copy / 'tool', os.X_OK)
    assert not os.access(copy / 'scripts/x.py', os.X_OK)
    assert package_digest(copy) == package_digest(skill, skill.parent)
    assert cache.joinpath('copies').stat().st_mode & 0o777 == 0o700


def test_the_same_copy_again_and_another_for_another_digest(skill: Path) -> None:
    first = package_copy(skill)
    assert package_copy(skill) == first
    (skill / 'scripts/x.py').write_text('print(2)\n')
    second = package_copy(skill)
    assert second != first
    assert (first / 'scripts/x.py').read_text() == 'print(1)\n', 'a run that still goes on keeps its files'


def test_what_was_tampered_with_is_restored_and_what_was_left_is_kept(skill: Path, tmp_path: Path) -> None:
    copy = package_copy(skill)
    (copy / 'left').mkdir()
    (copy / 'left/out.txt').write_text('mine')
    victim = tmp_path / 'victim'
    victim.write_text('untouched')
    stat = (copy / 'scripts/x.py').stat()
    (copy / 'scripts/x.py').write_text('print(6)\n')
    os.utime(copy / 'scripts/x.py', ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time
    (copy / 'tool').unlink()
    (copy / 'tool').symlink_to(victim)
    (copy / 'SKILL.md').unlink()
    (copy / 'SKILL.md').mkdir()
    assert package_copy(skill) == copy
    assert (copy / 'scripts/x.py').read_text() == 'print(1)\n'
    assert (copy / 'tool').read_text() == '#!/bin/sh\n'
    assert not (copy / 'tool').is_symlink()
    assert (copy / 'SKILL.md').is_file()
    assert (copy / 'left/out.txt').read_text() == 'mine'
    assert victim.read_text() == 'untouched'


def test_a_folder_swapped_for_a_link_and_a_file_that_is_gone(skill: Path, tmp_path: Path) -> None:
    copy = package_copy(skill)
    elsewhere = tmp_path / 'elsewhere'
    (copy / 'scripts').rename(elsewhere)
    (copy / 'scripts').symlink_to(elsewhere)
    (copy / 'tool').unlink()
    package_copy(skill)
    assert not (copy / 'scripts').is_symlink()
    assert (copy / 'scripts/x.py').read_text() == 'print(1)\n'
    assert (copy / 'tool').exists()


def test_a_mode_and_a_hard_link_are_noticed(skill: Path, tmp_path: Path) -> None:
    copy = package_copy(skill)
    (copy / 'tool').chmod(0o600)
    os.link(copy / 'scripts/x.py', tmp_path / 'handle')
    package_copy(skill)
    assert os.access(copy / 'tool', os.X_OK)
    assert (copy / 'scripts/x.py').stat().st_nlink == 1


def test_another_process_finds_the_copy_and_checks_it(skill: Path) -> None:
    copy = package_copy(skill)
    (copy / 'scripts/x.py').write_text('print(6)\n')
    code = 'import sys, pathlib\nfrom pydantic_ai_skills.copies import package_copy\nprint(package_copy(pathlib.Path(sys.argv[1])))'
    done = subprocess.run([sys.executable, '-c', code, str(skill)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(copy)
    assert (copy / 'scripts/x.py').read_text() == 'print(1)\n'


def test_two_processes_at_once(skill: Path, cache: Path) -> None:
    for number in range(200):
        (skill / f'{number}.txt').write_text('x' * number)
    code = (
        'import sys, pathlib\nfrom pydantic_ai_skills.copies import package_copy\nsys.stdin.read(1)\n'
        'print(package_copy(pathlib.Path(sys.argv[1])))'
    )
    processes = [
        subprocess.Popen(
            [sys.executable, '-c', code, str(skill)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    places = set()
    for process in processes:
        assert process.stdout is not None
        places.add(process.stdout.read().strip())
        process.stdout.close()
        assert process.wait() == 0
    assert places == {str(package_copy(skill))}
    assert [path.name for path in (cache / 'copies').iterdir()] == [package_digest(skill)], 'nothing is left aside'


def test_a_cache_that_cannot_be_written_to(skill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(tmp_path / 'file'))
    copy = package_copy(skill)
    assert (copy / 'scripts/x.py').read_text() == 'print(1)\n'
    assert package_copy(skill) == copy
    open_to_all = tmp_path / 'open'
    (open_to_all / 'copies').mkdir(parents=True)
    (open_to_all / 'copies').chmod(0o777)
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', str(open_to_all))
    assert package_copy(skill) == copy, 'where others could write to, nothing is run from'


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PYDANTIC_AI_SKILLS_CACHE', '~/there')
    assert cache_folder() == Path.home() / 'there'
    monkeypatch.delenv('PYDANTIC_AI_SKILLS_CACHE')
    assert cache_folder().name == 'pydantic-ai-skills'


def test_copies_unused_for_long_go_and_others_stay(skill: Path, cache: Path) -> None:
    old = package_copy(skill)
    (skill / 'a').write_text('1')
    used = package_copy(skill)
    long_ago = time.time() - cache_module.UNUSED_SECONDS - 60
    for folder in (old.parent, used.parent):
        os.utime(folder, (long_ago, long_ago))
    abandoned = cache / 'copies' / 'new-abandoned'
    abandoned.mkdir()
    os.utime(abandoned, (long_ago, long_ago))
    (cache / 'copies' / 'new-at-work').mkdir()
    package_copy(skill)  # in use again
    (skill / 'a').write_text('2')
    package_copy(skill)
    assert not old.exists()
    assert used.exists()
    assert sorted(path.name for path in (cache / 'copies').iterdir() if len(path.name) != 64) == ['new-at-work']


def test_an_exact_copy_has_nothing_else(skill: Path, tmp_path: Path) -> None:
    approved = package_digest(skill)
    (package_copy(skill) / 'json.py').write_text('planted for the next run')
    copy = write_exact_copy(skill, tmp_path, digest=approved)
    assert copy == tmp_path / 'demo'
    assert not (copy / 'json.py').exists()
    assert package_digest(copy) == approved
    (skill / 'scripts/x.py').write_text('print(6)\n')
    with pytest.raises(PackageChangedError, match='no longer what was asked for'):
        write_exact_copy(skill, tmp_path / 'other', digest=approved)


def test_a_package_that_is_gone_or_changes_meanwhile(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, 'package_digest', lambda *args: 'f' * 64)
    with pytest.raises(PackageChangedError, match='changed while it was copied'):
        package_copy(skill)
