from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import S3SkillsRegistry, SkillInfo, SkillsCapability
from pydantic_ai_skills.registries import (
    CombinedRegistry,
    FilteredRegistry,
    LocalSkillsRegistry,
    PrefixedRegistry,
    RenamedRegistry,
    SkillRegistry,
    WrapperRegistry,
)
from tests.support import load, read, run

from .helpers import files_in, names_in, said, write_skill


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / 'library'
    write_skill(folder / 'one', description='First.', notes__md='one notes')
    write_skill(folder / 'two', description='Second.')
    (folder / 'two' / 'scripts').mkdir()
    (folder / 'two' / 'scripts' / 'go').write_text('#!/bin/sh\necho go\n')
    (folder / 'two' / 'scripts' / 'go').chmod(0o755)
    return folder


class Counted(SkillRegistry):
    """A registry as a user would write it: only `sync`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.syncs = 0

    def sync(self) -> Path:
        self.syncs += 1
        return self.folder


def tree(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.rglob('*')
        if path.is_file()
    }


def test_prefixed(library: Path):
    before = tree(library)
    view = LocalSkillsRegistry(library).prefixed('acme-')
    staged = view.sync()
    assert names_in(staged) == ['acme-one', 'acme-two']
    assert (staged / 'acme-one/SKILL.md').read_text() == '---\nname: acme-one\ndescription: First.\n---\n\nDo it.\n'
    assert (staged / 'acme-one/notes.md').read_text() == 'one notes'
    assert os.access(staged / 'acme-two/scripts/go', os.X_OK) and not os.access(staged / 'acme-one/notes.md', os.X_OK)
    assert (staged / 'acme-one/notes.md').stat().st_nlink == 1
    assert tree(library) == before
    assert view.skill_names() == ['acme-one', 'acme-two']
    assert isinstance(view, PrefixedRegistry) and isinstance(view, WrapperRegistry) and view.prefix == 'acme-'
    assert view.origin == 'local'
    assert repr(view) == f"PrefixedRegistry(LocalSkillsRegistry({str(library)!r}), 'acme-')"


def test_an_unchanged_view_is_the_same_generation_also_for_another_object(library: Path):
    view = LocalSkillsRegistry(library).prefixed('x-')
    first = view.sync()
    inode = (first / 'x-one/notes.md').stat().st_ino
    assert view.sync() == LocalSkillsRegistry(library).prefixed('x-').sync() == first
    assert (first / 'x-one/notes.md').stat().st_ino == inode
    assert LocalSkillsRegistry(library).prefixed('y-').sync() != first
    (library / 'one/notes.md').write_text('changed')
    second = view.sync()
    assert (second / 'x-one/notes.md').read_text() == 'changed'
    assert (first / 'x-one/notes.md').read_text() == 'one notes'  # stays while this process lives
    assert view.generation is not None and view.generation.library == second


@pytest.mark.parametrize(
    'change',
    [
        lambda one: (one / 'new.md').write_text('x'),
        lambda one: (one / 'notes.md').unlink(),
        lambda one: (one / 'notes.md').chmod(0o755),
        lambda one: (one / 'notes.md').rename(one / 'other.md'),
        lambda one: os.utime(one / 'notes.md', (1, 1)) or (one / 'notes.md').write_text('ONE NOTES'),
        lambda one: (one / 'SKILL.md').unlink(),
        lambda one: write_skill(one.parent / 'three'),
        lambda one: one.rename(one.parent / 'uno'),
    ],
)
def test_every_kind_of_change_is_seen(library: Path, change: Any):
    (library / 'nothing-yet').mkdir()
    view = LocalSkillsRegistry(library).prefixed('x-')
    first = view.sync()
    view.sync()
    change(library / 'one')
    second = view.sync()
    assert second != first
    assert tree(second) != tree(first)
    assert view.sync() == second


def test_a_folder_that_becomes_a_skill_is_seen(library: Path):
    (library / 'later').mkdir()
    view = LocalSkillsRegistry(library).prefixed('x-')
    view.sync()
    write_skill(library / 'later')
    assert names_in(view.sync()) == ['x-later', 'x-one', 'x-two']


def test_filtered_is_asked_with_everything_it_may_need(library: Path):
    (library / 'two/SKILL.md').write_text(
        '---\nname: two\ndescription: Second.\nlicense: MIT\nmetadata:\n  team: data\n---\n'
    )
    asked: list[SkillInfo] = []

    def free(info: SkillInfo) -> bool:
        asked.append(info)
        return info.license == 'MIT' and info.metadata.get('team') == 'data'

    view = LocalSkillsRegistry(library).filtered(free)
    assert names_in(view.sync()) == ['two']
    assert [info.name for info in asked] == ['one', 'two']
    assert asked[1].directory == library / 'two' and len(asked[1].digest or '') == 64
    assert 'free' in repr(view) and isinstance(view, FilteredRegistry)
    first = view.sync()
    (library / 'two/SKILL.md').write_text('---\nname: two\ndescription: Second.\nlicense: GPL\n---\n')
    assert names_in(view.sync()) == [] and names_in(first) == ['two']


def test_predicates_that_look_the_same_do_not_share_a_result(library: Path):
    registry = LocalSkillsRegistry(library)
    views = [registry.filtered(lambda info, name=name: info.name == name) for name in ('one', 'two')]
    assert [names_in(view.sync()) for view in [*views, *views]] == [['one'], ['two'], ['one'], ['two']]


def test_renamed(library: Path):
    view = LocalSkillsRegistry(library).renamed({'uno': 'one'})
    staged = view.sync()
    assert names_in(staged) == ['two', 'uno']
    assert 'name: uno\n' in (staged / 'uno/SKILL.md').read_text()
    assert (staged / 'two/SKILL.md').read_bytes() == (library / 'two/SKILL.md').read_bytes()
    assert isinstance(view, RenamedRegistry) and view.name_map == {'uno': 'one'}
    swapped = LocalSkillsRegistry(library).renamed({'one': 'two', 'two': 'one'}).sync()
    assert 'Second.' in (swapped / 'one/SKILL.md').read_text()


@pytest.mark.parametrize(
    ('name_map', 'message'),
    [
        ({'uno': 'onee'}, r"no skill 'onee' to call 'uno'\. Did you mean 'one'\? It has: one, two"),
        ({'two': 'one'}, "already has a skill 'two'"),
        ({'a': 'one', 'b': 'one'}, "gives 'one' two new names"),
        ({'Uno': 'one'}, "'Uno' in name_map is no legal skill name"),
        ({'\uff41': 'one', 'a': 'two'}, "has the new name 'a' twice"),
    ],
)
def test_names_that_cannot_be_given(library: Path, name_map: dict[str, str], message: str):
    with pytest.raises(ValueError, match=message):
        LocalSkillsRegistry(library).renamed(name_map).sync()


@pytest.mark.parametrize('prefix', ['', '-x', 'X-', 'a b', 'x--', 'a' * 64])
def test_prefixes_that_no_name_can_have(library: Path, prefix: str):
    with pytest.raises(ValueError, match='prefix'):
        LocalSkillsRegistry(library).prefixed(prefix)


@pytest.mark.parametrize(
    'make',
    [
        lambda registry: registry.prefixed(7),
        lambda registry: registry.filtered('one'),
        lambda registry: registry.renamed(['one']),
        lambda registry: registry.renamed({'a': 1}),
        lambda registry: registry | 'x',
        lambda registry: registry | registry | 7,
        lambda registry: CombinedRegistry(registry),
        lambda registry: CombinedRegistry([registry, 'x']),
        lambda registry: WrapperRegistry('x'),
        lambda registry: PrefixedRegistry(registry, 'x-', target_dir=7),
    ],
)
def test_wrong_types_are_refused(library: Path, make: Any):
    with pytest.raises(TypeError):
        make(LocalSkillsRegistry(library))


def test_an_asynchronous_predicate_is_refused(library: Path):
    async def wanted(info: SkillInfo) -> bool:
        return True

    with pytest.raises(TypeError, match='asynchronous'):
        LocalSkillsRegistry(library).filtered(wanted).sync()  # pyright: ignore[reportArgumentType]
    gc.collect()


def test_a_name_that_becomes_too_long_is_left_out(library: Path):
    write_skill(library / ('a' * 62))
    with pytest.warns(UserWarning, match='is no legal name'):
        assert names_in(LocalSkillsRegistry(library).prefixed('acme-').sync()) == ['acme-one', 'acme-two']


def test_combined_takes_the_earlier_and_names_both(library: Path, tmp_path: Path):
    other = tmp_path / 'other'
    write_skill(other / 'two', description='Another second.')
    write_skill(other / 'three')
    write_skill(other / 'one', description='First.', notes__md='one notes')  # the same package: no news
    (a, b) = LocalSkillsRegistry(library), LocalSkillsRegistry(other)
    both = a | b
    with said() as warned:
        staged = both.sync()
    assert names_in(staged) == ['one', 'three', 'two']
    assert 'Second.' in (staged / 'two/SKILL.md').read_text()
    assert len(warned) == 1 and repr(a) in warned[0] and repr(b) in warned[0] and "'two'" in warned[0]
    assert [finding.code for finding in both.diagnostics] == ['shadowed']
    with said() as warned:
        both.sync()
    assert warned == []  # once
    assert 'Another' in ((b | a).sync() / 'two/SKILL.md').read_text()
    assert isinstance(both | b.prefixed('x-'), CombinedRegistry) and len((both | a).registries) == 3
    assert both.origin == 'local' and (both | Counted(library)).origin == 'remote'
    with pytest.raises(ValueError, match='at least one'):
        CombinedRegistry([])


def test_a_base_is_synced_once_however_often_it_occurs(library: Path):
    base = Counted(library)
    view = base.prefixed('a-') | base.filtered(lambda info: info.name == 'one').prefixed('b-') | base
    assert names_in(view.sync()) == ['a-one', 'a-two', 'b-one', 'one', 'two']
    assert base.syncs == 1
    first = view.sync()
    assert base.syncs == 2 and view.sync() == first


def test_views_nest_to_any_depth_and_are_staged_once(library: Path, own_cache: Path):
    view: SkillRegistry = LocalSkillsRegistry(library)
    for number in range(8):
        view = view.prefixed(f'{chr(97 + number)}-').filtered(lambda info: not info.name.endswith('two'))
    assert view.skill_names() == ['h-g-f-e-d-c-b-a-one']
    assert len(list((own_cache / 'registries').iterdir())) == 1


def test_one_broken_package_is_left_out_and_the_rest_goes_on(library: Path, tmp_path: Path):
    (library / 'cp1252').mkdir()
    (library / 'cp1252/SKILL.md').write_bytes('---\nname: cp1252\ndescription: café\n---\n'.encode('cp1252'))
    (library / 'bare').mkdir()
    (library / 'bare/SKILL.md').write_text('no frontmatter')
    (library / '___').mkdir()
    (library / '___/SKILL.md').write_text('---\ndescription: nameless\n---\n')
    (tmp_path / 'secret').write_text('secret')
    os.symlink(tmp_path / 'secret', library / 'one/leak.md')
    os.mkfifo(library / 'one/pipe')
    view = LocalSkillsRegistry(library).prefixed('x-')
    with said() as warned:
        staged = view.sync()
    assert names_in(staged) == ['x-one', 'x-two']
    assert files_in(staged / 'x-one') == ['SKILL.md', 'notes.md']
    for word in ('cp1252', 'bare', '___', 'leak.md'):
        assert sum(word in text for text in warned) == 1, word
    assert {finding.code for finding in view.diagnostics} == {'not-utf8', 'no-frontmatter', 'no-name', 'link-escape'}


def test_odd_folders_are_staged_under_their_id(library: Path):
    write_skill(library / 'My Skill', name='my skill')
    write_skill(library / 'my-skill')
    with said() as warned:
        staged = LocalSkillsRegistry(library).filtered(lambda info: info.name == 'my-skill').sync()
    assert names_in(staged) == ['my-skill']
    assert 'name: my skill' in (staged / 'my-skill/SKILL.md').read_text()
    assert any("both the skill 'my-skill'" in text for text in warned)


def test_secrets_and_caches_are_not_copied(library: Path):
    (library / 'one/.env').write_text('SECRET=1')
    (library / 'one/__pycache__').mkdir()
    (library / 'one/__pycache__/x.pyc').write_bytes(b'x')
    (library / 'one/SKILL.md').rename(library / 'one/Skill.md')
    staged = LocalSkillsRegistry(library).prefixed('x-').sync()
    assert files_in(staged / 'x-one') == ['SKILL.md', 'notes.md']


def test_target_dir(library: Path, tmp_path: Path):
    view = PrefixedRegistry(LocalSkillsRegistry(library), 'x-', target_dir=tmp_path / 'mine')
    assert view.sync().is_relative_to(tmp_path / 'mine')
    inner = LocalSkillsRegistry(library, layout='tree', target_dir=tmp_path / 'same')
    with pytest.raises(ValueError, match='cannot both have their store'):
        PrefixedRegistry(inner, 'x-', target_dir=tmp_path / 'same').sync()


def test_when_the_source_fails_the_view_keeps_what_it_has(library: Path):
    base = Counted(library)
    view = base.prefixed('x-')
    first = view.sync()

    def broken() -> Path:
        raise RuntimeError('the source is away.')

    base.sync = broken
    with pytest.warns(UserWarning, match=r'the source is away\. Using what was fetched .* ago'):
        assert view.sync() == first
    with pytest.raises(RuntimeError, match='nothing from before'):
        base.prefixed('y-').sync()


def test_a_wrapper_of_ones_own(library: Path):
    class Checked(WrapperRegistry):
        def sync(self, *, progress: Any = None) -> Path:
            checked.append(super().sync(progress=progress))
            return checked[-1]

    checked: list[Path] = []
    wrapper = Checked(LocalSkillsRegistry(library))
    assert wrapper.prefixed('x-').skill_names() == ['x-one', 'x-two']
    assert checked == [library]
    assert wrapper.origin == 'local' and repr(wrapper).startswith('Checked(LocalSkillsRegistry(')
    assert wrapper.diagnostics == []


def test_a_registry_that_returns_no_path_is_told(library: Path, monkeypatch: pytest.MonkeyPatch):
    base = Counted(library)
    monkeypatch.chdir(library.parent)
    base.folder = 'library'  # pyright: ignore[reportAttributeAccessIssue]  # a relative one, as text, will do
    assert base.prefixed('x-').skill_names() == ['x-one', 'x-two']
    base.folder = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match='must return the path of a library, not None'):
        base.prefixed('x-').sync()


def test_registries_can_be_copied(library: Path):
    import copy
    import pickle

    view = LocalSkillsRegistry(library).prefixed('x-') | S3SkillsRegistry('b', boto3_client=[])
    assert repr(copy.deepcopy(view)) == repr(view)
    prefixed = LocalSkillsRegistry(library).prefixed('x-')
    path = prefixed.sync()
    there = pickle.loads(pickle.dumps(prefixed))
    assert vars(there)['_generation'] is None  # where it arrives, nobody holds it yet
    assert there.generation == prefixed.generation and there.sync() == path


def test_an_agent_uses_a_view(library: Path):
    (library / 'bad').mkdir()
    (library / 'bad/SKILL.md').write_text('bad')
    with said() as warned:
        capability = SkillsCapability(registries=[LocalSkillsRegistry(library).prefixed('x-')])
    assert sum('bad' in text for text in warned) == 1  # by the capability, and not by the registry too
    assert run(capability, [load('x-one'), read('notes.md', 'x-one')]).last == 'one notes'


def test_progress_is_told(library: Path):
    events: list[tuple[str, int, int | None]] = []
    LocalSkillsRegistry(library).prefixed('x-').sync(progress=lambda *event: events.append(event))
    assert events == [('stage', 0, 2), ('stage', 1, 2), ('stage', 2, 2)]
