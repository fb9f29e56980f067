"""Any tree at all as a library: an agent starts, and reads what can be read of it."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_skills import SkillsCapability

from .support import Seen, arun, load, make_library, read
from .trees import grow, libraries

SECRET = 'SECRET of the host'


def check_library(tree: Any, strict: bool) -> list[str]:
    """What holds for any library, for the suite and for `scripts/soak`; returns the ids of its skills."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        root = Path(os.path.realpath(place))
        make_library(root, {'outside/secret': SECRET})
        grow(root / 'lib', tree)
        options: Any = {'directories': [root / 'lib'], 'strict': strict, 'duplicate_names': 'keep_first'}
        capability: SkillsCapability[None] = SkillsCapability(**options)
        again: SkillsCapability[None] = SkillsCapability(**options)
        assert capability.skills == again.skills and capability.diagnostics == again.diagnostics, 'always the same'
        names = [info.name for info in capability.skills]
        assert len(set(names)) == len(names) and names == sorted(names)
        for info in capability.skills:
            rendered = capability.render(info.name, 'x')
            assert isinstance(rendered, str) and SECRET not in rendered
        for finding in capability.diagnostics:
            assert str(root / 'lib') in str(finding.path) and finding.message and finding.hint, finding
        for package in capability.packages.values():
            for member in [*package.resources, *package.assets, *package.scripts]:
                assert os.path.realpath(str(member.uri)).startswith(f'{root}/lib/')
        assert isinstance(asyncio.run(capability.refresh()), bool)
        assert capability.skill_names == again.skill_names
        return capability.skill_names


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(libraries, st.booleans())
def test_any_library_constructs(tree: Any, strict: bool) -> None:
    check_library(tree, strict)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(libraries)
def test_an_agent_reads_what_can_be_read(tree: Any) -> None:
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter('ignore')  # they name files whose names are no UTF-8, which no report could carry
        root = Path(os.path.realpath(place))
        make_library(root, {'outside/secret': SECRET})
        grow(root / 'lib', tree)
        seen = asyncio.run(_read_all(SkillsCapability(directories=[root / 'lib'], duplicate_names='keep_first')))
        assert SECRET not in seen.everything


async def _read_all(capability: SkillsCapability[None]) -> Seen:
    steps = [load(name) for name in capability.skill_names]
    steps += [
        read(resource.name, name)
        for name, package in capability.packages.items()
        for resource in [*package.resources, *package.assets]
    ]
    seen = await arun(capability, steps)
    assert seen.result.output == 'done' and len(seen.answers) == len(steps)
    return seen
