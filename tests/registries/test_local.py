from __future__ import annotations

import os
from pathlib import Path

import pytest

from pydantic_ai_skills.registries import LocalSkillsRegistry, SkillRegistry, sync_all

from .helpers import files_in, names_in, said, write_skill


def test_default_layout_is_the_folder_itself(tmp_path: Path):
    write_skill(tmp_path / 'one')
    registry = LocalSkillsRegistry(tmp_path)
    assert registry.sync() == tmp_path.resolve()
    assert registry.origin == 'local'
    assert repr(registry) == f'LocalSkillsRegistry({str(tmp_path)!r})'


def test_missing_folder_file_and_skill_are_value_errors(tmp_path: Path):
    write_skill(tmp_path / 'one')
    with pytest.raises(ValueError, match=r'nope.*is not there'):
        LocalSkillsRegistry(tmp_path / 'nope').sync()
    with pytest.raises(ValueError, match='is a file'):
        LocalSkillsRegistry(tmp_path / 'one' / 'SKILL.md').sync()
    with pytest.raises(ValueError, match=r"one.*is itself a skill.*layout='tree'"):
        LocalSkillsRegistry(tmp_path / 'one').sync()
    with pytest.raises(ValueError, match='layout must be'):
        LocalSkillsRegistry(tmp_path, layout='flat')  # pyright: ignore[reportArgumentType]


def test_infos_are_sorted_and_complete(tmp_path: Path):
    (tmp_path / 'b').mkdir()
    (tmp_path / 'b' / 'SKILL.md').write_text(
        '---\nname: b\ndescription: " B "\nlicense: MIT\ncompatibility: node\nmetadata:\n  version: 1.10\n'
        'disable-model-invocation: true\nuser-invocable: false\n---\nx\n'
    )
    write_skill(tmp_path / 'a')
    first, second = LocalSkillsRegistry(tmp_path).skill_infos()
    assert (first.name, first.description, first.license, first.model_invocable) == ('a', 'Does it.', None, True)
    assert (second.name, second.description, second.license, second.compatibility) == ('b', 'B', 'MIT', 'node')
    assert dict(second.metadata) == {'version': '1.10'}
    assert (second.model_invocable, second.user_invocable) == (False, False)
    assert second.directory == (tmp_path / 'b').resolve()
    assert second.digest is not None and len(second.digest) == 64


@pytest.mark.parametrize(
    ('content', 'why'),
    [
        (b'---\nname: odd\ndescription: caf\xe9\n---\n', 'UTF-8'),
        (b'just text', 'frontmatter'),
        (b'---\nname: odd\n---\n', 'description'),
        (b'---\n: [\n---\n', 'YAML'),
    ],
)
def test_a_package_that_is_no_skill_is_left_out_with_a_warning(tmp_path: Path, content: bytes, why: str):
    write_skill(tmp_path / 'good')
    (tmp_path / 'odd').mkdir()
    (tmp_path / 'odd' / 'SKILL.md').write_bytes(content)
    with pytest.warns(UserWarning, match=f'odd/SKILL.md .*{why}'):
        assert LocalSkillsRegistry(tmp_path).skill_names() == ['good']


def test_tree_flattens_and_leaves_the_rest_out(tmp_path: Path):
    root = write_skill(tmp_path / 'repo', guide__md='root guide')
    write_skill(root / 'skills' / 'deep', notes__md='deep notes')
    write_skill(root / 'skills' / 'My Skill')
    write_skill(root / 'node_modules' / 'vendored')
    (root / 'skills' / 'STRAY.txt').write_text('x')
    library = LocalSkillsRegistry(root, layout='tree').sync()
    assert names_in(library) == ['deep', 'my-skill', 'repo']
    assert files_in(library) == [
        'deep/SKILL.md',
        'deep/notes.md',
        'my-skill/SKILL.md',
        'repo/SKILL.md',
        'repo/guide.md',
        'repo/skills/STRAY.txt',
    ]


