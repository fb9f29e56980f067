"""Makes the pictures of the documentation anew: `python docs/pictures.py`, which needs `chromium` for the screenshot.

Build the site first (`scripts/docs`): the screenshot is of `site/`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).parent
WIDTH = 100


def picture_of_the_demo() -> str:
    """The terminal while the demo runs, as SVG without the fonts that rich would fetch from elsewhere."""
    environment = {**os.environ, 'FORCE_COLOR': '1', 'COLUMNS': str(WIDTH), 'TERM': 'xterm-256color'}
    command = [sys.executable, '-m', 'pydantic_ai_skills', 'demo']
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    console = Console(record=True, width=WIDTH, file=open(os.devnull, 'w'))  # noqa: SIM115
    console.print(Text.from_ansi(done.stdout))
    svg = console.export_svg(title='pydantic-ai-skills demo')
    svg = re.sub(r'@font-face \{.*?\}\s*', '', svg, flags=re.DOTALL)
    return svg.replace('Fira Code', 'ui-monospace, Menlo, Consolas')


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def screenshot_of_the_start(target: Path) -> None:
    """The first page of the built site in headless Chromium."""
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(Quiet, directory=str(DOCS.parent / 'site')))
    Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        command = ['chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1280,900']
        command += [f'--user-data-dir={profile}', '--virtual-time-budget=4000', f'--screenshot={target}']
        subprocess.run([*command, f'http://127.0.0.1:{server.server_port}/'], check=True, capture_output=True)
    server.shutdown()


if __name__ == '__main__':
    (DOCS / 'images' / 'cli.svg').write_text(picture_of_the_demo())
    if (DOCS.parent / 'site' / 'index.html').exists():
        screenshot_of_the_start(DOCS / 'images' / 'start.png')
