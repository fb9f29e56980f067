"""From the name a model gives to the file it means, rule by rule (contract, section 2), and any name at all."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pydantic_ai_skills.resolve import AmbiguousNameError, resolve_name

HERE = Path('/lib/demo')
FILES = (
    """guide.md README.md references/api.md references/deep/api.md references/form.txt references/form.csv
    scripts/run.py scripts/office/unpack.py tools/go.sh data.tar.gz docs/intro.md back\\slash.md Makefile
    scripts/same.py scripts/same.sh é.md""".split()
    + [' blank.md ', 'two words.md', 'references/guide.txt']
)


def resolve(name: str, directory: Path | None = HERE, files: list[str] = FILES) -> str | None:
    return resolve_name(name, {file: file for file in files}, directory)


@pytest.mark.parametrize('name', FILES)
def test_exact(name: str) -> None:
    assert resolve(name) == name
    assert resolve(name, None) == name


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('./guide.md', 'guide.md'),
        ('a/../guide.md', 'guide.md'),
        ('references/./api.md', 'references/api.md'),
        ('references//api.md', 'references/api.md'),
        ('references/../references/deep/api.md', 'references/deep/api.md'),
        ('references\\api.md', 'references/api.md'),
        ('.\\scripts\\run.py', 'scripts/run.py'),
        ('  guide.md\n', 'guide.md'),
        ('`guide.md`', 'guide.md'),
        ('"guide.md"', 'guide.md'),
        ('/lib/demo/guide.md', 'guide.md'),
        ('/lib/demo/scripts/../guide.md', 'guide.md'),
        ('/lib/demo//scripts/run.py', 'scripts/run.py'),
        ('${SKILL_DIR}/guide.md', 'guide.md'),
        ('${CLAUDE_SKILL_DIR}/scripts/run.py', 'scripts/run.py'),
        ('${SKILL_DIR}//guide.md', 'guide.md'),
        ('$SKILL_DIR/guide.md', 'guide.md'),
        ('{baseDir}/guide.md', 'guide.md'),
        ('../demo/guide.md', 'guide.md'),
        ('guide.md/', 'guide.md'),
        ('../demo/scripts/run.py', 'scripts/run.py'),
        ('../../lib/demo/guide.md', 'guide.md'),
        ('e\u0301.md', 'é.md'),
    ],
)
def test_normalised(name: str, expected: str) -> None:
    assert resolve(name) == expected


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('references/api', 'references/api.md'),
        ('references/deep/api', 'references/deep/api.md'),
        ('scripts/run', 'scripts/run.py'),
        ('./scripts/run', 'scripts/run.py'),
        ('${SKILL_DIR}/scripts/run', 'scripts/run.py'),
        ('guide', 'guide.md'),
        ('data.tar', 'data.tar.gz'),
        ('README', 'README.md'),
    ],
)
def test_the_stem_in_the_named_folder(name: str, expected: str) -> None:
    assert resolve(name) == expected


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('run.py', 'scripts/run.py'),
        ('run', 'scripts/run.py'),
        ('unpack', 'scripts/office/unpack.py'),
        ('unpack.py', 'scripts/office/unpack.py'),
        ('./go.sh', 'tools/go.sh'),
        ('intro', 'docs/intro.md'),
        ('form.csv', 'references/form.csv'),
        ('guide.txt', 'references/guide.txt'),
    ],
)
def test_a_bare_name_that_only_one_file_has(name: str, expected: str) -> None:
    assert resolve(name) == expected


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('api.md', ['references/api.md', 'references/deep/api.md']),
        ('api', ['references/api.md', 'references/deep/api.md']),
        ('form', ['references/form.csv', 'references/form.txt']),
        ('references/form', ['references/form.csv', 'references/form.txt']),
        ('scripts/same', ['scripts/same.py', 'scripts/same.sh']),
        ('same', ['scripts/same.py', 'scripts/same.sh']),
    ],
)
def test_several(name: str, expected: list[str]) -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        resolve(name)
    assert caught.value.names == expected


@pytest.mark.parametrize(
    'name',
    [
        '', ' ', '.', './', '..', '/', '\0', 'guide.md\0', '``', '${SKILL_DIR}', '${SKILL_DIR}/', '/lib/demo', '../demo',
        'docs/api.md', 'scripts/go.sh', 'office/unpack.py', 'deep/api.md', 'scripts/unpack', 'run/scripts.py',
        '../guide.md', '../../guide.md', '../other/guide.md', '/guide.md', '/lib/other/guide.md', '/lib/demo2/guide.md',
        '/lib/demo/../guide.md', '/etc/passwd', '../demo/../guide.md', '${SKILL_DIR}/../guide.md', '~/guide.md',
        'GUIDE.MD', 'guide.md/x', 'file:///lib/demo/x.md', '*.md', 'guid', 'uide.md', 'tar.gz',
    ],
)  # fmt: skip
def test_what_means_nothing(name: str) -> None:
    assert resolve(name) is None


def test_without_a_folder_nothing_leads_out_or_in() -> None:
    assert resolve('./guide.md', None) == 'guide.md'
    for name in ['../demo/guide.md', '/lib/demo/guide.md', '/guide.md', '..', '.']:
        assert resolve(name, None) is None


def test_the_root_wins_over_deeper_files_of_its_stem() -> None:
    assert resolve('guide') == 'guide.md'


PARTS = st.sampled_from(
    ['..', '.', '', 'a', 'b.md', 'lib', 'demo', '${SKILL_DIR}', '~', 'c.py', ' ', '\\', 'a.b.c', 'é']
)
PATHS = st.one_of(st.text(), st.lists(PARTS, max_size=7).map('/'.join), st.lists(PARTS, max_size=5).map('\\'.join))
KNOWN = st.lists(
    st.lists(st.sampled_from(['a', 'b.md', 'c.py', 'a.b.c', 'é', 'demo']), min_size=1, max_size=3).map('/'.join),
    unique=True,
)


@given(PATHS, KNOWN, st.sampled_from([None, HERE, Path('/')]))
@example('/' * 5000 + '../' * 5000, ['a'], HERE)
@example('\ud800', ['a'], HERE)
def test_any_name(name: str, files: list[str], directory: Path | None) -> None:
    try:
        found = resolve(name, directory, files)
    except AmbiguousNameError as error:
        assert len(error.names) > 1 and set(error.names) <= set(files)
        return
    if name in files:
        assert found == name
    if found is None:
        return
    assert found in files
    plain = posixpath.normpath(name.strip().strip('`\'"').strip().replace('\\', '/'))
    if '/' in plain and not plain.startswith(('/', '..', '$', '{')):
        assert posixpath.dirname(found) == posixpath.dirname(plain), 'a path never matches another folder'
    assert posixpath.basename(plain) in (posixpath.basename(found), posixpath.splitext(posixpath.basename(found))[0])


def test_the_skill_by_its_id() -> None:
    """A folder `My Demo` is the skill `my-demo`, and a model knows it by that name."""
    directory = Path('/lib/My Demo')
    for name in ('../My Demo/a.md', '../my-demo/a.md', './../my-demo/./a.md'):
        assert resolve_name(name, {'a.md': 1}, directory, 'my-demo') == 1
    for name in ('../my-demo-2/a.md', '../../my-demo/a.md', '../my-demo', '../a.md', '/lib/my-demo/a.md'):
        assert resolve_name(name, {'a.md': 1}, directory, 'my-demo') is None


def test_the_folder_in_a_workspace_that_the_instructions_name() -> None:
    members = {'scripts/x.py': 1, 'other-0123456789ab/x.py': 2}
    directory = Path('/lib/demo')
    for name in (
        '/work/.skills/demo-0123456789ab/scripts/x.py',
        '.skills/demo-0123456789ab/./scripts/x.py',
        'demo-0123456789ab/scripts/x',
    ):
        assert resolve_name(name, members, directory, 'demo') == 1
    for name in (
        '/w/.skills/demo-0123456789ab/../scripts/x.py',
        '/w/my-demo-0123456789ab/scripts/x.py',
        '/w/demo-01/scripts/x.py',
    ):
        assert resolve_name(name, members, directory, 'demo') is None
    assert resolve_name('other-0123456789ab/x.py', members, directory, 'other') == 2
