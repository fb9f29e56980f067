"""What a host sees and does: listing skills, the budget of the catalog, and a skill that a person invokes."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_skills import Skill, SkillsCapability

from .support import load, make_library, read, run, skill_text

BODY = 'Fix $ARGUMENTS with $1 and $ARGUMENTS[0] by ${SKILL_DIR}/x.py, then $ARGUMENTS_LIST.'


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library(
        tmp_path,
        {
            'fix/SKILL.md': skill_text('fix', body=BODY),
            'fix/a.md': 'A',
            'plain/SKILL.md': skill_text('plain'),
            'person/SKILL.md': skill_text('person', body='For $ARGUMENTS.', extra='disable-model-invocation: true\n'),
            'person/b.md': 'B',
            'model/SKILL.md': skill_text(
                'model', extra='user-invocable: False\nlicense: MIT\nmetadata:\n  version: 1.10\n'
            ),
            'broken/SKILL.md': 'x',
        },
    )


@pytest.fixture
def capability(library: Path) -> SkillsCapability[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return SkillsCapability(library, skills=[Skill(name='calc', description='Adds.', content='Add $ARGUMENTS.')])


class TestRender:
    def test_with_arguments(self, capability: SkillsCapability[Any], library: Path) -> None:
        arguments = r'\1 \g<0> $ARGUMENTS ${SKILL_DIR}'
        assert capability.render('fix', arguments) == (
            f'# Skill: fix\n\nFix {arguments} with $1 and $ARGUMENTS[0] by {library}/fix/x.py, then $ARGUMENTS_LIST.\n\n'
            '## Bundled files\n\nResources, read with `read_skill_resource`:\n- a.md'
        )
        assert capability.render('plain', 'src/app.py') == '# Skill: plain\n\nDo it.\n\nARGUMENTS: src/app.py'
        assert capability.render('calc', '1 2') == '# Skill: calc\n\nAdd 1 2.'

    def test_without_arguments_as_the_model_gets_it(self, capability: SkillsCapability[Any]) -> None:
        for name in ('fix', 'plain', 'calc'):
            assert capability.render(name) in run(capability, [load(name)]).everything
        assert capability.render('plain', '') == capability.render('plain')

    def test_what_the_model_may_not_load(self, capability: SkillsCapability[Any]) -> None:
        """Its files stay shut for the model, so they are not listed."""
        assert capability.render('person', 'Ann') == '# Skill: person\n\nFor Ann.'
        assert 'person' not in run(capability).everything
        seen = run(capability, [load('person'), read('b.md', 'person')], agent={'retries': 3})
        assert seen.answers[0] == "No capability found with id 'person'."
        assert seen.answers[1] == "There is no skill 'person'. The skills are: calc, fix, model, plain."

    @pytest.mark.parametrize('name', ['broken', 'gone', '', 'Fix'])
    def test_what_there_is_not(self, capability: SkillsCapability[Any], name: str) -> None:
        with pytest.raises(ValueError, match=f'no skill {name!r}. The skills are: calc, fix, model, person, plain'):
            capability.render(name)

    @pytest.mark.parametrize('given', [(None,), (3,), ('fix', 3), ('fix', ['a'])])
    def test_what_is_no_text(self, capability: SkillsCapability[Any], given: Any) -> None:
        with pytest.raises(TypeError, match='must be text'):
            capability.render(*given)


def test_skills_lists_those_that_the_model_may_not_load_too(capability: SkillsCapability[Any]) -> None:
    assert [(info.name, info.model_invocable, info.user_invocable) for info in capability.skills] == [
        ('calc', True, True), ('fix', True, True), ('model', True, False), ('person', False, True), ('plain', True, True),
    ]  # fmt: skip
    [model] = [info for info in capability.skills if info.name == 'model']
    assert (model.license, dict(model.metadata)) == ('MIT', {'version': '1.10'})
    assert capability.skill_names == ['calc', 'fix', 'model', 'plain']


class TestCatalogBudget:
    DESCRIPTIONS = {
        'long': 'word ' * 60, 'longer': 'other words ' * 60, 'short': 'Short one.', 'unicode': '\u6280\u80fd' * 80,
        'lines': '|\n' + '  a line of text\n' * 20,
    }  # fmt: skip

    def made(self, tmp_path: Path, budget: int | None) -> SkillsCapability[Any]:
        files = {f'{name}/SKILL.md': skill_text(name, text) for name, text in self.DESCRIPTIONS.items()}
        hidden = skill_text('hidden', 'x ' * 500, extra='disable-model-invocation: true\n')
        with warnings.catch_warnings(record=True) as self.caught:
            warnings.simplefilter('always')
            return SkillsCapability(make_library(tmp_path, {**files, 'hidden/SKILL.md': hidden}), catalog_budget=budget)

    def catalog(self, capability: SkillsCapability[Any]) -> dict[str, str]:
        seen = run(capability)
        assert seen.warnings == []  # said when it was made, not in a run
        found = re.findall(r'^- ([a-z]+)(?:: (.*(?:\n  .*)*))?$', seen.catalogs[0], re.MULTILINE)
        return dict(found)

    @pytest.mark.parametrize('budget', [1, 4, 60, 300, 700])
    def test_it_fits_and_has_every_name(self, tmp_path: Path, budget: int) -> None:
        capability = self.made(tmp_path, budget)
        catalog = self.catalog(capability)
        assert catalog.keys() == self.DESCRIPTIONS.keys()
        assert sum(map(len, catalog.values())) <= budget
        assert budget < 60 or catalog['short'] == 'Short one.'
        cut = [text for text in catalog.values() if text.endswith('…')]
        assert budget < 60 or max(map(len, cut)) - min(map(len, cut)) < 12  # evenly: no two differ by more than a word
        [found] = [item for item in capability.diagnostics if item.code == 'catalog-cut']
        assert (found.severity, len(self.caught)) == ('warning', 1) and f'catalog_budget={budget}' in found.message
        whole = {info.name: info.description for info in capability.skills}
        assert whole['long'] == ('word ' * 60).strip()

    @pytest.mark.parametrize('budget', [None, 10**9])
    def test_nothing_to_cut(self, tmp_path: Path, budget: int | None) -> None:
        capability = self.made(tmp_path, budget)
        assert (capability.diagnostics, self.caught) == ((), [])
        assert self.catalog(capability)['long'] == ('word ' * 60).strip()

    @pytest.mark.parametrize('budget', [0, -1, True, 1.5, '9'])
    def test_what_is_no_budget(self, library: Path, budget: Any) -> None:
        with pytest.raises((TypeError, ValueError), match='catalog_budget must be'):
            SkillsCapability(library, catalog_budget=budget)
