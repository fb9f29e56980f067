"""Makes the pictures of the documentation anew: the demo in a terminal, and the start page of the built site.

`scripts/docs --pictures` builds the site and runs this.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from browser import screenshot
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


if __name__ == '__main__':
    (DOCS / 'images' / 'cli.svg').write_text(picture_of_the_demo())
    screenshot(DOCS.parent / 'site', DOCS / 'images' / 'start.png')
