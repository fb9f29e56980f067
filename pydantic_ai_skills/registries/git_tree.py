"""Which files of a commit go into the library, worked out from its listing: nothing has been fetched for it but trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..excludes import is_excluded_part
from ..index import is_skill_file

_MAX_HOPS = 40
_MAX_ENTRIES = 200_000


@dataclass(frozen=True)
class TreeEntry:
    """One file, link or submodule of a commit."""

    mode: str
    sha: str

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == '120000'

    @property
    def is_submodule(self) -> bool:
        """Whether it is a commit of another repository."""
        return self.mode == '160000'


Entries = dict[str, TreeEntry]
"""Files by path."""


@dataclass
class Selection:
    """What is to be checked out."""

    entries: Entries = field(default_factory=dict[str, TreeEntry])
    """Regular files by path; links have been replaced by what they lead to."""

    submodules: list[str] = field(default_factory=list[str])
    """Submodules, which are not fetched."""

    broken_links: list[str] = field(default_factory=list[str])
    """Links that lead out of the repository, or nowhere."""

    unusable: list[str] = field(default_factory=list[str])
    """Files that cannot be written, since their paths are made to do harm."""


def parse_listing(listing: bytes) -> Entries:
    """The entries that `git ls-tree -r -z` printed."""
    entries: Entries = {}
    for line in listing.split(b'\0'):
        if line:
            head, _, path = line.partition(b'\t')
            mode, _, sha = head.decode().split(' ')[:3]
            entries[path.decode('utf-8', 'surrogateescape')] = TreeEntry(mode, sha)
    return entries


def in_packages(entries: Mapping[str, TreeEntry]) -> Entries:
    """The entries that belong to a skill at whatever depth, for `layout='tree'`; never what is excluded anyway."""
    folders = {path.rpartition('/')[0] for path in entries if is_skill_file(path.rpartition('/')[2])}
    chosen: Entries = {}
    for path, entry in entries.items():
        parts = path.split('/')
        if any(is_excluded_part(part) for part in parts):
            continue
        if any('/'.join(parts[:depth]) in folders for depth in range(len(parts))):
            chosen[path] = entry
    return chosen


def resolve_links(
    wanted: Mapping[str, TreeEntry],
    list_everything: Callable[[], Entries],
    read_links: Callable[[list[str]], dict[str, str]],
) -> Selection:
    """Replace each link by what it leads to in the repository, so that the library needs nothing outside itself.

    Args:
        wanted: The entries to be checked out, by their path in the repository.
        list_everything: Gives all entries of the commit; asked only if there is a link.
        read_links: The targets of links by their blob, for a list of blobs.
    """
    everything = list_everything() if any(entry.is_link for entry in wanted.values()) else {}
    links = sorted({entry.sha for entry in everything.values() if entry.is_link})
    resolver = _Resolver(everything, read_links(links) if links else {})
    selection = Selection()
    for path, entry in wanted.items():
        resolver.place(path, path, entry, selection, 0)
    return selection


class _Resolver:
    def __init__(self, everything: Mapping[str, TreeEntry], targets: Mapping[str, str]) -> None:
        self._everything, self._targets = everything, targets
        self._folders: dict[str, list[str]] = {}
        for path in everything:
            parts = path.split('/')
            for depth in range(len(parts)):
                self._folders.setdefault('/'.join(parts[:depth]), []).append(path)

    def place(self, destination: str, path: str, entry: TreeEntry, selection: Selection, hops: int) -> None:
        """Put the entry at `path` of the repository at `destination` of the library."""
        if entry.is_submodule:
            selection.submodules.append(destination)
            return
        if not entry.is_link:
            selection.entries[destination] = entry
            return
        end = self._follow(path, entry)
        if end is None or hops > 4 or len(selection.entries) > _MAX_ENTRIES:
            selection.broken_links.append(destination)
        elif end in self._everything:
            self.place(destination, end, self._everything[end], selection, hops + 1)
        else:
            prefix = f'{end}/' if end else ''
            for inner in self._folders[end]:
                rest = inner[len(prefix) :]
                self.place(f'{destination}/{rest}', inner, self._everything[inner], selection, hops + 1)

    def _follow(self, path: str, entry: TreeEntry) -> str | None:
        """Where a link leads: the path of a file or folder of the repository, or `None`."""
        for _ in range(_MAX_HOPS):
            target = self._targets.get(entry.sha, '/')
            if target.startswith('/'):
                return None
            end = self._walk(path.rpartition('/')[0], target)
            if end is None or end == '' or path == end or path.startswith(f'{end}/'):
                return None  # out of the repository, nowhere, or a folder that holds the link itself
            found = self._everything.get(end)
            if found is None or not found.is_link:
                return end
            path, entry = end, found
        return None

    def _walk(self, folder: str, target: str, hops: int = 0) -> str | None:
        """Go from a folder along a relative target; links on the way are followed."""
        if hops > _MAX_HOPS:
            return None
        here: str = folder
        parts = [part for part in target.split('/') if part not in ('', '.')]
        for position, part in enumerate(parts):
            if part == '..':
                if not here:
                    return None
                here = here.rpartition('/')[0]
                continue
            here = f'{here}/{part}' if here else part
            found = self._everything.get(here)
            if found is not None and found.is_link and position < len(parts) - 1:
                inner = self._targets.get(found.sha, '/')
                rest = '/'.join([inner, *parts[position + 1 :]])
                return None if inner.startswith('/') else self._walk(here.rpartition('/')[0], rest, hops + 1)
        return here if here in self._everything or here in self._folders else None
