"""The documentation's site in a real browser: what `scripts/docs --check` finds, and that the guides have nothing of it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from .support import make_library

ROOT = Path(__file__).parents[1]
DOCS = ROOT / 'docs'


@pytest.fixture(scope='module')
def browser() -> Iterator[ModuleType]:
    """`docs/browser.py`, where its browser is."""
    pytest.importorskip('playwright', reason='playwright is not installed: pip install --group docs-check')
    name = 'docs_browser'
    spec = importlib.util.spec_from_file_location(name, DOCS / 'browser.py')
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.find_chromium() is None:
        pytest.skip('chromium is not installed: apt-get install chromium')
    yield module
    del sys.modules[name]


def test_each_kind_of_fault_is_found(browser: ModuleType, tmp_path: Path) -> None:
    make_library(
        tmp_path,
        {
            'index.html': '<link rel=icon href="data:,"><h1 id=x>x</h1><a href="a/#y">y</a><a href="a/#made">made</a>'
            '<a href="gone/">gone</a><a href="https://example.org/">elsewhere</a><a href="f.txt">file</a>',
            'f.txt': '',
            'a/index.html': '<link rel=icon href="data:,"><img src="no.png"><img src="http://example.org/font.png">'
            '<script>console.error("said"); document.body.id = "made"; undefined.thrown</script>',
        },
    )
    faults = browser.check(tmp_path)
    assert [fault for fault in faults if fault.startswith('/: ')] == [
        '/: the link a/#y leads nowhere',
        '/: the link gone/ leads nowhere',
    ]
    told = '\n'.join(fault for fault in faults if fault.startswith('a/: '))
    for what in (
        'a/: console: said',
        "a/: error: Cannot read properties of undefined (reading 'thrown')",
        'a/no.png is answered with 404',
        'a/: asks for http://example.org/font.png, which is elsewhere',
        'http://example.org/font.png failed: net::ERR_NAME_NOT_RESOLVED',
    ):
        assert what in told, told


def test_a_picture_of_the_start_page(browser: ModuleType, tmp_path: Path) -> None:
    make_library(tmp_path, {'index.html': '<h1>x</h1>'})
    browser.screenshot(tmp_path, tmp_path / 'start.png')
    assert (tmp_path / 'start.png').read_bytes().startswith(b'\x89PNG')


def test_without_a_site_it_says_so(browser: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match='build it by scripts/docs'):
        browser.check(tmp_path)


def test_the_guides_open_without_a_fault(browser: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip('mkdocstrings', reason='mkdocs-material is not installed: pip install --group docs-check')
    command = [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path / 'site')]
    env = os.environ | {'NO_MKDOCS_2_WARNING': '1', 'PYTHONPATH': str(ROOT)}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    guides = [path.stem for path in sorted(DOCS.glob('*.md')) if path.stem != 'index']
    names = ['index.html', *(f'{name}/index.html' for name in guides), '404.html']
    assert browser.check(tmp_path / 'site', names) == []
