"""Directories, registries and skills in Python: what a library is, which of two wins, what is told of the rest."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import (
    LocalSkillsRegistry,
    Skill,
    SkillRegistry,
    SkillsCapability,
)

from ..support import load, make_library, read, run, skill_text


class TestSources:
    @pytest.mark.parametrize('kind', [str, Path, lambda path: [path], lambda path: (str(path),)])
    def test_directories(self, library: Path, kind: Any) -> None:
        given = kind(library)
        made = SkillsCapability(given)
        assert made.skill_names == ['bare', 'demo', 'two']
        assert made.directories == ((given,) if isinstance(given, (str, Path)) else tuple(given))

    def test_home_and_relative(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv('HOME', str(library.parent))
        monkeypatch.chdir(library.parent)
        made = SkillsCapability(['~/lib', 'lib', Path('~/lib'), library])
        assert made.directories == ('~/lib', 'lib', Path('~/lib'), library)
        assert (made.skill_names, made.diagnostics) == (['bare', 'demo', 'two'], ())
        monkeypatch.chdir('/')
        assert run(made, [load(), read('a.md')]).last == 'ALPHA'

    def test_a_home_that_is_not_known(self) -> None:
        with pytest.raises(
            ValueError, match='~nobody-of-that-name/skills does not exist: its home folder is not known'
        ):
            SkillsCapability('~nobody-of-that-name/skills')
        made = SkillsCapability('~nobody-of-that-name/skills', missing_directories='skip')
        assert (made.skill_names, len(made.diagnostics)) == ([], 1)

    @pytest.mark.parametrize('options', [{}, {'directories': []}, {'registries': []}, {'missing_directories': 'skip'}])
    def test_no_source_at_all(self, options: Any) -> None:
        with pytest.raises(ValueError, match='needs a source: directories, registries or skills'):
            SkillsCapability(**options)

    @pytest.mark.parametrize(
        ('path', 'problem'),
        [
            ('gone', 'gone does not exist'),
            ('lib/demo', 'lib/demo is itself a skill package, not a library of packages. Pass its parent folder'),
            ('lib/demo/a.md', 'a.md is not a directory'),
            ('lib/demo/a.md/x', 'does not exist'),
            ('fifo', 'is not a directory'),
            ('x' * 300, 'cannot be read: File name too long'),
            ('null\0byte', 'does not exist'),
        ],
    )  # fmt: skip
    def test_what_is_no_library(self, library: Path, path: str, problem: str) -> None:
        os.mkfifo(library.parent / 'fifo')
        with pytest.raises(ValueError, match=problem):
            SkillsCapability([library, library.parent / path])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            made = SkillsCapability([library.parent / path, library], missing_directories='skip')
        assert made.skill_names == ['bare', 'demo', 'two']
        assert [finding.severity for finding in made.diagnostics] == ['info' if 'not exist' in problem else 'warning']
        assert len(caught) == ('not exist' not in problem)

    def test_a_library_that_may_not_be_listed(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        listing = os.listdir

        def refuse(path: Any = '.') -> list[str]:  # root may list anything, so a mode would not do
            if str(path) == str(library):
                raise PermissionError(13, 'Permission denied')
            return listing(path)

        monkeypatch.setattr(os, 'listdir', refuse)
        with pytest.raises(ValueError, match='cannot be read: Permission denied'):
            SkillsCapability(library)

    def test_all_absent_makes_an_empty_capability(self, tmp_path: Path) -> None:
        made = SkillsCapability([tmp_path / 'gone', tmp_path / 'too'], missing_directories='skip')
        assert (made.skill_names, dict(made.packages), made.get_toolset()) == ([], {}, None)
        seen = run(made)
        assert (seen.skills(), seen.tools, seen.warnings) == ([], [[]], [])

    def test_an_empty_library(self, tmp_path: Path) -> None:
        made = SkillsCapability(make_library(tmp_path, {'README.md': 'x', 'empty/x': ''}))
        assert made.skill_names == []
        [found] = made.diagnostics
        assert (found.path, found.severity, found.code, found.hint) == (
            tmp_path,
            'info',
            'library-empty',
            'Each skill is a folder in it with a `SKILL.md`.',
        )

    def test_a_folder_above_libraries(self, library: Path) -> None:
        with pytest.warns(UserWarning, match='There is no skill package in'):
            [found] = SkillsCapability(library.parent).diagnostics
        assert (found.path, found.severity, found.code) == (library.parent, 'warning', 'library-empty')
        assert found.hint is not None and str(library) in found.hint and "layout='tree'" in found.hint

    def test_registries(self, library: Path) -> None:
        registry = LocalSkillsRegistry(library)
        made = SkillsCapability(registries=[registry], script_executor=None, scripts=False)
        assert (made.registries, made.skill_names) == ((registry,), ['bare', 'demo', 'two'])
        assert made.packages['two'].resources[0].name == 'c.md'

    def test_a_registry_that_returns_no_library(self, library: Path) -> None:
        class Odd(SkillRegistry):
            def __init__(self, answer: Any) -> None:
                self.answer = answer

            def sync(self) -> Any:
                return self.answer

        assert SkillsCapability(registries=[Odd(str(library))], scripts=False).skill_names == ['bare', 'demo', 'two']
        with pytest.raises(TypeError, match=r'sync\(\) must return the path of a library, not None'):
            SkillsCapability(registries=[Odd(None)])
        with pytest.raises(ValueError, match='is itself a skill package'):
            SkillsCapability(registries=[Odd(library / 'demo')])
        made = SkillsCapability(library, registries=[Odd(library / 'gone')], missing_directories='skip')
        assert [finding.severity for finding in made.diagnostics] == ['info']

    def test_a_registry_of_ones_own_may_fail_with_anything(self, library: Path) -> None:
        class Failing(SkillRegistry):
            def __init__(self, error: Exception) -> None:
                self.error = error

            def __repr__(self) -> str:
                return 'Failing()'

            def sync(self) -> Path:
                raise self.error

        with pytest.raises(KeyError) as raised:
            SkillsCapability(registries=[Failing(KeyError('x'))])
        assert raised.value.__notes__ == ['While Failing() was synced.']
        with pytest.warns(UserWarning, match=r"Failing\(\) is left out: 'x'"):
            made = SkillsCapability(
                library, registries=[Failing(KeyError('x'))], missing_directories='skip', scripts=False
            )
        assert made.skill_names == ['bare', 'demo', 'two']
        with pytest.raises(TypeError):  # a mistake in the code is no source that is away
            SkillsCapability(library, registries=[Failing(TypeError('x'))], missing_directories='skip')

    def test_directories_and_registries_and_skills_together(self, library: Path, tmp_path: Path) -> None:
        other = make_library(tmp_path / 'other', {'far/SKILL.md': skill_text('far')})
        made = SkillsCapability(library, registries=[LocalSkillsRegistry(other)], skills=[Skill('made', 'Made.')])
        assert made.skill_names == ['bare', 'demo', 'far', 'made', 'two']
        assert run(made).skills() == made.skill_names


class TestWarnings:
    def test_once_at_construction_and_never_in_a_run(self, library: Path) -> None:
        make_library(library, {'broken/SKILL.md': 'x', 'no-utf8/SKILL.md': b'\xff'})
        with pytest.warns(UserWarning) as told:
            made = SkillsCapability(library)
        assert len(told) == 2 and [finding.severity for finding in made.diagnostics] == ['error', 'error']
        assert sorted(str(item.message) for item in told) == sorted(str(finding) for finding in made.diagnostics)
        for _ in range(2):
            assert run(made, [load(), read('a.md'), load('two'), read('c.md', 'two')]).warnings == []

    def test_a_link_out_of_a_skill_once_when_it_is_indexed(self, library: Path, tmp_path: Path) -> None:
        make_library(tmp_path, {'secret': 'SECRET'})
        (library / 'demo/secret.md').symlink_to('../../secret')
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            made = SkillsCapability(library)
        seen = run(made, [load(), read('secret.md'), read('a.md')], agent={'retries': 2})
        assert len([text for text in seen.warnings if 'secret.md' in text]) == 1
        assert 'SECRET' not in seen.everything and seen.last == 'ALPHA'
        assert run(made, [load(), read('a.md')]).warnings == []

    def test_scripts_of_a_registry_on_this_host(self, library: Path, tmp_path: Path) -> None:
        other = make_library(tmp_path / 'other', {'far/SKILL.md': skill_text('far')})
        with pytest.warns(UserWarning) as told:
            SkillsCapability(registries=[LocalSkillsRegistry(library), LocalSkillsRegistry(other)])
        assert ['script_executor=' in str(item.message) for item in told] == [True]

    def test_no_word_where_an_executor_was_chosen(self, library: Path) -> None:
        from pydantic_ai_skills import LocalSkillScriptExecutor

        with warnings.catch_warnings():
            warnings.simplefilter('error')
            SkillsCapability(registries=[LocalSkillsRegistry(library)], script_executor=LocalSkillScriptExecutor())
            SkillsCapability(registries=[LocalSkillsRegistry(library)], scripts=False)
            SkillsCapability(library)
