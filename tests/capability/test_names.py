"""`include`, `exclude` and the spellings of a name."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import (
    Skill,
    SkillsCapability,
)

from ..support import load, make_library, read, run, script, skill_text
from .helpers import FILES


class TestSelection:
    def test_include(self, library: Path) -> None:
        made = SkillsCapability(library, include=['two', 'demo'])
        assert (made.skill_names, made.include, made.exclude) == (['demo', 'two'], {'demo', 'two'}, frozenset())
        assert run(made).skills() == ['demo', 'two']

    def test_exclude(self, library: Path) -> None:
        made = SkillsCapability(library, exclude=['two'])
        assert (made.skill_names, made.include, made.exclude) == (['bare', 'demo'], None, {'two'})

    def test_include_nothing(self, library: Path) -> None:
        made = SkillsCapability(library, include=[])
        assert (made.skill_names, made.include, made.get_toolset()) == ([], frozenset(), None)

    @pytest.mark.parametrize('pair', [(['demo'], ['two']), ([], []), (['demo'], [])])
    def test_both_are_a_mistake(self, library: Path, pair: Any) -> None:
        with pytest.raises(ValueError, match='include and exclude cannot be used together'):
            SkillsCapability(library, include=pair[0], exclude=pair[1])

    @pytest.mark.parametrize('option', ['include', 'exclude'])
    def test_unknown_names(self, library: Path, option: str) -> None:
        skills = [Skill('made', 'Made.')]
        with pytest.raises(ValueError, match=rf"{option} names 'typo', .* There is: bare, demo, made, two\."):
            SkillsCapability(library, skills=skills, **{option: ['demo', 'made', 'typo']})
        made = SkillsCapability(library, skills=skills, unknown_names='skip', **{option: ['demo', 'made', 'typo']})
        assert made.skill_names == (['demo', 'made'] if option == 'include' else ['bare', 'two'])

    def test_a_package_is_known_by_its_folder_too(self, tmp_path: Path) -> None:
        files = {'math_add/SKILL.md': skill_text('math_add'), 'Two/SKILL.md': skill_text('otp'), 'three/SKILL.md': 'x'}
        library = make_library(tmp_path, {**files, 'four/SKILL.md': skill_text('four')})
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            assert SkillsCapability(library, include=['math_add', 'Two']).skill_names == ['math-add', 'otp']
            assert SkillsCapability(library, include=['math-add', 'otp']).skill_names == ['math-add', 'otp']
            made = SkillsCapability(library, exclude=['math_add', 'Two', 'three'])
            assert (made.skill_names, made.diagnostics) == (['four'], ())
            with pytest.raises(ValueError, match=r"'math'.*There is: four, math-add, otp, three"):
                SkillsCapability(library, include=['math'])

    def test_names_compare_after_nfkc(self, tmp_path: Path) -> None:
        library = make_library(tmp_path, {'e\u0301te\u0301/SKILL.md': skill_text('été'), 'x/SKILL.md': skill_text('x')})
        assert SkillsCapability(library, include=['été']).skill_names == ['été']
        assert SkillsCapability(library, exclude=['e\u0301te\u0301']).skill_names == ['x']
        assert SkillsCapability(library, include=['ｘ']).skill_names == ['x']

    @pytest.mark.parametrize(
        'broken', [b'\xff', b'no frontmatter', b'---\nname: broken\n---\n', b'---\ndescription: [\n---\n', b'']
    )
    def test_a_broken_package_is_known_by_name(self, library: Path, broken: bytes) -> None:
        make_library(library, {'broken/SKILL.md': broken})
        assert SkillsCapability(library, exclude=['broken']).skill_names == ['bare', 'demo', 'two']
        with pytest.warns(UserWarning, match='broken'):
            assert SkillsCapability(library, include=['broken', 'demo']).skill_names == ['demo']

    def test_an_unreadable_package_is_known_by_name(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import pydantic_ai_skills.catalog as catalog

        reading = catalog.read_skill_file

        def refuse(found: Any) -> bytes:  # root may read anything, so a mode would not do
            if found.folder == 'two':
                raise PermissionError(13, 'Permission denied')
            return reading(found)

        os.utime(library / 'two/SKILL.md', (1, 1))
        with monkeypatch.context() as patched:
            patched.setattr(catalog, 'read_skill_file', refuse)
            with pytest.warns(UserWarning, match='two/SKILL.md'):
                made = SkillsCapability(library)
            assert (made.skill_names, [found.severity for found in made.diagnostics]) == (['bare', 'demo'], ['error'])
            with warnings.catch_warnings():
                warnings.simplefilter('error')
                assert SkillsCapability(library, exclude=['two']).diagnostics == ()
        assert SkillsCapability(library).skill_names == ['bare', 'demo', 'two'], 'that it failed once is not kept'

    def test_an_excluded_skill_is_unreachable(self, library: Path) -> None:
        made = SkillsCapability(library, exclude=['two'])
        steps = [
            load('two'),
            read('c.md', 'two'),
            read('../two/c.md'),
            load(),
            read('../two/c.md'),
            script('c.md', skill='two'),
        ]
        seen = run(made, steps, agent={'retries': 9})
        assert 'GAMMA' not in seen.everything and 'The second.' not in seen.everything
        assert 'two' not in made.packages
        with pytest.raises(KeyError):
            made.packages['two']
        names = [str(answer).replace("'two'", '').replace("'../two/c.md'", '') for answer in seen.answers]
        assert not any('two' in name for name in names), 'no message names it but to say back what was asked'

    def test_an_excluded_broken_package_is_silent(self, library: Path) -> None:
        make_library(library, {'broken/SKILL.md': 'x'})
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            assert SkillsCapability(library, exclude=['broken']).diagnostics == ()

    def test_the_model_may_not_load_what_only_a_person_may_invoke(self, library: Path) -> None:
        make_library(library, {'manual/SKILL.md': skill_text('manual', extra='disable-model-invocation: true\n')})
        made = SkillsCapability(library)
        assert 'manual' not in made.skill_names and 'manual' not in run(made).skills()


class TestNames:
    def test_the_same_package_twice_is_one_skill(self, library: Path, tmp_path: Path) -> None:
        copy = make_library(tmp_path / 'copy', FILES)
        (tmp_path / 'linked').mkdir()
        (tmp_path / 'linked/demo').symlink_to(library / 'demo')
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            made = SkillsCapability([library, copy, tmp_path / 'linked', str(library)])
        assert (made.skill_names, made.diagnostics) == (['bare', 'demo', 'two'], ())
        assert made.packages['demo'].directory == library / 'demo'

    @pytest.mark.parametrize('changed', ['demo/SKILL.md', 'demo/a.md', 'demo/scripts/x.py', 'demo/new.md'])
    def test_different_packages_of_one_name(self, library: Path, tmp_path: Path, changed: str) -> None:
        content = skill_text(description='Another.') if changed.endswith('SKILL.md') else 'OTHER'
        other = make_library(tmp_path / 'other', {**FILES, changed: content})
        with pytest.raises(ValueError, match=r"Two different skills are called 'demo'.*lib/demo.*other/demo") as caught:
            SkillsCapability([library, other])
        assert 'duplicate_names="keep_first"' in str(caught.value)
        with pytest.warns(UserWarning, match="called 'demo'") as told:
            made = SkillsCapability([other, library], duplicate_names='keep_first')
        assert len(told) == 1 and [finding.severity for finding in made.diagnostics] == ['warning']
        assert made.packages['demo'].directory == other / 'demo'
        seen = run(made, [load(), read('a.md')])
        assert seen.last == ('OTHER' if changed == 'demo/a.md' else 'ALPHA'), 'its files are those of its directory'

    def test_an_excluded_name_may_be_twice(self, library: Path, tmp_path: Path) -> None:
        other = make_library(tmp_path / 'other', {'demo/SKILL.md': skill_text(body='Other.')})
        assert SkillsCapability([library, other], exclude=['demo']).skill_names == ['bare', 'two']

    def test_a_broken_package_does_not_hide_a_good_one(self, library: Path, tmp_path: Path) -> None:
        broken = make_library(tmp_path / 'broken', {'demo/SKILL.md': 'x'})
        with pytest.warns(UserWarning, match='broken/demo'):
            made = SkillsCapability([broken, library])
        assert made.packages['demo'].directory == library / 'demo'

    def test_two_folders_of_one_library_with_one_id(self, tmp_path: Path) -> None:
        library = make_library(
            tmp_path,
            {'two-factor/SKILL.md': skill_text('two-factor'), 'twoFactor/SKILL.md': skill_text('twoFactor', body='B.')},
        )
        with pytest.raises(ValueError, match="called 'two-factor'"):
            SkillsCapability(library)
        with pytest.warns(UserWarning):
            made = SkillsCapability(library, duplicate_names='keep_first')
        assert made.packages['two-factor'].directory == library / 'two-factor'

    def test_python_wins_over_disk(self, library: Path) -> None:
        with pytest.warns(UserWarning, match="Python skill 'demo' is used instead of the package .*lib/demo") as told:
            made = SkillsCapability(library, skills=[Skill('demo', 'Of Python.', 'Python body.')])
        assert len(told) == 1
        seen = run(made, [load(), read('a.md')], agent={'retries': 2})
        assert 'Of Python.' in seen.catalogs[0] and 'ALPHA' not in seen.everything
        assert made.packages['demo'].directory is None

    def test_the_last_of_two_python_skills_wins(self) -> None:
        with pytest.warns(UserWarning, match="Python skill 'x' is used instead of an earlier Python skill") as told:
            made = SkillsCapability(skills=[Skill('x', 'First.'), Skill('x', 'Second.')])
        assert len(told) == 1 and 'Second.' in run(made).catalogs[0]

    def test_what_is_not_selected_shadows_nothing(self, library: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            made = SkillsCapability(library, skills=[Skill('demo', 'P.')], exclude=['demo'])
        assert made.skill_names == ['bare', 'two']

    def test_names_that_other_capabilities_hold_are_noted(self, tmp_path: Path) -> None:
        made = SkillsCapability(
            make_library(tmp_path, {'memory/SKILL.md': skill_text('memory')}), skills=[Skill('thinking', 'T.')]
        )
        assert [(finding.severity, finding.code) for finding in made.diagnostics] == [('info', 'name-risky')] * 2
        assert made.skill_names == ['memory', 'thinking']
