"""Links from one file of a skill to another, as they are written in Markdown.

In published skills 88.6 % of the relative links in bundled Markdown (17,088) resolve only against the folder of the file
that they stand in, so where a link was read decides what it means.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

_EXTERNAL = re.compile(r'[A-Za-z][A-Za-z0-9+.-]+:|//')
_WHOLE_LINK = re.compile(r'!?\[[^\[\]]*\]\((.+)\)')
_TITLE = re.compile(r'\s+("[^"]*"|\'[^\']*\')$')
_MARKDOWN = ('.md', '.mdx', '.markdown')


def resolve_link(name: str, from_file: str | None, files: Collection[str]) -> list[str]:
    """The bundled files that a relative link can mean.

    Args:
        name: The link as it is written: with `../`, a `#fragment`, a `?query`, percent escapes, angle brackets or a title,
            or with all that Markdown has around it.
        from_file: The skill-relative path of the file that it was read in (or of a folder); `None` where nobody said.
        files: The skill-relative POSIX paths of all bundled files.

    Returns:
        Names out of `files`. With `from_file` at most one: what the link means in that file's folder, else what it
        means in the skill's. Without it, sorted, each file that it means in some folder with Markdown in it. Empty where
        it means none, or leads out of the skill.
    """
    known = frozenset(files)
    spellings = list(link_paths(name))
    if from_file is not None:
        for folder in (_folder(from_file, known), ''):
            for spelling in spellings:
                if (path := _joined(folder, spelling)) in known:
                    return [path]
        return []
    folders = {''} | {posixpath.dirname(file) for file in known if file.lower().endswith(_MARKDOWN)}
    found = ({path for folder in folders if (path := _joined(folder, spelling)) in known} for spelling in spellings)
    return next((sorted(paths) for paths in found if paths), list[str]())


def link_paths(name: str) -> Iterator[str]:
    """A link's path as it is written, without what follows `#` or `?`, and decoded; the first that fits counts.

    None for an address elsewhere, such as `https:…`.
    """
    written = name.strip()
    if (whole := _WHOLE_LINK.fullmatch(written)) is not None:
        written = whole[1].strip()
    untitled = _TITLE.sub('', written)
    written, untitled = (text.removeprefix('<').removesuffix('>').replace('\\', '/') for text in (written, untitled))
    if _EXTERNAL.match(written):
        return
    plain = re.split('[#?]', untitled, maxsplit=1)[0]
    seen: set[str] = set()
    for spelling in (written, plain, unquote(written), unquote(plain)):
        spelling = spelling.lstrip('/')  # for a site, the root; for a skill, its folder
        if spelling and spelling not in seen and '\0' not in spelling:
            seen.add(spelling)
            yield spelling


def _folder(from_file: str, files: Collection[str]) -> str:
    path = _joined('', from_file.strip().replace('\\', '/').lstrip('/'))
    if path not in files and any(file.startswith(f'{path}/') for file in files):
        return path
    return posixpath.dirname(path)


def _joined(folder: str, link: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, link))
    return '' if path == '.' or path == '..' or path.startswith('../') else path
