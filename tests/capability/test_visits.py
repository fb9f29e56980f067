"""Visitors that look at the leaves, replace them or take them away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_ai.capabilities import AbstractCapability

from pydantic_ai_skills import (
    SkillsCapability,
)

from ..support import load, read, run, script


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
