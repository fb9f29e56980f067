"""Options of wrong types and values, as the constructor and agent specs take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import LocalSkillScriptExecutor, LocalSkillsRegistry, Skill, SkillsCapability
from pydantic_ai_skills.options import SkillsOptions, directory_tuple, name_set

from .support import make_library, skill_text


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', {f'{name}/SKILL.md': skill_text(name) for name in ['demo', 'two', 'été']})


BOOLEANS = ['resources', 'scripts', 'require_loaded', 'resolve_skill_dir', 'list_bundled_files', 'strict']


@pytest.mark.parametrize('option', BOOLEANS)
@pytest.mark.parametrize('value', [None, 0, 1, 'yes', 'false', []])
def test_booleans(library: Path, option: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f'{option} must be True or False, not'):
        SkillsCapability(library, **{option: value})


@pytest.mark.parametrize(
    ('option', 'choices'),
    [
        ('missing_directories', "'error' or 'skip'"),
        ('duplicate_names', "'error' or 'keep_first'"),
        ('unknown_names', "'error' or 'skip'"),
    ],
)
@pytest.mark.parametrize('value', [None, True, 'ignore', '', ['skip'], {}])
def test_choices(library: Path, option: str, choices: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f'{option} must be {choices}, not'):
        SkillsCapability(library, **{option: value})


@pytest.mark.parametrize(('value', 'error'), [(-1, ValueError), (1.5, TypeError), ('2', TypeError), (True, TypeError)])
def test_max_retries(library: Path, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match='max_retries must be'):
        SkillsCapability(library, max_retries=value)
    assert SkillsCapability(library, max_retries=0)


@pytest.mark.parametrize('option', ['include', 'exclude'])
class TestNames:
    def test_a_bare_string(self, library: Path, option: str) -> None:
        with pytest.raises(TypeError, match=rf"{option} must be a collection of skill names, .* write \['demo'\]"):
            SkillsCapability(library, **{option: 'demo'})

    @pytest.mark.parametrize('value', [[1], [None], ['demo', Path('two')], b'demo'])
    def test_no_strings(self, library: Path, option: str, value: Any) -> None:
        with pytest.raises(TypeError, match=f'{option} must contain only skill names as strings'):
            SkillsCapability(library, **{option: value})

    @pytest.mark.parametrize('value', [3, object(), True])
    def test_no_collection(self, library: Path, option: str, value: Any) -> None:
        with pytest.raises(TypeError, match=f'{option} must be a sequence'):
            SkillsCapability(library, **{option: value})

    @pytest.mark.parametrize('kind', [list, tuple, set, frozenset, dict.fromkeys, iter])
    def test_collections(self, library: Path, option: str, kind: Any) -> None:
        made = SkillsCapability(library, **{option: kind(['demo', 'demo', 'e\u0301te\u0301'])})
        chosen = ['demo', 'été'] if option == 'include' else ['two']
        assert made.skill_names == chosen
        assert getattr(made, option) == frozenset({'demo', 'été'})


@pytest.mark.parametrize('value', [3, object(), [1], [None], [b'lib'], b'lib'])
def test_directories_of_wrong_types(value: Any) -> None:
    with pytest.raises(TypeError, match='directories must'):
        SkillsCapability(value)


def test_an_empty_directory_is_a_mistake() -> None:
    with pytest.raises(ValueError, match='directories holds an empty string'):
        SkillsCapability('')


def test_directories_are_kept_as_they_were_passed() -> None:
    assert directory_tuple('a') == ('a',)
    assert directory_tuple(Path('a')) == (Path('a'),)
    assert directory_tuple(['a', Path('b')]) == ('a', Path('b'))
    assert directory_tuple(name for name in 'ab') == ('a', 'b')  # type: ignore[arg-type]
    assert directory_tuple(()) == directory_tuple(None) == ()


@pytest.mark.parametrize('value', ['*.md', [1], 3])
def test_exclude_resources_of_wrong_types(library: Path, value: Any) -> None:
    with pytest.raises(TypeError, match='exclude_resources must'):
        SkillsCapability(library, exclude_resources=value)


def test_a_glob_that_is_not_valid(library: Path) -> None:
    with pytest.raises(ValueError, match='exclude_resources has a glob that is not valid'):
        SkillsCapability(library, exclude_resources=['!'])


@pytest.mark.parametrize('value', ['', 3, Path('x'), True])
def test_ids(library: Path, value: Any) -> None:
    with pytest.raises(TypeError, match='id must be text or None'):
        SkillsCapability(library, id=value)


def test_executors_of_wrong_types(library: Path) -> None:
    with pytest.raises(TypeError, match='has an async run'):
        SkillsCapability(library, script_executor=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r'not the class: write LocalSkillScriptExecutor\(\)'):
        SkillsCapability(library, script_executor=LocalSkillScriptExecutor)  # type: ignore[arg-type]


def test_an_executor_that_is_falsy_is_used(library: Path) -> None:
    class Falsy:
        def __bool__(self) -> bool:
            return False

        async def run(self, script: Any, args: Any = None, ctx: Any = None) -> str:
            return 'ran here'

    make_library(library, {'demo/x.py': ''})
    executor = Falsy()
    assert SkillsCapability(library, script_executor=executor).packages['demo'].scripts[0].executor is executor


def test_sources_of_wrong_types(library: Path) -> None:
    skill = Skill('x', 'X.')
    with pytest.raises(TypeError, match=r'skills must be a sequence: write \['):
        SkillsCapability(skills=skill)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="skills cannot hold 'x'"):
        SkillsCapability(skills=['x'])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r'registries must be a sequence: write \['):
        SkillsCapability(registries=LocalSkillsRegistry(library))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='registries cannot hold'):
        SkillsCapability(registries=[library])  # type: ignore[list-item]
    with pytest.raises(TypeError, match='registries must be a sequence'):
        SkillsCapability(registries=3)  # type: ignore[arg-type]


def test_unknown_options_are_refused(library: Path) -> None:
    with pytest.raises(TypeError, match='include_resources'):
        SkillsCapability(library, include_resources=['x'])  # type: ignore[call-arg]


def test_name_set() -> None:
    assert name_set('include', None) is None
    assert name_set('include', []) == frozenset()
    assert name_set('include', ['ｄｅｍｏ']) == {'demo'}


def test_selection() -> None:
    assert SkillsOptions().selects('x')
    assert [SkillsOptions(include=frozenset('ab')).selects(name) for name in 'abc'] == [True, True, False]
    assert [SkillsOptions(exclude=frozenset('ab')).selects(name) for name in 'abc'] == [False, False, True]
    assert not SkillsOptions(include=frozenset()).selects('x')
