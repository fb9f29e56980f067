"""What mkdocs calls while it builds the site: tables made from the code, the list of decisions, and a check of links."""

from __future__ import annotations

import logging
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from pydantic_ai_skills.checks.rules import RULES
from pydantic_ai_skills.codes import CODES

log = logging.getLogger('mkdocs.hooks')  # a warning fails a strict build


def on_config(config: Any) -> Any:
    """Put every decision into the navigation, by number."""
    for entry in config.nav:
        if 'Decisions' in entry:
            paths = sorted(Path(config.docs_dir, 'decisions').glob('*.md'))
            entry['Decisions'] = [f'decisions/{path.name}' for path in paths]
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in the codes of diagnostics."""
    if page.file.src_uri != 'diagnostics.md':
        return markdown
    return markdown.replace('<!-- codes -->', explained(CODES)).replace('<!-- rules -->', explained(RULES))


def explained(codes: Any) -> str:
    """Each code with its severity, what it means and how to mend it."""
    return '\n\n'.join(
        f'### `{name}` {{#{name}}}\n\n*{code.severity}*: {code.meaning}\n\n{code.remedy}'
        for name, code in codes.items()
    )


class Links(HTMLParser):
    """The links of a page and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.targets |= {value for name in ('id', 'name') if (value := values.get(name))}
        self.links |= {value for name in ('href', 'src') if tag != 'base' and (value := values.get(name))}


def broken_links(site: Path) -> list[str]:
    """The links within a built site that lead nowhere, as `page: link`."""
    pages = {path.relative_to(site).as_posix(): Links(path.read_text()) for path in site.rglob('*.html')}
    broken: list[str] = []
    for name, page in pages.items():
        for link in sorted(page.links) if name != '404.html' else ():
            if urlsplit(link).scheme or link.startswith('//'):
                continue
            target, fragment = urldefrag(urljoin(f'/{name}', link))
            path = unquote(target).lstrip('/')
            path = f'{path}index.html' if path == '' or path.endswith('/') else path
            if path in pages:
                known = not fragment or unquote(fragment) in pages[path].targets
            else:
                known = (site / path).is_file()
            if not known:
                broken.append(f'{name}: {link}')
    return broken


def on_post_build(config: Any) -> None:
    """Warn of links that lead nowhere, those of the API reference and of generated tables included."""
    for link in broken_links(Path(config.site_dir)):
        log.warning('A link leads nowhere: %s', link)
