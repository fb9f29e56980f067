"""Every block of Python in the documentation and the README runs and prints what it says; so do the commands.

The blocks of a page run in order, in one namespace, in a copy of `examples/`. What a reader has and a test has not is
put in its place: a scripted model, a local Git repository, a bucket of moto. What a block prints stands behind `# >`, a line
each. (pytest-examples was tried: with pytest 9 an example that fails ends the whole session.)
"""

from __future__ import annotations

import io
import re
import runpy
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic_ai import models
from typer.testing import CliRunner

from pydantic_ai_skills.checks.rules import RULES
from pydantic_ai_skills.codes import CODES

from .docs_model import documented_model
from .registries.servers import git
from .support import make_library, need_dbos

ROOT = Path(__file__).parents[1]
DOCS = ROOT / 'docs'
PAGES = [ROOT / 'README.md', *sorted(DOCS.rglob('*.md'))]
HOOKS = runpy.run_path(str(DOCS / 'hooks.py'))
GUIDES = sorted(DOCS.glob('*.md'))
REPOSITORY = 'https://github.com/acme/skills'
NOT_RUN = 5
"""How many blocks are marked `{test="skip"}`: they install packages, or are the scripts that run the tests."""

_BLOCK = re.compile(r'^```(python|sh)( \{test="skip"\})?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_GREETING = '---\nname: greeting\ndescription: Says hello. Use it to greet.\n---\nSay hello.\n'


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    """The first line of the code, from 1."""
    is_skipped: bool
    code: str

    def check(self, names: dict[str, Any], replaced: str) -> None:
        """Run it, and compare what it prints with the lines behind `# >`."""
        code = self.code.replace(REPOSITORY, replaced)
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile('\n' * (self.line - 1) + code, str(self.page), 'exec', dont_inherit=True), names)
        assert printed.getvalue().splitlines() == re.findall(r'^ *# > ?(.*)$', code, re.MULTILINE)


def blocks(page: Path, language: str) -> list[Block]:
    text = page.read_text()
    return [
        Block(page, text.count('\n', 0, match.start(3)) + 1, bool(match[2]), match[3])
        for match in _BLOCK.finditer(text)
        if match[1] == language
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of `examples/` to be in, with an empty home and a model behind every name of a model."""
    here = tmp_path / 'examples'
    shutil.copytree(ROOT / 'examples', here, ignore=shutil.ignore_patterns('__pycache__'))
    monkeypatch.chdir(here)
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    infer_model = models.infer_model

    def documented(model: Any, *rest: Any) -> Any:
        return documented_model(str(here)) if isinstance(model, str) else infer_model(model, *rest)

    for module in list(sys.modules.values()):  # those too that have it by name since an earlier test imported them
        if vars(module).get('infer_model') is infer_model:
            monkeypatch.setattr(module, 'infer_model', documented)
    yield here


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """What stands for the repository that the pages name."""
    path = tmp_path / 'repository'
    skill = path / 'greeting' / 'SKILL.md'
    skill.parent.mkdir(parents=True)
    skill.write_text(_GREETING)
    for args in (['init', '-q'], ['add', '.'], ['commit', '-q', '-m', 'one'], ['tag', 'v1.0']):
        git(*args, cwd=path)
    return str(path)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What stands for the bucket that the pages name."""
    import boto3
    from moto import mock_aws

    monkeypatch.setenv('AWS_DEFAULT_REGION', 'us-east-1')
    for name in ('AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'):
        monkeypatch.delenv(name, raising=False)
    # Another test's session would still know the address of that test's server.
    monkeypatch.setattr(boto3, 'DEFAULT_SESSION', None)
    with mock_aws():
        client: Any = boto3.client('s3')
        client.create_bucket(Bucket='acme-skills')
        client.put_object(Bucket='acme-skills', Key='production/greeting/SKILL.md', Body=_GREETING.encode())
        yield


@pytest.mark.parametrize('page', [page for page in PAGES if blocks(page, 'python')], ids=name_of)
def test_python_blocks(page: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text()
    if 'BubblewrapScriptExecutor(' in text and shutil.which('bwrap') is None:
        pytest.skip('bubblewrap is not installed')
    if 'import DBOS' in text:
        need_dbos()
    repository = request.getfixturevalue('repository') if REPOSITORY in text else ''
    if 'S3SkillsRegistry(' in text:
        request.getfixturevalue('bucket')
    names: dict[str, Any] = {'__name__': page.stem}
    with warnings.catch_warnings():
        # What the page on diagnostics shows warns.
        warnings.simplefilter('ignore' if page.name == 'diagnostics.md' else 'error', UserWarning)
        for block in blocks(page, 'python'):
            if not block.is_skipped:
                block.check(names, repository)


@pytest.mark.parametrize('page', [page for page in PAGES if blocks(page, 'sh')], ids=name_of)
def test_commands(page: Path, folder: Path) -> None:
    """In this process; that the installed command works is tested with the command line."""
    app = pytest.importorskip('pydantic_ai_skills.cli.app').app
    runner = CliRunner()
    for block in blocks(page, 'sh'):
        for line in [] if block.is_skipped else block.code.splitlines():
            command, *args = shlex.split(line, comments=True)
            assert command == 'pydantic-ai-skills', line
            done = runner.invoke(app, args)
            assert done.exit_code == 0, f'{line}\n{done.output}'


def test_blocks_that_are_not_run_are_few() -> None:
    skipped = {
        kind: [b.code for page in PAGES for b in blocks(page, kind) if b.is_skipped] for kind in ('python', 'sh')
    }
    assert skipped['python'] == []
    assert len(skipped['sh']) == NOT_RUN, skipped['sh']


@pytest.mark.parametrize('page', GUIDES, ids=name_of)
def test_each_page_starts_with_what_runs(page: Path) -> None:
    before, fence, after = page.read_text().partition('```')
    assert fence and after.startswith(('python\n', 'sh', 'console\n'))
    assert len(before.splitlines()) <= 3, 'text comes before what runs'


def test_no_other_language_hides_python() -> None:
    fences = {line.strip() for page in PAGES for line in re.findall(r'^```(\S+.*)$', page.read_text(), re.MULTILINE)}
    # What `console` shows is carried out by the tests of the command line.
    assert fences <= {'console', 'python', 'sh', 'sh {test="skip"}', 'yaml', 'markdown', 'toml'}


def test_pages_are_in_the_navigation() -> None:
    navigation = (ROOT / 'mkdocs.yml').read_text()
    assert [page.name for page in GUIDES if f': {page.name}\n' not in navigation] == []


def test_each_code_is_explained_on_the_site() -> None:
    text = (DOCS / 'diagnostics.md').read_text()
    page = HOOKS['on_page_markdown'](text, page=SimpleNamespace(file=SimpleNamespace(src_uri='diagnostics.md')))
    for name, code in [*CODES.items(), *RULES.items()]:
        assert f'### `{name}` {{#{name}}}' in page
        assert code.meaning in page and code.remedy in page


def test_links_of_the_site_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    make_library(
        tmp_path,
        {
            'index.html': '<a href="a/#x"></a><a href="a/#y"></a><a href="gone/"></a><img src="p.png"><a href="https://e.org">',
            'a/index.html': '<h1 id="x"><a href="..">up</a><a href="#x"></a><img src="q.png">',
            'p.png': '',
        },
    )
    found = HOOKS['broken_links'](tmp_path)
    assert sorted(found) == ['a/index.html: q.png', 'index.html: a/#y', 'index.html: gone/']
