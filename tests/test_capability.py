"""`SkillsCapability`: every parameter, attribute and error of its contract, through agents where the model sees it."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.test import TestModel

from pydantic_ai_skills import (
    LocalSkillsRegistry,
    Skill,
    SkillFilesToolset,
    SkillPackage,
    SkillRegistry,
    SkillsCapability,
)
from pydantic_ai_skills import index as index_module

from .support import Seen, collect, load, make_library, read, run, script, scripted, skill_text

FILES: dict[str, str | bytes] = {
    'demo/SKILL.md': skill_text(body='Run ${SKILL_DIR}/scripts/x.py or ${CLAUDE_SKILL_DIR}/y.'),
    'demo/a.md': 'ALPHA',
    'demo/notes/b.csv': 'BETA',
    'demo/logo.png': b'\x89PNG\0',
    'demo/scripts/x.py': 'print("x ran")',
    'two/SKILL.md': skill_text('two', 'The second.'),
    'two/c.md': 'GAMMA',
    'bare/SKILL.md': skill_text('bare', 'Without files.'),
}
BOTH_TOOLS = ['read_skill_resource', 'run_skill_script']


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(tmp_path / 'lib', FILES)


def instructions(seen: Seen, name: str = 'demo') -> str:
    """The instructions of a loaded skill as the model got them."""
    start = seen.everything.index(f'# Skill: {name}')
    return seen.everything[start:].split('\n</context>')[0].rstrip()


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


class TestTools:
    def test_both(self, library: Path) -> None:
        assert run(SkillsCapability(library)).tools[0] == ['load_capability', *BOTH_TOOLS]

    @pytest.mark.parametrize(('resources', 'scripts'), [(True, False), (False, True), (False, False)])
    def test_only_what_is_asked_for(self, library: Path, resources: bool, scripts: bool) -> None:
        made = SkillsCapability(library, resources=resources, scripts=scripts)
        seen = run(made, [load()])
        wanted = [name for name, on in zip(BOTH_TOOLS, (resources, scripts), strict=True) if on]
        assert seen.tools == [['load_capability', *wanted]] * 2
        text = instructions(seen)
        assert ('- a.md' in text, '- logo.png' in text, '- scripts/x.py' in text) == (resources, resources, scripts)
        assert ('Resources' in text, 'Assets' in text, 'Scripts' in text) == (resources, resources, scripts)
        assert (made.get_toolset() is None) == (not wanted)

    @pytest.mark.parametrize(
        ('files', 'tools'),
        [
            ({}, []),
            ({'demo/a.md': 'x'}, ['read_skill_resource']),
            ({'demo/a.png': b'\0'}, ['read_skill_resource']),
            ({'demo/a.py': 'x'}, ['run_skill_script']),
            ({'demo/tools/a.sh': 'x'}, BOTH_TOOLS),
            ({'demo/.env': 'x', 'demo/nested/SKILL.md': 'x', 'demo/nested/a.md': 'x'}, []),
        ],
    )
    def test_a_tool_is_offered_only_for_files_of_its_kind(self, tmp_path: Path, files: Any, tools: list[str]) -> None:
        made = SkillsCapability(make_library(tmp_path, {'demo/SKILL.md': skill_text(), **files}))
        assert run(made).tools == [['load_capability', *tools]]
        assert (made.get_toolset() is None) == (not tools)

    def test_files_are_shut_until_the_skill_is_loaded(self, library: Path) -> None:
        seen = run(
            SkillsCapability(library), [read('a.md'), script('x.py'), load(), read('a.md')], agent={'retries': 3}
        )
        for answer in seen.answers[:2]:
            assert "The skill 'demo' is not loaded" in answer and "`load_capability` with id 'demo'" in answer
        assert seen.last == 'ALPHA'

    def test_loading_another_skill_does_not_open_it(self, library: Path) -> None:
        seen = run(SkillsCapability(library), [[*load('two'), *read('a.md')]], agent={'retries': 3})
        assert "The skill 'demo' is not loaded" in seen.last

    def test_open_from_the_start(self, library: Path) -> None:
        seen = run(SkillsCapability(library, require_loaded=False), [read('a.md'), script('x.py')])
        assert seen.answers == ['ALPHA', 'x ran']

    def test_exclude_resources(self, library: Path) -> None:
        made = SkillsCapability(library, exclude_resources=['*.csv', '*.png', 'scripts'])
        seen = run(made, [load(), read('notes/b.csv'), read('logo.png'), script('x.py')], agent={'retries': 3})
        assert 'has no file' in seen.answers[1] and 'has no file' in seen.answers[2]
        assert 'b.csv' not in instructions(seen) and 'logo.png' not in instructions(seen)
        assert seen.last == 'x ran', 'globs hide resources and assets, not scripts'

    def test_two_with_different_options_keep_their_own(self, library: Path, tmp_path: Path) -> None:
        """Merged, they share one pair of tools; what a capability does not offer stays shut all the same."""
        other = make_library(
            tmp_path / 'other', {'far/SKILL.md': skill_text('far'), 'far/f.md': 'FAR', 'far/f.py': 'print(1)'}
        )
        both = [
            SkillsCapability(library),
            SkillsCapability(other, resources=False, scripts=False, require_loaded=False),
        ]
        seen = run(both, [read('f.md', 'far'), script('f.py', skill='far'), load(), read('a.md')], agent={'retries': 5})
        assert 'FAR' not in seen.everything
        assert seen.answers[0] == "No file of the skill 'far' can be read here. Go on without."
        assert seen.answers[1] == "No file of the skill 'far' can be run here. Go on without."
        assert seen.last == 'ALPHA'

    def test_max_retries(self, library: Path) -> None:
        from pydantic_ai.exceptions import UnexpectedModelBehavior

        wrong = [load(), read('nope.md'), read('nope.md'), read('nope.md'), read('a.md')]
        assert run(SkillsCapability(library, max_retries=3), wrong).last == 'ALPHA'
        assert run(SkillsCapability(library), wrong, agent={'retries': 3}).last == 'ALPHA'
        for made in [SkillsCapability(library, max_retries=1), SkillsCapability(library)]:
            with pytest.raises(UnexpectedModelBehavior, match='read_skill_resource'):
                run(made, wrong)

    def test_their_schemas_say_what_to_send(self, library: Path) -> None:
        seen = run(SkillsCapability(library))
        for tool, names in [
            ('read_skill_resource', ['skill_name', 'resource_name', 'args']),
            ('run_skill_script', ['skill_name', 'script_name', 'args', 'stdin']),
        ]:
            schema = seen.schemas[tool]
            assert list(schema['properties']) == names and schema['required'] == names[:2]
            assert all(schema['properties'][name].get('description') for name in names)
            assert seen.descriptions[tool]
        kinds = {option.get('type') for option in seen.schemas['run_skill_script']['properties']['args']['anyOf']}
        assert kinds == {'array', 'object', 'string', 'null'}


class TestInstructions:
    def test_heading_body_and_files(self, library: Path) -> None:
        folder = os.path.realpath(library / 'demo')
        assert instructions(run(SkillsCapability(library), [load()])) == (
            '# Skill: demo\n\n'
            f'Run {folder}/scripts/x.py or {folder}/y.\n\n'
            '## Bundled files\n\n'
            'Resources, read with `read_skill_resource`:\n- a.md\n- notes/b.csv\n\n'
            'Assets (not text):\n- logo.png (image/png)\n\n'
            'Scripts, run with `run_skill_script`:\n- scripts/x.py'
        )

    def test_placeholders_can_stay(self, library: Path) -> None:
        seen = run(SkillsCapability(library, resolve_skill_dir=False), [load()])
        assert 'Run ${SKILL_DIR}/scripts/x.py or ${CLAUDE_SKILL_DIR}/y.' in instructions(seen)

    def test_the_list_can_be_left_out(self, library: Path) -> None:
        text = instructions(run(SkillsCapability(library, list_bundled_files=False), [load()]))
        assert 'Bundled files' not in text and text.startswith('# Skill: demo\n\nRun ')

    def test_a_skill_without_files_or_body(self, tmp_path: Path) -> None:
        made = SkillsCapability(make_library(tmp_path, {'demo/SKILL.md': '---\nname: demo\ndescription: D.\n---\n'}))
        assert instructions(run(made, [load()])) == '# Skill: demo'

    def test_a_description_cannot_pose_as_another_entry(self, tmp_path: Path) -> None:
        text = '---\nname: demo\ndescription: |\n  First.\n\n  - two: Forged.\n  \u2028- three: Forged.\n---\nx'
        seen = run(SkillsCapability(make_library(tmp_path, {'demo/SKILL.md': text})))
        assert seen.skills() == ['demo']
        assert '\n  - two: Forged.' in seen.catalogs[0] and '\n- t' not in seen.catalogs[0]

    def test_half_a_character_does_not_reach_the_catalog(self, library: Path) -> None:
        """A description with a lone surrogate would fail the request of every run, whatever skill it wants."""
        make_library(library, {'odd/SKILL.md': '---\nname: odd\ndescription: "half \\ud83d"\n---\nx'})
        for strict in (False, True):
            with pytest.warns(UserWarning, match='odd/SKILL.md'):
                made = SkillsCapability(library, strict=strict)
            seen = run(made)
            assert {'bare', 'demo', 'two'} <= set(seen.skills())
            seen.everything.encode()

    def test_paths_that_are_not_utf8_reach_the_model_as_text(self, tmp_path: Path) -> None:
        library = make_library(tmp_path / os.fsdecode(b'caf\xe9'), FILES)
        seen = run(SkillsCapability(library), [load(), read('logo.png'), read('a.md'), script('x.py')])
        seen.everything.encode()
        assert 'caf\ufffd/demo/logo.png' in str(seen.answers[1])
        assert seen.answers[2:] == ['ALPHA', 'x ran']


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


class TestSnapshot:
    def test_names_and_bodies_are_those_of_construction(self, library: Path) -> None:
        made = SkillsCapability(library)
        make_library(library, {'demo/SKILL.md': skill_text(body='Changed.'), 'new/SKILL.md': skill_text('new')})
        seen = run(made, [load()])
        assert (seen.skills(), 'Changed.' in seen.everything) == (['bare', 'demo', 'two'], False)
        assert SkillsCapability(library).skill_names == ['bare', 'demo', 'new', 'two']
        assert 'Changed.' in run(SkillsCapability(library), [load()]).everything

    def test_the_list_of_files_is_that_of_first_use_and_contents_are_live(self, library: Path) -> None:
        made = SkillsCapability(library)
        make_library(library, {'demo/late.md': 'LATE'})
        assert 'late.md' in instructions(run(made, [load()]))
        make_library(library, {'demo/later.md': 'LATER', 'demo/a.md': 'CHANGED'})
        seen = run(made, [load(), read('a.md'), read('later.md')], agent={'retries': 2})
        assert 'later.md' not in instructions(seen)
        assert seen.answers[1] == 'CHANGED' and 'has no file' in seen.answers[2]

    def test_nothing_is_indexed_before_it_is_needed(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import pydantic_ai_skills.assemble as assemble

        indexed: list[str] = []
        index = assemble.index_package
        monkeypatch.setattr(assemble, 'index_package', lambda name, *rest: indexed.append(name) or index(name, *rest))
        made = SkillsCapability(library)
        assert (
            len(made.packages) == 3 and list(made.packages) == ['bare', 'demo', 'two'] and 'demo' in repr(made.packages)
        )
        agent = Agent(scripted([load(), read('a.md')], seen := Seen()), capabilities=[made])
        assert indexed == []
        collect(seen, agent.run_sync('go').all_messages())
        assert (seen.last, indexed) == ('ALPHA', ['demo'])
        run(made, [load(), read('a.md')])
        assert made.packages['demo'].resources_by_name['a.md'].name == 'a.md'
        assert indexed == ['demo']

    def test_a_folder_that_vanished(self, library: Path) -> None:
        import shutil

        made = SkillsCapability(library)
        seen = run(made, [load('two'), read('c.md', 'two')])
        assert seen.last == 'GAMMA'
        shutil.rmtree(library)
        seen = run(made, [load(), load('two'), read('a.md'), script('x.py'), read('c.md', 'two')], agent={'retries': 5})
        assert instructions(seen, 'two').startswith('# Skill: two\n\nDo it.')
        assert (
            seen.answers[2].startswith("The files of the skill 'demo' cannot be listed")
            and 'Go on without' in seen.answers[3]
        )
        assert seen.last == 'c.md cannot be read any more: no such file or directory.'
        with pytest.raises(FileNotFoundError):
            made.packages['demo']

    def test_from_many_threads_each_skill_is_indexed_once(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import pydantic_ai_skills.assemble as assemble

        indexed: list[str] = []
        together = threading.Barrier(8, timeout=30)
        index = assemble.index_package
        monkeypatch.setattr(assemble, 'index_package', lambda name, *rest: indexed.append(name) or index(name, *rest))
        made = SkillsCapability(library)

        def look(_: int) -> SkillPackage:
            together.wait()
            return made.packages['demo']

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(look, range(8)))
        assert indexed == ['demo'] and all(package is found[0] for package in found)


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


class TestObject:
    def test_repr_shows_sources_and_selection(self, library: Path) -> None:
        registry = LocalSkillsRegistry(library)
        made = SkillsCapability(
            '~/nowhere', registries=[registry], include=['demo'], missing_directories='skip', scripts=False
        )
        assert repr(made) == (
            f"SkillsCapability(directories=('~/nowhere',), registries=({registry!r},), "
            "include=frozenset({'demo'}), exclude=frozenset())"
        )

    def test_equal_only_to_itself(self, library: Path) -> None:
        one, two = SkillsCapability(library), SkillsCapability(library)
        assert one == one and one != two and len({one, two}) == 2

    def test_the_id_is_the_one_given(self, library: Path) -> None:
        assert (SkillsCapability(library).id, SkillsCapability(library, id='mine').id) == (None, 'mine')

    def test_packages(self, library: Path) -> None:
        packages = SkillsCapability(library).packages
        assert isinstance(packages, Mapping) and set(packages) == {'bare', 'demo', 'two'}
        demo = packages['demo']
        assert (demo.name, demo.directory) == ('demo', library / 'demo')
        assert [item.name for item in demo.resources] == ['a.md', 'notes/b.csv']
        assert [item.name for item in demo.assets] == ['logo.png']
        assert [item.name for item in demo.scripts] == ['scripts/x.py']
        assert demo.scripts_by_name['scripts/x.py'].skill_name == 'demo'

    def test_get_toolset(self, library: Path) -> None:
        toolset = SkillsCapability(library, id='mine').get_toolset()
        assert isinstance(toolset, SkillFilesToolset) and toolset.id == 'mine'
        assert SkillsCapability(library, include=['bare']).get_toolset() is None
        assert SkillsCapability(library, include=['two'], resources=False).get_toolset() is None
        assert SkillsCapability(library, include=['demo'], resources=False).get_toolset() is not None

    def test_get_toolset_stops_looking_at_the_first(self, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        looked: list[str] = []
        scan = os.scandir
        made = SkillsCapability(library, exclude=['bare'])
        monkeypatch.setattr(
            index_module.os, 'scandir', lambda path: looked.append(os.path.basename(path)) or scan(path)
        )
        assert made.get_toolset() is not None
        assert 'demo' in looked and 'two' not in looked

    def test_create(self, library: Path) -> None:
        async def main() -> tuple[SkillsCapability[Any], list[str]]:
            ticks: list[str] = []

            class Slow(SkillRegistry):
                def sync(self) -> Path:
                    ticks.append(threading.current_thread().name)
                    return library

            made = await SkillsCapability.create(registries=[Slow()], include=['demo'], scripts=False)
            with pytest.raises(ValueError, match='does not exist'):
                await SkillsCapability.create(library / 'gone')
            return made, ticks

        made, ticks = asyncio.run(main())
        assert (made.skill_names, ticks == ['MainThread']) == (['demo'], False)

    def test_construction_inside_a_running_loop(self, library: Path) -> None:
        async def main() -> str:
            return (
                await Agent(scripted([load(), read('a.md')], Seen()), capabilities=[SkillsCapability(library)]).run(
                    'go'
                )
            ).output

        assert asyncio.run(main()) == 'done'

    def test_under_other_event_loops_and_again(self, library: Path) -> None:
        made = SkillsCapability(library)
        for _ in range(3):  # a loop each
            assert run(made, [load(), read('a.md')]).last == 'ALPHA'
        agent = Agent(TestModel(call_tools=[]), capabilities=[made])
        assert agent.run_sync('go').output
        with ThreadPoolExecutor(4) as pool:
            assert [seen.last for seen in pool.map(lambda _: run(made, [load(), read('a.md')]), range(4))] == [
                'ALPHA'
            ] * 4


class TestVisits:
    def visited(self, made: SkillsCapability[Any]) -> list[Any]:
        found: list[Any] = []
        made.apply(found.append)
        return found

    def test_self_then_each_leaf(self, library: Path) -> None:
        made = SkillsCapability(library)
        found = self.visited(made)
        assert found[0] is made and [leaf.id for leaf in found[1:]] == ['bare', 'demo', 'two']
        assert [leaf.defer_loading for leaf in found[1:]] == [True] * 3
        assert found[2].description == 'Shows things. Use it to show.'

    def test_only_leaves_without_a_toolset(self, library: Path) -> None:
        assert [leaf.id for leaf in self.visited(SkillsCapability(library, include=['bare']))] == ['bare']

    def test_self_is_returned_when_nothing_changed(self, library: Path) -> None:
        made = SkillsCapability(library)
        seen: list[Any] = []
        assert made.visit_and_replace(lambda item: seen.append(item) or item) is made
        assert seen == self.visited(made)

    def test_what_replaces_self_replaces_the_whole(self, library: Path) -> None:
        made, other = SkillsCapability(library), SkillsCapability(library)
        seen: list[Any] = []
        assert made.visit_and_replace(lambda item: seen.append(item) or other) is other
        assert made.visit_and_replace(lambda item: None) is None
        assert seen == [made]

    def test_leaves_can_be_taken_out(self, library: Path) -> None:
        made = SkillsCapability(library)
        changed = made.visit_and_replace(lambda item: None if item.id == 'demo' else item)
        assert isinstance(changed, SkillsCapability) and changed is not made
        assert (changed.skill_names, made.skill_names) == (['bare', 'two'], ['bare', 'demo', 'two'])
        assert list(changed.packages) == ['bare', 'two']
        seen = run(changed, [load('demo'), load('two'), read('c.md', 'two')])
        assert (seen.skills(), seen.last) == (['bare', 'two'], 'GAMMA')

    def test_the_toolset_is_of_the_skills_that_are_left(self, library: Path) -> None:
        made = SkillsCapability(library)
        bare = made.visit_and_replace(lambda item: item if item in (made,) or item.id == 'bare' else None)
        assert isinstance(bare, SkillsCapability) and bare.skill_names == ['bare']
        assert bare.get_toolset() is None
        assert [leaf.id for leaf in self.visited(bare)] == ['bare']
        assert run(bare).tools == [['load_capability']]

    def test_none_when_no_leaf_is_left(self, library: Path) -> None:
        made = SkillsCapability(library)
        assert made.visit_and_replace(lambda item: item if item is made else None) is None

    def test_a_leaf_can_be_replaced(self, library: Path) -> None:
        from pydantic_ai.capabilities import WrapperCapability

        made = SkillsCapability(library)

        def wrap(item: AbstractCapability[Any]) -> AbstractCapability[Any]:
            return WrapperCapability(wrapped=item) if item.id == 'demo' else item

        changed = made.visit_and_replace(wrap)
        seen = run(changed, [load(), read('a.md'), script('x.py')])
        assert (seen.skills(), seen.answers[1:]) == (['bare', 'demo', 'two'], ['ALPHA', 'x ran'])


class TestSpecs:
    def agent(self, tmp_path: Path, text: str, steps: Any = ()) -> Seen:
        spec = tmp_path / 'agent.yaml'
        spec.write_text(f'model: test\ncapabilities:\n  - SkillsCapability:\n{text}')
        seen = Seen()
        agent = Agent.from_file(spec, custom_capability_types=[SkillsCapability], model=scripted(steps, seen))
        collect(seen, agent.run_sync('go').all_messages())
        return seen

    def test_its_name(self) -> None:
        assert SkillsCapability.get_serialization_name() == 'SkillsCapability'

    def test_all_plain_options(self, library: Path, tmp_path: Path) -> None:
        text = f"""
      directories: [{library}, {library}/gone]
      exclude: [bare, typo]
      exclude_resources: ['*.csv']
      resources: true
      scripts: false
      require_loaded: false
      resolve_skill_dir: false
      list_bundled_files: true
      id: mine
      missing_directories: skip
      duplicate_names: keep_first
      unknown_names: skip
      max_retries: 2
