"""`validate`: exit codes, the four formats, and --fix."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from ..registries.helpers import write_skill
from ..support import make_library, skill_text
from .conftest import Cli

GOOD = skill_text('good', 'Shows things. Use it when somebody wants to see.')
BROKEN = '\ufeff---\r\nname: Other\r\ndescription: Use when: asked.\r\n---\r\nSee [x](nope.md).\r\n'


def library(work: Path) -> Path:
    return make_library(work / 'lib', {'good/SKILL.md': GOOD, 'bad/SKILL.md': BROKEN})


def codes(cli: Cli, *args: object) -> dict[str, str]:
    return {item['code']: item['severity'] for item in json.loads(cli('validate', *args, '--json').out)['problems']}


def test_fine_is_0_findings_1_and_wrong_use_2(work: Path, cli: Cli) -> None:
    library(work)
    fine = cli('validate', 'lib/good')
    assert (fine.code, fine.out) == (0, '1 skill checked: no problems.\n')
    assert cli('validate', 'lib').code == 1
    assert cli('validate', 'nowhere').code == 2
    (work / 'empty').mkdir()
    assert 'no SKILL.md at or below empty' in cli('validate', 'empty').err
    assert cli('validate', 'git+https://host/x').code == 2
    (work / 'file').write_text('')
    assert cli('validate', 'file').code == 2


def test_infos_alone_are_fine(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/demo', description='Use when shown.')
    path = work / 'lib/demo/SKILL.md'
    path.write_text(path.read_text().replace('---\n\n', 'user-invocable: false\n---\n\n'))
    assert codes(cli, 'lib') == {'field-extension': 'info'}
    assert cli('validate', 'lib').code == 0


def test_what_the_runtime_mends_is_an_error_for_the_author(work: Path, cli: Cli) -> None:
    library(work)
    found = codes(cli, 'lib/bad')
    assert found == {
        'byte-order-mark': 'error',
        'name-mended': 'error',
        'value-quoted': 'error',
        'line-ends': 'info',
        'link-broken': 'warning',
    }


def test_text_names_place_severity_and_code(work: Path, cli: Cli) -> None:
    library(work)
    done = cli('validate', 'lib')
    assert 'lib/bad/SKILL.md:5: warning link-broken: ' in done.out
    assert 'lib/bad/SKILL.md:2: error name-mended: ' in done.out
    assert done.out.splitlines()[-1] == '2 skills checked: 3 errors, 1 warning, 1 info.'


def test_sarif_has_rules_places_and_levels(work: Path, cli: Cli) -> None:
    library(work)
    report = json.loads(cli('validate', 'lib', '--format', 'sarif').out)
    assert report['version'] == '2.1.0'
    (run,) = report['runs']
    rules = [rule['id'] for rule in run['tool']['driver']['rules']]
    assert len(rules) == len(set(rules)) == 5
    (broken,) = [result for result in run['results'] if result['ruleId'] == 'link-broken']
    assert rules[broken['ruleIndex']] == 'link-broken' and broken['level'] == 'warning'
    place = broken['locations'][0]['physicalLocation']
    assert place['artifactLocation'] == {'uri': 'lib/bad/SKILL.md', 'uriBaseId': 'SRCROOT'}
    assert place['region'] == {'startLine': 5}
    assert run['originalUriBaseIds']['SRCROOT']['uri'] == f'{work.as_uri()}/'
    assert all(rule['shortDescription']['text'] and rule['help']['text'] for rule in run['tool']['driver']['rules'])


def test_github_annotations_are_escaped(work: Path, cli: Cli) -> None:
    make_library(work / 'lib', {'a,b:c/SKILL.md': '---\nname: x\ndescription: 100%\n---\nDo [it](nope%0Ano.md).\n'})
    lines = cli('validate', 'lib', '-f', 'github').out.splitlines()
    assert all(line.startswith(('::error ', '::warning ', '::notice ')) for line in lines)
    assert any('file=lib/a%2Cb%3Ac/SKILL.md,line=5,title=link-broken::' in line for line in lines)
    assert cli('validate', write_skill(work / 'fine', description='Use if fine.'), '-f', 'github').out == ''


def test_fix_mends_shows_the_change_and_keeps_mode_and_meaning(work: Path, cli: Cli) -> None:
    library(work)
    path = work / 'lib/bad/SKILL.md'
    path.chmod(0o640)
    before = json.loads(cli('list', 'lib/bad', '--json').out)['skills'][0]
    done = cli('validate', 'lib', '--fix')
    assert path.read_text() == '---\nname: "bad"\ndescription: "Use when: asked."\n---\nSee [x](nope.md).\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert r'-\ufeff---\r' in done.out and '+name: "bad"' in done.out
    assert '1 warning; 1 file mended.' in done.out
    after = json.loads(cli('list', 'lib/bad', '--json').out)['skills'][0]
    assert (after['name'], after['description']) == (before['name'], before['description'])
    assert [path.name for path in (work / 'lib/bad').iterdir()] == ['SKILL.md']
    again = json.loads(cli('validate', 'lib', '--fix', '--json').out)
    assert again['fixed'] == []


def test_fix_in_json_has_the_diff(work: Path, cli: Cli) -> None:
    library(work)
    report = json.loads(cli('validate', 'lib', '--fix', '--json').out)
    assert [item['path'] for item in report['fixed']] == [str(work / 'lib/bad/SKILL.md')]
    assert '+description: "Use when: asked."' in report['fixed'][0]['diff']


def test_fix_does_not_touch_what_a_link_leads_to(work: Path, cli: Cli) -> None:
    library(work)
    shared = work / 'shared.md'
    shared.write_bytes(BROKEN.encode())
    (work / 'lib/linked').mkdir()
    (work / 'lib/linked/SKILL.md').symlink_to(shared)
    (work / 'lib/alias').symlink_to('good')
    cli('validate', 'lib', '--fix')
    assert shared.read_bytes() == BROKEN.encode()
    assert (work / 'lib/good/SKILL.md').read_text() == GOOD


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write everywhere')
def test_fix_of_a_folder_that_cannot_be_written_says_so(work: Path, cli: Cli) -> None:
    library(work)
    (work / 'lib/bad').chmod(0o555)
    done = cli('validate', 'lib', '--fix')
    (work / 'lib/bad').chmod(0o755)
    assert done.code == 1 and 'was not mended: Permission denied.' in done.err


def test_a_folder_that_cannot_be_looked_into_is_a_finding(
    work: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(work / 'lib/one', description='Use it when tested.')
    (work / 'lib/shut').mkdir()
    real = os.scandir  # root, as which the tests may run, may look everywhere

    def scandir(path: Any = '.') -> Any:
        if str(path).endswith('shut'):
            raise PermissionError(13, 'Permission denied', str(path))
        return real(path)

    monkeypatch.setattr(os, 'scandir', scandir)
    done = cli('validate', 'lib')
    assert done.code == 1
    assert 'lib/shut: error unreadable: ' in done.out and '1 skill checked: 1 error.' in done.out
    assert cli('validate', 'lib', '--json').code == 1


def test_without_a_path_the_conventional_folders_are_checked(work: Path, cli: Cli) -> None:
    assert cli('validate').code == 2
    write_skill(work / '.agents/skills/one', description='Use it when tested.')
    assert cli('validate').out == '1 skill checked: no problems.\n'


def test_every_skill_below_is_checked_once_and_nested_ones_too(work: Path, cli: Cli) -> None:
    write_skill(work / 'lib/one', description='Use when one.')
    write_skill(work / 'lib/one/examples/inner', description='Use when inner.')
    (work / 'lib/alias').symlink_to('one')
    assert cli('validate', 'lib', 'lib/one').out.startswith('2 skills checked')
