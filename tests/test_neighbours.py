"""Links out of a skill: a pointer to the skill that they mean, if the run has it, and no word about any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_skills import SkillFilesToolset, SkillsCapability
from pydantic_ai_skills.packages import index_libraries

from .support import load, make_library, read, run, script, skill_text


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(
        tmp_path,
        {
            'demo/SKILL.md': skill_text(),
            'demo/references/a.md': 'A',
            'Other_One/SKILL.md': skill_text('other-one'),
            'Other_One/notes.md': 'Notes.',
            'Other_One/scripts/x.py': 'print(1)',
            'secret/SKILL.md': skill_text('secret'),
            'secret/s.md': 'S',
        },
    )


def answer(library: Path, step: object) -> str:
    capability = SkillsCapability(library, exclude=['secret'], max_retries=9)
    return run(capability, [load(), step]).last  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ('link', 'origin'),
    [
        ('../Other_One/SKILL.md', None),
        ('../other-one/SKILL.md', 'SKILL.md'),
        ('../../Other_One/SKILL.md#steps', 'references/a.md'),
        ('../Other_One/SKILL.md', 'references/a.md'),
        ('[One](../Other_One/SKILL.md "One")', None),
        ('${SKILL_DIR}/../Other_One/SKILL.md', None),
        ('skills/Other_One/SKILL.md', None),
        ('../../skills/Other_One/skill.md', None),
    ],
)
def test_the_instructions_of_another_skill(library: Path, link: str, origin: str | None) -> None:
    said = answer(library, read(link, args=origin and {'from': origin}))
    assert said == (f"{link!r} belongs to another skill, 'other-one'. Call `load_capability` with id 'other-one'.")


def test_a_file_of_another_skill(library: Path) -> None:
    begin = "belongs to another skill, 'other-one'. Call `load_capability` with id 'other-one', then"
    assert answer(library, read('../Other_One/notes.md#x')).endswith(f"{begin} read 'notes.md' of it.")
    assert answer(library, script('../other-one/scripts/x.py')).endswith(f"{begin} run 'scripts/x.py' of it.")


def test_its_own_instructions(library: Path) -> None:
    for name, args in [
        ('SKILL.md', None),
        ('skill.md', None),
        ('../SKILL.md', {'from': 'references/a.md'}),
        ('../demo/SKILL.md', None),
    ]:
        said = answer(library, read(name, args=args))
        assert said.startswith("SKILL.md holds the instructions of the skill 'demo', which `load_capability` gives.")


@pytest.mark.parametrize(
    'link', ['../secret/s.md', '../secret/SKILL.md', '../nothing/SKILL.md', '../x.md', 'Other_One/notes.md']
)
def test_nothing_is_said_of_a_skill_that_is_not_there(library: Path, link: str) -> None:
    assert answer(library, read(link)) == f"The skill 'demo' has no file {link!r}. It has: references/a.md."


def test_no_such_link_costs_a_retry(library: Path) -> None:
    steps = [load(), *[read(link) for link in ('../Other_One/SKILL.md', 'SKILL.md', '../Other_One/notes.md')]]
    assert run(SkillsCapability(library, max_retries=0), steps).result.output == 'done'


def test_a_toolset_by_itself_says_nothing_of_loading(library: Path) -> None:
    toolset = SkillFilesToolset(index_libraries([library]), require_loaded=False, max_retries=3)
    seen = run((), [read('SKILL.md'), read('../Other_One/notes.md')], agent={'toolsets': [toolset]})
    assert all(said.startswith("The skill 'demo' has no file") for said in seen.answers)
