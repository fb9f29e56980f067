"""When what is read, and what a change on disk does to a capability that has read it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic_ai import Agent

from pydantic_ai_skills import (
    SkillPackage,
    SkillsCapability,
)

from ..support import Seen, collect, load, make_library, read, run, script, scripted, skill_text
from .helpers import instructions


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
