"""From the name a model gives to the file it means. Nothing here builds a path: it only looks names up."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

MemberT = TypeVar('MemberT')

_PLACEHOLDERS = ('${SKILL_DIR}', '${CLAUDE_SKILL_DIR}', '$SKILL_DIR', '$CLAUDE_SKILL_DIR', '{baseDir}', '{skill_dir}')


class AmbiguousNameError(LookupError):
    """Several files fit the name; `names` are theirs."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__('several files fit')
        self.names = sorted(names)


def resolve_name(
    name: str, members: Mapping[str, MemberT], directory: Path | None = None, own_name: str | None = None
) -> MemberT | None:
    """The member that `name` means, or `None`.

    The order is the contract's: the exact name; the name normalised; the stem within the named folder; a bare file
    name or stem that only one file has. A name with a folder never matches a file of another folder.

    Args:
        name: What the model wrote.
        members: The files by skill-relative POSIX path.
        directory: The skill's folder, so that an absolute path inside it is understood.
        own_name: The skill's id, by which a model may call that folder.

    Raises:
        AmbiguousNameError: several files fit.
    """
    if (exact := members.get(name)) is not None:
        return exact
    by_spelling = {_composed(known): known for known in members}
    candidates = dict.fromkeys(spellings(name, directory, own_name))
    for spelling in candidates:
        if (known := by_spelling.get(spelling)) is not None:
            return members[known]
    for spelling in candidates:
        folder = posixpath.dirname(spelling)
        if found := [known for known in members if _in_folder(known, folder) and _stem(known) == spelling]:
            return members[_only(found)]
        if not folder and (found := [known for known in members if _has_base(known, spelling)]):
            return members[_only(found)]
    return None


def _only(names: list[str]) -> str:
    if len(names) > 1:
        raise AmbiguousNameError(names)
    return names[0]


def _composed(name: str) -> str:
    return unicodedata.normalize('NFC', name)


def _stem(name: str) -> str:
    return posixpath.splitext(_composed(name))[0]


def _in_folder(name: str, folder: str) -> bool:
    return posixpath.dirname(_composed(name)) == folder


def _has_base(name: str, base: str) -> bool:
    own = posixpath.basename(_composed(name))
    return base in (own, posixpath.splitext(own)[0])


def spellings(name: str, directory: Path | None = None, own_name: str | None = None) -> Iterator[str]:
    """The skill-relative paths that a name may stand for, likeliest first; none for what leads elsewhere.

    The arguments are those of `resolve_name`.
    """
    text = _composed(name).strip().strip('`\'"').strip().replace('\\', '/')
    for placeholder in _PLACEHOLDERS:
        if text.startswith(placeholder + '/'):
            text = text[len(placeholder) + 1 :].lstrip('/')
            break
    if not text or '\0' in text:
        return
    yield from _in_folder_of_skill(text, directory, own_name)
    # `${SKILL_DIR}` in instructions is `…/.skills/<id>-<digest>` where scripts run in a workspace.
    if own_name and (staged := re.search(rf'(?:^|/){re.escape(own_name)}-[0-9a-f]{{12}}/(.+)', text)) is not None:
        path = posixpath.normpath(staged[1])
        if not path.startswith(('/', '..')):
            yield path


def _in_folder_of_skill(text: str, directory: Path | None, own_name: str | None) -> Iterator[str]:
    if directory is not None:
        root = _composed(directory.as_posix())
        if text.startswith('/'):
            path = posixpath.normpath(text)
            if path.startswith(root + '/'):
                yield path[len(root) + 1 :]
            return
        # `../<own folder>/x` is how links between skills spell a file of this one.
        path = posixpath.normpath(posixpath.join(root, text))
        for folder in (root, posixpath.join(posixpath.dirname(root), own_name or '')):
            if path.startswith(folder + '/') and posixpath.basename(folder):
                yield path[len(folder) + 1 :]
                return
        return
    path = posixpath.normpath(text)
    if not path.startswith(('/', '..')) and path != '.':
        yield path
