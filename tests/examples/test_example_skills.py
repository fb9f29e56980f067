"""Our own example skills: they are clean by our validator and the format's, and their scripts do what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from skills_ref import validate

from pydantic_ai_skills.checks.package_checks import check_packages, found_packages
from pydantic_ai_skills.skill_folders import find_skill_folders

from ..registries.servers import Repo, git
from ..support import make_library

SKILLS = Path(__file__).parents[2] / 'examples' / 'skills'
FORM = SKILLS / 'pdf-form-filler' / 'assets' / 'sample-form.pdf'


def script(name: str, *args: object, stdin: str = '') -> subprocess.CompletedProcess[str]:
    """Run a script with this Python, which has the packages that it declares."""
    command = [sys.executable, '-B', str(SKILLS / name), *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)


def test_there_are_three() -> None:
    assert [folder.name for folder in find_skill_folders(SKILLS)] == [
        'csv-profiler',
        'pdf-form-filler',
        'release-notes-writer',
    ]


@pytest.mark.parametrize('folder', list(find_skill_folders(SKILLS)), ids=lambda folder: folder.name)
def test_each_is_clean(folder: Path) -> None:
    ((_, problems),) = check_packages(found_packages([folder]))
    assert problems == []
    assert validate(folder) == []


class TestPdfFormFiller:
    """Real forms, read back by pypdf."""

    def test_fields_are_listed_with_what_they_take(self) -> None:
        lines = script('pdf-form-filler/scripts/list_fields.py', FORM).stdout.splitlines()
        assert lines[0] == 'full_name [text, required] - Full name'
        assert 'plan [choice: Basic | Family | Student] - Plan (now: Basic)' in lines
        assert 'payment [radio, required: card | invoice] - Pay by' in lines

    def test_values_are_written_and_the_form_stays_as_it_is(self, tmp_path: Path) -> None:
        before, target = FORM.read_bytes(), tmp_path / 'out.pdf'
        done = script(
            'pdf-form-filler/scripts/fill_form.py',
            *(FORM, target, 'full_name=Ada Lovelace', 'plan=Family', 'newsletter=yes', 'payment=invoice', 'notes=a=b'),
        )
        assert done.returncode == 0, done.stderr
        assert '  full_name: Ada Lovelace\n' in done.stdout
        fields: dict[str, Any] = PdfReader(target).get_fields() or {}
        values = {name: fields[name].get('/V') for name in ('full_name', 'plan', 'newsletter', 'payment', 'notes')}
        assert values == {
            'full_name': 'Ada Lovelace',
            'plan': 'Family',
            'newsletter': '/Yes',
            'payment': '/invoice',
            'notes': 'a=b',
        }
        assert FORM.read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ['out.pdf']

    def test_json_goes_round(self, tmp_path: Path) -> None:
        target = tmp_path / 'out.pdf'
        data = json.dumps({'full_name': 'Ä', 'newsletter': True, 'payment': 'card'})
        assert script('pdf-form-filler/scripts/fill_form.py', FORM, target, '--data', '-', stdin=data).returncode == 0
        listed = script('pdf-form-filler/scripts/list_fields.py', target, '--json').stdout
        assert {field['name']: field['value'] for field in json.loads(listed)}['newsletter'] == 'yes'
        again = script('pdf-form-filler/scripts/fill_form.py', FORM, tmp_path / '2.pdf', '--data', '-', stdin=listed)
        assert again.returncode == 0 and 'full_name: Ä' in again.stdout

    @pytest.mark.parametrize(
        ('args', 'complaint'),
        [
            (['nope=1'], "There is no field 'nope'. There is: full_name"),
            (['plan=Gold'], "plan takes one of Basic, Family, Student, not 'Gold'"),
            (['newsletter=maybe'], 'yes or no'),
            (['plan=Basic'], 'full_name is required'),
            (['plan'], 'is not NAME=VALUE'),
            ([], 'No values'),
            (['--data', '/nonexistent'], 'cannot be read'),
        ],
    )
    def test_wrong_values_write_nothing(self, tmp_path: Path, args: list[str], complaint: str) -> None:
        done = script('pdf-form-filler/scripts/fill_form.py', FORM, tmp_path / 'out.pdf', *args)
        assert done.returncode == 1 and complaint in done.stderr and 'Traceback' not in done.stderr
        assert list(tmp_path.iterdir()) == []

    def test_what_is_no_form_is_told(self, tmp_path: Path) -> None:
        (tmp_path / 'x.pdf').write_text('no pdf')
        done = script('pdf-form-filler/scripts/list_fields.py', tmp_path / 'x.pdf')
        assert done.returncode == 1 and 'cannot be read as a PDF' in done.stderr
        same = script('pdf-form-filler/scripts/fill_form.py', FORM, FORM, 'plan=Basic')
        assert same.returncode == 1 and 'the form itself' in same.stderr


class TestReleaseNotesWriter:
    """Real repositories."""

    @pytest.fixture
    def repo(self, tmp_path: Path) -> Repo:
        repo = Repo(tmp_path / 'r')
        repo.commit('Initial import')
        git('tag', 'v1.0.0', cwd=repo.path)
        repo.write('src/a', '1')
        repo.commit('feat(api): list invoices (#12)')
        repo.commit('Fix a crash on empty files')
        repo.commit('chore: format')
        repo.commit('refactor!: drop Python 3.8\n\nBREAKING CHANGE: use 3.9\nor newer\n')
        repo.commit('chore(deps): bump x')
        return repo

    def test_changes_since_the_last_tag_by_kind(self, repo: Repo) -> None:
        done = script('release-notes-writer/scripts/collect_changes.py', repo.path)
        assert done.returncode == 0, done.stderr
        titles = [line for line in done.stdout.splitlines() if line.startswith('#')]
        assert titles == [
            '# Changes since v1.0.0 up to HEAD',
            '## Breaking changes (1)',
            '## Features (1)',
            '## Fixes (1)',
            '## Dependencies (1)',
            '## Internal (1)',
        ]
        assert '- api: list invoices (#12, ' in done.stdout
        assert '  use 3.9 or newer\n' in done.stdout
        assert done.stdout.endswith('5 commits by 1: a.\n')

    def test_a_span_a_path_and_json(self, repo: Repo) -> None:
        done = script(
            'release-notes-writer/scripts/collect_changes.py', repo.path, 'v1.0.0', 'HEAD', '--path', 'src', '--json'
        )
        (change,) = json.loads(done.stdout)['changes']
        assert (change['kind'], change['scope'], change['text'], change['pull_request']) == (
            'feat',
            'api',
            'list invoices',
            12,
        )

    def test_history_as_text_as_the_skill_says_to_make_it(self, repo: Repo) -> None:
        command = next(
            line.strip()
            for line in (SKILLS / 'release-notes-writer' / 'SKILL.md').read_text().splitlines()
            if line.strip().startswith('git log')
        )
        log = subprocess.run(
            command.replace('v1.4.0..v1.5.0', 'v1.0.0..HEAD'), shell=True, cwd=repo.path, capture_output=True, text=True
        ).stdout
        direct = script('release-notes-writer/scripts/collect_changes.py', repo.path, 'v1.0.0', '--json')
        piped = script('release-notes-writer/scripts/collect_changes.py', '-', '--json', stdin=log)
        assert json.loads(piped.stdout)['changes'] == json.loads(direct.stdout)['changes']

    @pytest.mark.parametrize('args', [['nowhere'], ['--', '.', '--upload-pack=x']])
    def test_mistakes_are_one_sentence(self, tmp_path: Path, args: list[str]) -> None:
        done = script('release-notes-writer/scripts/collect_changes.py', *args)
        assert done.returncode == 1 and 'Traceback' not in done.stderr and done.stderr.strip()

    def test_nothing_new_is_told(self, repo: Repo) -> None:
        done = script('release-notes-writer/scripts/collect_changes.py', repo.path, 'HEAD')
        assert done.returncode == 1 and 'There is no commit' in done.stderr


def test_csv_profiler_reads_a_file_and_standard_input(tmp_path: Path) -> None:
    make_library(tmp_path, {'a.csv': 'x,y\n1,a\n2,\n'})
    for done in (
        script('csv-profiler/scripts/profile.py', tmp_path / 'a.csv'),
        script('csv-profiler/scripts/profile.py', '-', stdin='x,y\n1,a\n2,\n'),
    ):
        assert done.stdout.startswith('2 rows, 2 columns\n') and '50% missing (1)' in done.stdout
