"""Opens the built site as a reader does, in headless Chromium: `python docs/browser.py SITE`.

Every page is opened from a server on this machine. A console error, a request that fails or that leaves the machine, and a
link or anchor that leads nowhere are told, and the exit code is then 1. `scripts/docs --check` builds the site and runs
this. Needs Playwright (group `docs-check`) and an installed Chromium; Playwright's own need not be there.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urldefrag

TABS = 4
SIZE = {'width': 1280, 'height': 900}
_FLAGS = (
    '--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
).split()
_NOTHING_OUTSIDE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
_LOOK = """() => ({
    links: [...document.querySelectorAll('a[href]')].map(link => link.href),
    targets: [...document.querySelectorAll('[id], [name]')].flatMap(part => [part.id, part.getAttribute('name')]),
})"""


@dataclass
class Opened:
    """A page as the browser had it."""

    url: str
    faults: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    targets: set[str] = field(default_factory=set)


def find_chromium() -> str | None:
    """The installed browser, or `None`."""
    return next(filter(None, map(shutil.which, ('chromium', 'google-chrome'))), None)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a server that has `site` for as long as this lasts."""
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(_Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f'http://127.0.0.1:{server.server_port}/'
    finally:
        server.shutdown()
        server.server_close()


def check(site: Path, names: Iterable[str] | None = None) -> list[str]:
    """What is wrong with these pages of a built site, or with all of them, as `page: fault`.

    Raises:
        RuntimeError: there is no Chromium, or no site.
    """
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob('*.html')) if names is None else names
    if not (site / 'index.html').is_file():
        raise RuntimeError(f'There is no site in {site}: build it by scripts/docs.')
    with served(site) as base:
        pages = asyncio.run(_open_all(base, [_address(base, name) for name in names]))
    faults = [f'{page.url.removeprefix(base) or "/"}: {fault}' for page in pages for fault in page.faults]
    return [*faults, *_broken(base, site, pages)]


def screenshot(site: Path, target: Path) -> None:
    """Write a picture of the start page; errors as `check`."""

    async def take(url: str) -> None:
        async with _browser() as context:
            tab = await context.new_page()
            await tab.goto(url)
            await tab.wait_for_load_state('networkidle')
            await tab.screenshot(path=target)

    with served(site) as base:
        asyncio.run(take(base))


def _address(base: str, name: str) -> str:
    return base + (name.removesuffix('index.html') if name.rpartition('/')[2] == 'index.html' else name)


@asynccontextmanager
async def _browser() -> AsyncIterator[Any]:
    """A browser that can reach nothing but this machine."""
    from playwright.async_api import async_playwright

    if (program := find_chromium()) is None:
        raise RuntimeError('There is no Chromium. On Debian: apt-get install chromium')
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*_FLAGS, _NOTHING_OUTSIDE])
        yield await browser.new_context(viewport=SIZE)
        await browser.close()


async def _open_all(base: str, urls: Iterable[str]) -> list[Opened]:
    free = asyncio.Semaphore(TABS)
    async with _browser() as context:

        async def one(url: str) -> Opened:
            async with free:
                return await _open(context, base, url)

        return await asyncio.gather(*map(one, urls))


async def _open(context: Any, base: str, url: str) -> Opened:
    opened, tab = Opened(url), await context.new_page()

    def asked(request: Any) -> None:
        if not request.url.startswith((base, 'data:', 'blob:')):
            opened.faults.append(f'asks for {request.url}, which is elsewhere')

    def answered(response: Any) -> None:
        if response.status >= 400:
            opened.faults.append(f'{response.url} is answered with {response.status}')

    def said(message: Any) -> None:
        if message.type == 'error':
            opened.faults.append(f'console: {message.text}')

    tab.on('request', asked)
    tab.on('response', answered)
    tab.on('console', said)
    tab.on('requestfailed', lambda request: opened.faults.append(f'{request.url} failed: {request.failure}'))
    tab.on('pageerror', lambda error: opened.faults.append(f'error: {error}'))
    await tab.goto(url)
    await tab.wait_for_load_state(
        'networkidle'
    )  # on a busy machine it may be idle before the page is whole, or long after
    found = await tab.evaluate(_LOOK)
    opened.links, opened.targets = found['links'], {name for name in found['targets'] if name}
    await tab.close()
    return opened


def _broken(base: str, site: Path, pages: Iterable[Opened]) -> Iterator[str]:
    """The links within the site that lead nowhere, as the browser understands them."""
    targets = {page.url: page.targets for page in pages}
    for page in pages:
        for link in sorted(set(page.links)):
            url, fragment = urldefrag(link)
            if not url.startswith(base):
                continue
            if url in targets:
                known = not fragment or unquote(fragment) in targets[url]
            else:
                file = unquote(url.removeprefix(base))
                known = (site / (f'{file}index.html' if file == '' or file.endswith('/') else file)).is_file()
            if not known:
                yield f'{page.url.removeprefix(base) or "/"}: the link {link.removeprefix(base)} leads nowhere'


def main(site: str) -> int:
    """Check and tell; the exit code."""
    faults = check(Path(site))
    print(*faults or [f'Every page of {site}/ opens without a fault.'], sep='\n')
    return int(bool(faults))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