def test_tree_keeps_the_less_deep_of_two_and_says_so(tmp_path: Path):
    write_skill(tmp_path / 'x' / 'y' / 'same', description='deep')
    write_skill(tmp_path / 'z' / 'same', description='shallow')
    write_skill(tmp_path / 'a' / 'twin')
    write_skill(tmp_path / 'b' / 'twin')
    registry = LocalSkillsRegistry(tmp_path, layout='tree')
    with pytest.warns(UserWarning, match="'same': z/same/SKILL.md is used and x/y/same/SKILL.md is left out"):
        library = registry.sync()
    assert 'shallow' in (library / 'same' / 'SKILL.md').read_text()
    assert [diagnostic.code for diagnostic in registry.diagnostics] == ['shadowed']  # twins are one skill
    assert names_in(library) == ['same', 'twin']


def test_tree_follows_links_out_of_it_but_files_not_out_of_their_skill(tmp_path: Path):
    write_skill(tmp_path / 'far' / 'linked', own__md='own')
    (tmp_path / 'secret').write_text('secret')
    good = write_skill(tmp_path / 'tree' / 'good')
    os.symlink(tmp_path / 'secret', good / 'leak.md')
    os.symlink(tmp_path / 'far' / 'linked', tmp_path / 'tree' / 'linked')
    os.symlink('nowhere', tmp_path / 'tree' / 'dangling')
    os.symlink('..', good / 'loop')
    registry = LocalSkillsRegistry(tmp_path / 'tree', layout='tree')
    with said() as warned:
        library = registry.sync()
    assert len(warned) == 2 and 'leak.md' in warned[0] and 'loop' in warned[1]
    assert names_in(library) == ['good', 'linked']
    assert not (library / 'good' / 'leak.md').exists()
    assert (library / 'linked' / 'own.md').read_text() == 'own'


def test_a_registry_of_ones_own_needs_only_sync(tmp_path: Path):
    class Own(SkillRegistry):
        def sync(self) -> Path:
            return tmp_path

    write_skill(tmp_path / 'one')
    assert Own().skill_names() == ['one']
    assert Own().origin == 'remote'
    assert Own().diagnostics == []


def test_sync_all_gives_each_result_or_error_in_order(tmp_path: Path):
    write_skill(tmp_path / 'one')
    paths = sync_all([LocalSkillsRegistry(tmp_path), LocalSkillsRegistry(tmp_path / 'nope')])
    assert paths[0] == tmp_path.resolve()
    assert isinstance(paths[1], ValueError)
    assert sync_all([]) == []


def test_a_tree_is_copied_again_only_when_it_has_changed(tmp_path: Path):
    one = write_skill(tmp_path / 'tree' / 'deep' / 'one', notes__md='old')
    registry = LocalSkillsRegistry(tmp_path / 'tree', layout='tree')
    first = registry.sync()
    assert registry.generation is not None and registry.generation.library == first
    assert registry.sync() == LocalSkillsRegistry(tmp_path / 'tree', layout='tree').sync() == first
    (one / 'notes.md').write_text('new')
    second = registry.sync()
    assert second != first
    assert (second / 'one' / 'notes.md').read_text() == 'new'
    assert (first / 'one' / 'notes.md').read_text() == 'old'
    write_skill(tmp_path / 'tree' / 'two')
    assert names_in(registry.sync()) == ['one', 'two']


def test_a_linked_skill_outside_the_tree_is_watched(tmp_path: Path):
    far = write_skill(tmp_path / 'far', notes__md='old')
    (tmp_path / 'tree').mkdir()
    os.symlink(far, tmp_path / 'tree' / 'near')
    registry = LocalSkillsRegistry(tmp_path / 'tree', layout='tree')
    registry.sync()
    (far / 'notes.md').write_text('new')
    assert (registry.sync() / 'near' / 'notes.md').read_text() == 'new'
