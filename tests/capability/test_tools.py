"""Which tools the model has, and what they answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import (
    SkillsCapability,
)

from ..support import load, make_library, read, run, script, skill_text
from .helpers import BOTH_TOOLS, instructions


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
