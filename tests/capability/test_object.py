"""The capability as an object: its attributes, its copies, what its host sees of it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from pydantic_ai_skills import (
    LocalSkillsRegistry,
    SkillFilesToolset,
    SkillRegistry,
    SkillsCapability,
)
from pydantic_ai_skills import index as index_module

from ..support import Seen, load, read, run, scripted


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
