"""Links in all bundled Markdown: whether each leads to a file that the model can get, from where it is written."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from ..links import resolve_link
from .checked import CheckedPackage
from .documents import links
from .problem import Problem, problem

_ELSEWHERE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]+:|//|#|$')
_TEMPLATE = re.compile(r'[{}<>$*`|]|\.\.\.|…')
"""What stands for something else in a pattern or an example, and is no path."""


def check_links(package: CheckedPackage) -> Iterator[Problem]:
    """Check each relative link; what is no link but an example of one is let pass."""
    names = {file.file.name for file in package.files} | {package.skill_file.name, 'SKILL.md'}
    for document, text, first_line in package.documents():
        for link in links(text, first_line):
            if not _ELSEWHERE.match(link.target) and not _TEMPLATE.search(unquote(link.target)):
                code = _fault(package, document, link.target, names)
                if code is not None:
                    path = package.place(document)
                    message = f'{path}: {_MESSAGES[code].format(link=link.target)}'
                    yield problem(code, path, message, line=link.line)


_MESSAGES = {
    'link-broken': 'the link {link!r} leads to no file.',
    'link-hidden': 'the link {link!r} leads to a file that the model is not shown.',
    'link-from-root': 'the link {link!r} resolves from the root of the skill, not from its own folder.',
    'link-outside': 'the link {link!r} leads out of the skill.',
}


def _fault(package: CheckedPackage, document: str, target: str, names: Collection[str]) -> str | None:
    """The code for a link that is not right, or `None`."""
    path = unquote(re.split('[#?]', target, maxsplit=1)[0])
    own = posixpath.normpath(posixpath.join(posixpath.dirname(document), path))
    if not path or own == '.' or any(name.startswith(f'{own}/') for name in names):
        return None
    if found := resolve_link(target, document, names):
        return None if found[0] == own or path.startswith('/') else 'link-from-root'
    exists = os.path.exists(package.directory / own)
    if own.startswith('..'):
        return 'link-outside' if exists else 'link-broken'
    if path.startswith('/'):
        return 'link-outside'  # a site's own address, most likely
    return 'link-hidden' if exists else 'link-broken'
