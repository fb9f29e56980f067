"""One skill as an agent is offered it, whatever happens to its folder meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pydantic_ai_skills import SkillPackage, SkillResource, SkillScript
from pydantic_ai_skills.entry import EntryPackages, FileOptions, SkillEntry
from pydantic_ai_skills.info import SkillInfo
from pydantic_ai_skills.packages import FileKinds

FULL = SkillPackage('demo', None, (SkillResource('a.md', content='A'),), (SkillScript('x.py'),))
GONE = FileNotFoundError(2, 'No such file or directory')


class Source:
    """A package and its kinds, counted, and gone when told so."""

    def __init__(self, package: SkillPackage = FULL) -> None:
        self.package, self.gone, self.indexed, self.looked = package, False, 0, 0

    def index(self) -> SkillPackage:
        self.indexed += 1
        if self.gone:
            raise GONE
        return self.package

    def kinds(self) -> FileKinds:
        self.looked += 1
        if self.gone:
            raise GONE
        return FileKinds(bool(self.package.resources), bool(self.package.scripts), 'stamp')


def entry(source: Source, options: FileOptions | None = None, **more: Any) -> SkillEntry:
    return SkillEntry(SkillInfo('demo', 'D.', None), 'Body.', source.index, options or FileOptions(), **more)


def test_kinds_are_asked_once_and_nothing_is_indexed_for_them() -> None:
    source = Source()
    made = entry(source, kinds=source.kinds)
    assert not made.is_looked_at
    assert (made.can_read, made.can_run, made.has_files, made.is_looked_at) == (True, True, True, True)
    assert (source.looked, source.indexed) == (1, 0)


@pytest.mark.parametrize(
    ('resources', 'scripts', 'expected'),
    [
        (True, True, (True, True)),
        (True, False, (True, False)),
        (False, True, (False, True)),
        (False, False, (False, False)),
    ],
)
def test_only_what_is_offered_counts(resources: bool, scripts: bool, expected: tuple[bool, bool]) -> None:
    source = Source()
    made = entry(source, FileOptions(resources, scripts))
    assert (made.can_read, made.can_run) == expected and made.has_files == any(expected)
    assert ('a.md' in made.instructions, 'x.py' in made.instructions) == expected


def test_nothing_is_looked_at_where_nothing_is_offered() -> None:
    source = Source()
    made = entry(source, FileOptions(False, False), kinds=source.kinds)
    assert made.instructions == '# Skill: demo\n\nBody.'
    assert (source.looked, source.indexed) == (0, 0)


def test_instructions_are_worked_out_once() -> None:
    source = Source()
    made = entry(source, kinds=source.kinds)
    assert made.instructions is made.instructions
    assert (source.looked, source.indexed) == (1, 1)


@pytest.mark.parametrize('lost', ['before', 'between'])
def test_a_folder_that_is_gone_for_a_while(lost: str) -> None:
    source = Source()
    made = entry(source, kinds=source.kinds)
    if lost == 'between':
        assert made.can_read
    source.gone = True
    assert made.instructions == '# Skill: demo\n\nBody.'
    with pytest.raises(FileNotFoundError):
        assert made.package
    assert made.can_read == (lost == 'between')
    source.gone = False
    assert made.can_read and '- a.md' in made.instructions and made.package is FULL


def test_without_kinds_the_index_tells() -> None:
    source = Source(SkillPackage('demo', None, (), (), (), (SkillScript('tools/x.py'),)))
    made = entry(source)
    assert (made.can_read, made.can_run) == (False, True), 'an unlisted script can be run'


def test_many_threads_index_once() -> None:
    source = Source()
    made = entry(source)
    together = threading.Barrier(6, timeout=30)

    def look(_: int) -> SkillPackage:
        together.wait()
        return made.package

    with ThreadPoolExecutor(6) as pool:
        assert all(package is FULL for package in pool.map(look, range(6)))
    assert source.indexed == 1


def test_whether_a_later_reading_is_the_same() -> None:
    source = Source()
    stamps = ['stamp']
    made = entry(source, kinds=source.kinds, identity='one', stamp=lambda: stamps[0])
    assert made.is_still(entry(source, identity='one')) and not made.is_still(entry(source, identity='two'))
    assert not made.is_still(entry(source, identity='one', shown_description='Shorter.'))
    stamps[0] = 'changed'
    assert made.is_still(entry(source, identity='one')), 'nobody has looked at its files'
    assert made.can_read
    assert not made.is_still(entry(source, identity='one'))


def test_packages_of_entries() -> None:
    source = Source()
    packages = EntryPackages({'demo': entry(source)})
    assert (len(packages), list(packages), 'demo' in packages, 'x' in packages) == (1, ['demo'], True, False)
    assert repr(packages) == '<files of the skills demo>' and source.indexed == 0
    assert packages['demo'] is FULL and packages.get('x') is None