"""
        seen = self.agent(tmp_path, text, [load(), read('a.md')])
        assert (seen.skills(), seen.tools[0], seen.last) == (
            ['demo', 'two'],
            ['load_capability', 'read_skill_resource'],
            'ALPHA',
        )
        assert '${SKILL_DIR}' in instructions(seen) and 'b.csv' not in instructions(seen)

    def test_one_directory_as_text(self, library: Path, tmp_path: Path) -> None:
        assert self.agent(tmp_path, f'      directories: {library}\n      include: [demo]\n').skills() == ['demo']

    def test_keyword_only(self, library: Path) -> None:
        with pytest.raises(TypeError):
            SkillsCapability.from_spec(str(library))  # type: ignore[misc]
        assert SkillsCapability.from_spec(directories=str(library)).directories == (str(library),)
        with pytest.raises(ValueError, match='needs a source'):
            SkillsCapability.from_spec(directories=None)

    def test_mistakes_in_a_spec(self, library: Path, tmp_path: Path) -> None:
        with pytest.raises(Exception, match='missing_directories must be'):
            self.agent(tmp_path, f'      directories: {library}\n      missing_directories: ignore\n')
        with pytest.raises(Exception, match='nonsense'):
            self.agent(tmp_path, f'      directories: {library}\n      nonsense: 1\n')
