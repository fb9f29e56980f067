"""A bucket's listing, and which of its keys can be files of a library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from ..codes import KEY_LEFT_OUT
from ..diagnostics import SkillDiagnostic
from ..excludes import is_excluded_part
from ..index import is_skill_file
from .paths import can_be_file
from .tree import Layout
from .work import Progress, check_cancelled

_WRITTEN = 'written '
_TOLD = 20
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class S3Object:
    """One object under the prefix."""

    key: str
    """Its whole key."""

    path: str
    """Its key without the prefix: the path of the file it becomes."""

    etag: str
    """What S3 says about its content."""

    size: int
    """Bytes."""

    @property
    def has_etag(self) -> bool:
        """Whether `etag` is one."""
        return not self.etag.startswith(_WRITTEN)

    @property
    def stamp(self) -> list[Any]:
        """What changes with its content, as it is written down."""
        return [self.etag, self.size]


def content_tag(item: Mapping[str, Any]) -> str:
    """What an answer says about an object's content: its ETag, or when it was written from what has none.

    The same whether it is quoted or not, weak (`W/`, as proxies make them) or not.
    """
    etag = str(item.get('ETag') or '').removeprefix('W/').strip('"')
    return etag or f'{_WRITTEN}{item.get("LastModified", "")}'


def list_objects(client: Any, bucket: str, prefix: str, progress: Progress) -> list[S3Object]:
    """Everything under a prefix, which ends in a slash or is empty; sorted by key."""
    objects: list[S3Object] = []
    more: dict[str, str] = {}
    while True:
        check_cancelled()
        progress('list', len(objects), None)
        page: Mapping[str, Any] = client.list_objects_v2(Bucket=bucket, Prefix=prefix, **more)
        for item in page.get('Contents') or ():
            key = str(item['Key'])
            objects.append(S3Object(key, key[len(prefix) :], content_tag(item), int(item['Size'])))
        if not page.get('IsTruncated'):
            return sorted(objects, key=lambda item: item.key)
        token = page.get('NextContinuationToken')
        if not token or str(token) == more.get('ContinuationToken'):  # it would never end, or be taken for all there is
            raise ConnectionError('the listing breaks off: there is more of it, and no way to ask for that')
        more = {'ContinuationToken': str(token)}


def listing_revision(objects: Iterable[S3Object]) -> str:
    """What changes when an object comes, goes or gets another content."""
    lines = hashlib.sha256()
    for item in objects:
        lines.update(f'{item.path}\0{item.etag}\0{item.size}\n'.encode('utf-8', 'surrogatepass'))
    return lines.hexdigest()


def safe_objects(objects: Sequence[S3Object], shown: str) -> tuple[list[S3Object], list[SkillDiagnostic]]:
    """The objects whose keys can be paths of one library, and a diagnostic for those that cannot.

    A key cannot if it leads out of the library or is no path at all, if it names a file where another key has a
    folder, or if it differs from another only in case or Unicode form, which some file systems do not tell. Markers
    of folders (an empty object with the folder's name, or a key that ends in a slash) are no files, and what
    `DEFAULT_RESOURCE_EXCLUDES` shut out is no use; neither is mentioned.
    """
    folders = {folder for item in objects for folder in _folders(item.path)}
    kept: list[S3Object] = []
    wrong: list[str] = []
    spellings: dict[str, str] = {}
    skill_files = {item.path for item in objects if item.size and is_skill_file(item.path.rpartition('/')[2])}
    heads = {path.rpartition('/')[0] for path in skill_files}
    # Of two spellings the one that is a package's counts, so that a stray key cannot shut a package out; of two
    # packages' the one that a skill can have as its name.
    for item in sorted(
        objects, key=lambda item: (heads.isdisjoint(_folders(item.path)), *_oddness(item.path), item.key)
    ):
        if item.path.endswith('/') or not item.path or (item.size == 0 and item.path in folders):
            continue
        parts = item.path.split('/')
        if any(is_excluded_part(part) for part in parts):
            continue
        in_way = (item.path in folders and item.path not in skill_files) or not skill_files.isdisjoint(
            _folders(item.path)
        )
        if not can_be_file(item.path) or in_way or not _one_spelling(item.path, spellings):
            wrong.append(item.key)
        else:
            kept.append(item)
    return sorted(kept, key=lambda item: item.key), _unsafe(sorted(wrong), shown)


def by_package(objects: Sequence[S3Object], layout: Layout) -> dict[str, list[S3Object]]:
    """The objects of each package by its folder, empty for one at the prefix itself; others belong to none.

    With `layout='tree'` an object belongs to the deepest folder above it that holds a `SKILL.md`.
    """
    folders = {item.path.rpartition('/')[0] for item in objects if is_skill_file(item.path.rpartition('/')[2])}
    packages: dict[str, list[S3Object]] = {}
    for item in objects:
        above = ['', *_folders(item.path)]
        candidates = above[1:2] if layout == 'library' else above[::-1]
        folder = next((folder for folder in candidates if folder in folders), None)
        if folder is not None:
            packages.setdefault(folder, []).append(item)
    return packages


def _folders(path: str) -> list[str]:
    parts = path.split('/')
    return ['/'.join(parts[:depth]) for depth in range(1, len(parts))]


def _oddness(path: str) -> tuple[bool, bool]:
    folder, _, name = path.rpartition('/')
    return folder != folder.lower(), is_skill_file(name) and name != 'SKILL.md'


def _one_spelling(path: str, spellings: dict[str, str]) -> bool:
    """Whether no other path, or folder of one, is this one in another case or another Unicode form."""
    mine = {normalize('NFC', normalize('NFC', name).casefold()): name for name in [*_folders(path), path]}
    if any(spellings.get(spelling, name) != name for spelling, name in mine.items()):
        return False
    spellings.update(mine)
    return True


def _unsafe(keys: Sequence[str], shown: str) -> list[SkillDiagnostic]:
    if not keys:
        return []
    shown_keys = (key if len(key) <= _SHOWN else f'{key[:_SHOWN]}…' for key in keys[:_TOLD])
    some = ', '.join(map(repr, shown_keys)) + (f' and {len(keys) - _TOLD} more' if len(keys) > _TOLD else '')
    message = f'Keys that cannot be files of one library are left out of {shown}: {some}.'
    hint = 'A key must not have empty parts, . or .., nor clash with another, not even by differing only in case or accents.'
    return [SkillDiagnostic(shown, 'warning', KEY_LEFT_OUT, message, hint)]
