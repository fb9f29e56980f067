"""`index_libraries` and what it gives."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import ModelRetry

from pydantic_ai_skills import LocalSkillScriptExecutor, SkillPackage, SkillsCapability
from pydantic_ai_skills import packages as packages_module
from pydantic_ai_skills.packages import DEFAULT_RESOURCE_EXCLUDES, SkillAsset, file_counts, index_libraries

from .support import make_library, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(),
    'demo/a.md': 'ALPHA\nBETA\n',
    'demo/logo.png': b'\x89PNG\0',
    'demo/scripts/x.py': 'import sys; print(*sys.argv[1:])',
    'demo/tools/y.py': 'print("y")',
    'two/SKILL.md': skill_text('two'),
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', FILES)


def test_the_public_names() -> None:
    assert DEFAULT_RESOURCE_EXCLUDES and dataclasses.is_dataclass(SkillPackage) and dataclasses.is_dataclass(SkillAsset)


def test_a_package(library: Path) -> None:
    packages = index_libraries([library])
    assert isinstance(packages, dict) and list(packages) == ['demo', 'two']
    demo = packages['demo']
    folder = Path(os.path.realpath(library / 'demo'))
    assert (demo.name, demo.directory) == ('demo', folder)
    assert [item.name for item in demo.resources] == ['a.md', 'tools/y.py']
    assert [item.name for item in demo.scripts] == ['scripts/x.py']
    assert [item.name for item in demo.unlisted_scripts] == ['tools/y.py']
    assert demo.assets == (SkillAsset('logo.png', str(folder / 'logo.png'), 5, 'image/png'),)
    assert demo.resources_by_name == {item.name: item for item in demo.resources}
    assert demo.scripts_by_name == {item.name: item for item in demo.scripts}
    script = demo.scripts[0]
    assert (script.uri, script.function, script.takes_ctx) == (str(folder / 'scripts/x.py'), None, False)
    assert (script.skill_name, script.skill_directory, script.description) == ('demo', folder, None)
    assert isinstance(script.executor, LocalSkillScriptExecutor)
    resource = demo.resources[0]
    assert (resource.uri, resource.function, resource.takes_ctx, resource.description) == (
        str(folder / 'a.md'),
        None,
        False,
        None,
    )


def test_files_are_counted_without_an_index(library: Path) -> None:
    make_library(library / 'demo', {'__pycache__/x.pyc': b'', '.env': '', 'inner/SKILL.md': '', 'inner/y.md': ''})
    (library / 'demo/tool').write_text('#!/bin/sh')
    assert file_counts(library / 'demo') == (5, 2)
    package = index_libraries(library)['demo']
    assert len(package.resources) + len(package.assets) + len(package.scripts) == 5 and len(package.scripts) == 2
    with pytest.raises(OSError):
        file_counts(library / 'gone')


def test_load_and_run(library: Path) -> None:
    demo = index_libraries(library)['demo']
    resource, script = demo.resources_by_name['a.md'], demo.scripts_by_name['scripts/x.py']
    assert asyncio.run(resource.load(None)) == 'ALPHA\nBETA\n'
    assert (
        asyncio.run(resource.load(None, {'offset': 2})) == asyncio.run(resource.load(None, '{"offset": 2}')) == 'BETA\n'
    )
    assert asyncio.run(script.run(None, ['a', 'b'])) == 'a b'
    with pytest.raises(ModelRetry):
        asyncio.run(resource.load(None, {'page': 2}))
    (library / 'demo/a.md').unlink()
    with pytest.raises(FileNotFoundError):
        asyncio.run(resource.load(None))


def test_it_is_frozen(library: Path) -> None:
    demo = index_libraries(library)['demo']
    with pytest.raises(dataclasses.FrozenInstanceError):
        demo.name = 'other'  # type: ignore[misc]
    names = {field.name for field in dataclasses.fields(SkillPackage) if field.name.endswith('_by_name')}
    for field in dataclasses.fields(SkillPackage):
        if field.name in names:
            assert not (field.init or field.repr or field.compare)
    assert 'resources_by_name' not in repr(demo) and demo == dataclasses.replace(demo)
    assert SkillPackage('x') == SkillPackage('x', None, (), (), ())


def test_libraries(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_library(
        tmp_path / 'other', {'demo/SKILL.md': skill_text(), 'demo/o.md': '', 'third/SKILL.md': skill_text('third')}
    )
    both = index_libraries([library, str(other), tmp_path / 'gone', other / 'demo/o.md'])
    assert sorted(both) == ['demo', 'third', 'two']
    assert both['demo'].directory == other / 'demo', 'later ones win'
    assert index_libraries(str(library)).keys() == index_libraries(iter([library])).keys() == {'demo', 'two'}
    monkeypatch.setenv('HOME', str(tmp_path))
    assert sorted(index_libraries(['~/lib'])) == ['demo', 'two']
    assert index_libraries([]) == {} and index_libraries(tmp_path / 'gone') == {}


def test_its_options(library: Path) -> None:
    executor = LocalSkillScriptExecutor()
    demo = index_libraries([library], script_executor=executor, exclude_resources=['*.png', 'tools'])['demo']
    assert demo.scripts[0].executor is executor
    assert ([item.name for item in demo.resources], demo.assets, demo.unlisted_scripts) == (['a.md'], (), ())
    with pytest.raises(TypeError, match='not the string'):
        index_libraries([library], exclude_resources='*.png')


@pytest.mark.parametrize(
    ('folder', 'name', 'id'),
    [
        ('My Skill', 'My Skill', 'my-skill'),
        ('twoFactor', 'two-factor-auth', 'two-factor-auth'),
        ('e\u0301te\u0301', 'x', 'été'),
        ('___', 'inner', 'inner'),
        (os.fsdecode(b'caf\xe9'), 'cafe', 'cafe'),
    ],
)
def test_keys_are_the_ids_of_the_catalog(tmp_path: Path, folder: str, name: str, id: str) -> None:
    library = make_library(tmp_path, {f'{folder}/SKILL.md': skill_text(name), f'{folder}/a.md': ''})
    assert list(index_libraries(library)) == [id]
    with pytest.warns(UserWarning):
        assert SkillsCapability(library).skill_names == [id]


def test_a_linked_skill_file_gives_its_id_too(tmp_path: Path) -> None:
    library = make_library(tmp_path / 'lib', {'My Skill/a.md': ''})
    make_library(tmp_path, {'far/f.md': skill_text('renamed')})
    (library / 'My Skill/SKILL.md').symlink_to('../../far/f.md')
    assert list(index_libraries(library)) == ['renamed']
    with pytest.warns(UserWarning):
        assert SkillsCapability(library).skill_names == ['renamed']


def test_broken_packages_take_nothing_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = make_library(
        tmp_path,
        {'!!!/SKILL.md': b'\xff', 'bad/SKILL.md': b'\xff', 'bad/a.md': '', 'good/SKILL.md': skill_text('good')},
    )
    assert list(index_libraries(library)) == ['bad', 'good']
    indexing = packages_module.index_files

    def vanish(directory: Path, *rest: Any) -> Any:
        if directory.name == 'bad':
            shutil.rmtree(directory)
        return indexing(directory, *rest)

    monkeypatch.setattr(packages_module, 'index_files', vanish)
    with pytest.warns(UserWarning, match='Skipping .*bad: it cannot be listed'):
        assert list(index_libraries(library)) == ['good']


def test_origins(tmp_path: Path) -> None:
    for place, origin in [('site-packages/p/skills', 'installed'), ('lib', 'local')]:
        library = make_library(tmp_path / place, FILES)
        script = index_libraries(library)['demo'].scripts[0]
        assert (script.origin, script.from_registry) == (origin, False)
