"""`new`: what it makes validates, works, and replaces nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .conftest import Cli


@pytest.mark.parametrize('description', [None, 'Says: "hi"\n when greeted # always'])
def test_a_new_skill_validates_and_works(work: Path, cli: Cli, description: str | None) -> None:
    made = cli('new', 'my-skill', *(() if description is None else ('--description', description)))
    assert made.code == 0 and '.agents/skills/my-skill/SKILL.md' in made.out
    assert cli('validate').out == '1 skill checked: no problems.\n'
    (work / 'text.txt').write_text('the cat and the dog')
    ran = cli('run', 'my-skill', 'count', '--', str(work / 'text.txt'), '--top', '1')
    assert (ran.code, ran.out) == (0, '1 lines, 5 words, 4 different\n     2 the\n')
    row = json.loads(cli('list', '--json').out)['skills'][0]
    assert row['files'] == 3 and row['scripts'] == 1
    if description is not None:
        assert row['description'] == 'Says: "hi" when greeted # always'
    evals = json.loads((work / '.agents/skills/my-skill/evals/evals.json').read_text())
    assert evals['skill_name'] == 'my-skill'
    assert os.access(work / '.agents/skills/my-skill/scripts/count.py', os.X_OK)


def test_json_lists_the_files(work: Path, cli: Cli) -> None:
    report = json.loads(cli('new', 'x', '--into', 'lib', '--json').out)
    assert report['directory'] == str(work / 'lib/x')
    assert report['files'] == ['SKILL.md', 'scripts/count.py', 'references/figures.md', 'evals/evals.json']


@pytest.mark.parametrize(
    ('name', 'instead'),
    [('My Skill', "'my-skill'"), ('a--b', "'a-b'"), ('-x', "'x'"), ('../up', "'up'"), ('ﬁne', "'fine'"), ('___', '')],
)
def test_illegal_names_are_refused_with_one_that_would_do(work: Path, cli: Cli, name: str, instead: str) -> None:
    done = cli('new', '--', name)
    assert done.code == 2 and f'{name!r} is no legal skill name' in done.err and instead in done.err
    assert list(work.iterdir()) == []


def test_nothing_that_is_there_is_touched(work: Path, cli: Cli) -> None:
    (work / 'lib/x').mkdir(parents=True)
    (work / 'lib/x/mine').write_text('mine')
    assert 'is there already' in cli('new', 'x', '--into', 'lib').err
    assert [path.name for path in (work / 'lib/x').iterdir()] == ['mine']
    (work / 'file').write_text('')
    assert cli('new', 'x', '--into', 'file').code == 2
    cli('new', 'y', '--into', 'lib')
    assert 'itself a skill' in cli('new', 'z', '--into', 'lib/y').err


def test_a_full_disk_leaves_no_half_skill(work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_text

    def full(path: Path, text: str) -> int:
        if path.name == 'count.py':
            raise OSError(28, 'No space left on device')
        return real(path, text)

    monkeypatch.setattr(Path, 'write_text', full)
    done = cli('new', 'x', '--into', 'lib')
    assert (done.code, done.err) == (1, 'Error: No space left on device: lib/x\n')
    assert list((work / 'lib').iterdir()) == []
