"""Skills from an S3 bucket, or anything that speaks its language."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ..diagnostics import SkillDiagnostic
from ..discovery import Library, find_packages
from ..index import is_skill_file
from ..names import is_legal_name, normalize_name
from .generation import Generation
from .offers import Contents, Offer, Offered, Session, SourceChanged, library_offer
from .reading import read_package
from .s3_download import Download, ObjectChanged, reason
from .s3_objects import S3Object, by_package, list_objects, listing_revision, safe_objects
from .store import Built, Draft, Store
from .stored import StoredRegistry
from .tree import Layout, checked_layout, empty_finding, read_tree, stage_tree
from .work import Progress

Packages: TypeAlias = Mapping[str, Sequence[S3Object]]
"""The objects of each package, by its folder below the prefix."""

_making_client = Lock()
_ATTEMPTS = 3
_BEING_WRITTEN = 'the bucket is being written to at this moment: what was listed changed while it was read. Sync again.'
_CONNECT_SECONDS = 10
_READ_SECONDS = 20
_CONNECTIONS = 16


class S3SkillsRegistry(StoredRegistry):
    """Skills from a bucket: everything under a prefix that belongs to a package.

    A sync lists the prefix once and downloads what is new by ETag and size, 16 objects at a time. S3 has no execute
    bits, so files that begin with `#!` get one.
    """

    _shares_checks = True
    _verifies_always = True

    def __init__(
        self,
        bucket: str,
        *,
        prefix: str = '',
        target_dir: str | Path | None = None,
        boto3_client: Any = None,
        auto_install: bool = True,
        layout: Layout = 'library',
    ) -> None:
        """Nothing is fetched before `sync`.

        Args:
            bucket: The bucket.
            prefix: The "folder" of it that holds the skills; slashes at its ends do not matter.
            target_dir: The folder for the store; one in the user's cache folder where `None`.
            boto3_client: Any S3 client, with the timeouts you want. One with boto3's usual credentials, 10 s to
                connect, 20 s for each read and three attempts is made where it is `None`: a minute for a silent host.
            auto_install: Whether to fetch at all; if not, what is in the store, or in `target_dir`, is read.
            layout: `'library'`: the immediate children of the prefix are the packages. `'tree'`: every `SKILL.md`
                below it at any depth, one at the prefix itself too.

        Raises:
            ImportError: boto3 is not installed, no client was passed, and `auto_install` is not false.
            TypeError: an argument is of the wrong type.
            ValueError: `bucket` is empty, or `layout` neither of the two.
        """
        if not isinstance(bucket, str) or not isinstance(prefix, str):
            raise TypeError(f'bucket and prefix must be text, not {bucket!r} and {prefix!r}.')
        if not bucket or bucket.startswith('s3://'):
            raise ValueError(
                f'bucket must be the name of a bucket, not {bucket!r}; what is below it goes into prefix=.'
            )
        if auto_install and boto3_client is None and importlib.util.find_spec('boto3') is None:
            raise ImportError("S3SkillsRegistry needs boto3, or a client: pip install 'pydantic-ai-skills[s3]'")
        super().__init__(target_dir, auto_install)
        self.bucket = bucket
        """The bucket."""
        self.prefix = prefix.strip('/')
        """The prefix, without slashes at its ends."""
        self.layout: Layout = checked_layout(layout)
        """`'library'` or `'tree'`."""
        self._given_client: Any = boto3_client
        self._made: tuple[int, Any] | None = None

    def __repr__(self) -> str:
        prefix = f', prefix={self.prefix!r}' if self.prefix else ''
        layout = f', layout={self.layout!r}' if self.layout != 'library' else ''
        return f'S3SkillsRegistry({self.bucket!r}{prefix}{layout})'

    def identity(self) -> str:
        """Endpoint, bucket, prefix and layout."""
        given = getattr(getattr(self._given_client, 'meta', None), 'endpoint_url', None)
        named = os.environ.get('AWS_ENDPOINT_URL_S3') or os.environ.get('AWS_ENDPOINT_URL')
        endpoint = given or named or ''
        host = urlsplit(endpoint).netloc.rpartition('@')[2] if isinstance(endpoint, str) else ''
        return json.dumps(['s3', '' if host.endswith('amazonaws.com') else host, self.bucket, self.prefix, self.layout])

    def revision(self, skill_name: str) -> str:
        """What changes when an object of this skill does. Syncs first if nothing has been; errors as `sync`.

        Raises:
            ValueError: there is no such skill.
        """
        if self.generation is None:
            self.sync()
        generation = self.generation
        revisions: Mapping[str, str] = {} if generation is None else generation.details.get('revisions', {})
        if skill_name not in revisions:
            some = ', '.join(sorted(revisions)[:20]) or 'none'
            raise ValueError(f'{self!r} has no skill {skill_name!r}. It has: {some}.')
        return revisions[skill_name]

    def offer(self, session: Session) -> Offer:
        """All packages; before anybody has chosen among them, only the `SKILL.md` of each is fetched."""
        if not session.is_narrowed(self) or not self.auto_install:
            return session.synced(self)
        packages, findings = self._list(session.progress)
        folder = session.scratch / hashlib.sha256(self.identity().encode()).hexdigest()[:16]
        skill_files = {name: [item for item in items if _is_head(item)] for name, items in packages.items()}
        heads = self._part(folder / 'heads', skill_files, session.progress)
        offered = library_offer(self, heads.library, '').contents

        def bring(chosen: Sequence[Offered]) -> list[Offered]:
            folders = heads.details['folders']
            wanted = {folders[item.package.found.folder] for item in chosen}
            some = {name: items for name, items in packages.items() if name in wanted}
            return _brought(chosen, self.library(self._part(folder / 'files', some, session.progress, heads).library))

        far = [replace(item, bring=bring) for item in offered.packages]
        contents = Contents(far, [*findings, *offered.diagnostics])
        return Offer(f's3\0{listing_revision(_flat(packages))}', lambda: contents)

    @property
    def _label(self) -> str:
        return self.prefix.rpartition('/')[2] or self.bucket

    def _build(self, draft: Draft, progress: Progress) -> Built | None:
        for _ in range(_ATTEMPTS):
            packages, findings = self._list(progress)
            try:
                return self._fill(draft, packages, findings, progress)
            except ObjectChanged:
                draft.clear()
        raise RuntimeError(_BEING_WRITTEN)

    def _part(self, folder: Path, packages: Packages, progress: Progress, also: Generation | None = None) -> Generation:
        """Some objects of the bucket in a store of their own, for a view that does not take all.

        `also` is a generation that has some of them already.
        """
        store = Store(folder, self.identity())
        try:
            return store.update(lambda draft: self._fill(draft, packages, [], progress, also))
        except ObjectChanged:
            raise SourceChanged(_BEING_WRITTEN) from None

    def _list(self, progress: Progress) -> tuple[Packages, list[SkillDiagnostic]]:
        """The objects of each package, and what is wrong with keys.

        Raises:
            RuntimeError: the bucket cannot be listed.
            ValueError: there is nothing under the prefix, or it is itself a skill and the layout is `'library'`.
        """
        prefix = f'{self.prefix}/' if self.prefix else ''
        client = self._client()
        try:
            objects = list_objects(client, self.bucket, prefix, progress)
        except Exception as error:  # a client may be anything, and raise anything
            raise RuntimeError(f'listing {self.bucket!r} failed: {reason(error)}') from None
        if not any(item.path and not item.path.endswith('/') for item in objects):
            raise ValueError(f'The bucket {self.bucket!r} has nothing under the prefix {self.prefix!r}.')
        safe, findings = safe_objects(objects, repr(self))
        if self.layout == 'library' and any(is_skill_file(item.path) for item in safe):
            raise ValueError(
                f'The prefix {self.prefix!r} of {self.bucket!r} is itself a skill, not a folder of skills. '
                "Pass its parent, or layout='tree'."
            )
        return by_package(safe, self.layout), findings

    def __getstate__(self) -> dict[str, Any]:
        # A client cannot be pickled, and is made again where it is needed.
        return {**super().__getstate__(), '_made': None}

    def __deepcopy__(self, memo: dict[int, Any]) -> S3SkillsRegistry:
        return copy(self)  # a client that was given cannot be copied and need not be

    def _client(self) -> Any:
        """The client; each process has its own, since what is forked would share connections.

        Raises:
            TypeError: what was given is no client.
        """
        if self._given_client is not None:
            calls = [getattr(self._given_client, name, None) for name in ('list_objects_v2', 'get_object')]
            if not all(callable(call) and not inspect.iscoroutinefunction(call) for call in calls):
                raise TypeError(f"boto3_client must be a client, as boto3.client('s3') is, not {self._given_client!r}.")
            return self._given_client
        with _making_client:
            if self._made is None or self._made[0] != os.getpid():
                boto3: Any = importlib.import_module('boto3')  # optional, and without types
                config = importlib.import_module('botocore.config').Config(
                    connect_timeout=_CONNECT_SECONDS,
                    read_timeout=_READ_SECONDS,
                    retries={'mode': 'standard', 'total_max_attempts': 3},
                    max_pool_connections=_CONNECTIONS,
                )
                # A session of our own: boto3's default one is not safe in threads.
                self._made = os.getpid(), boto3.session.Session().client('s3', config=config)
            return self._made[1]

    def _fill(
        self,
        draft: Draft,
        packages: Packages,
        findings: Sequence[SkillDiagnostic],
        progress: Progress,
        also: Generation | None = None,
    ) -> Built | None:
        objects = _flat(packages)
        revision, previous = listing_revision(objects), draft.previous
        if previous is not None and previous.revision == revision:
            return None
        library = draft.start()
        raw = library if self.layout == 'library' else draft.folder / 'objects'
        inner = raw.relative_to(draft.folder)
        here = [(item.folder / inner, item.details.get('objects', {})) for item in (previous, also) if item is not None]
        Download(self._client(), self.bucket, raw, progress).fill(objects, here)
        if self.layout == 'library':
            folders, more = {name: name for name in packages}, []
        else:
            folders, more = self._flatten(raw, library, progress)
        details = {
            'objects': {item.path: item.stamp for item in objects},
            'folders': folders,
            'revisions': {_id(library, folder): listing_revision(packages[raw]) for folder, raw in folders.items()},
        }
        empty = empty_finding(library, repr(self), self.layout)
        return Built(revision, details, (*findings, *more, *empty))

    def _flatten(self, raw: Path, library: Path, progress: Progress) -> tuple[dict[str, str], list[SkillDiagnostic]]:
        """Stage the tree of objects as a flat library: the folder of each package in the tree, by its name."""
        name = self.prefix.rpartition('/')[2] or self.bucket
        tree = read_tree(Library(raw, self.origin, from_registry=True, source=repr(self)), name)
        findings = stage_tree(tree, library, progress)
        top = os.path.realpath(raw)
        places = {package.name: os.path.relpath(package.found.directory, top) for package in tree.packages}
        return {name: '' if place == '.' else place for name, place in places.items()}, findings


def _is_head(item: S3Object) -> bool:
    return is_skill_file(item.path.rpartition('/')[2])


def _flat(packages: Packages) -> list[S3Object]:
    return sorted((item for items in packages.values() for item in items), key=lambda item: item.key)


def _id(library: Path, folder: str) -> str:
    """The id of a package of a library; its folder's name where it has none."""
    if is_legal_name(folder):
        return normalize_name(folder)
    found = next(item for item in find_packages(Library(library, from_registry=True)) if item.folder == folder)
    package = read_package(found)
    return folder if isinstance(package, SkillDiagnostic) else package.name


def _brought(chosen: Sequence[Offered], library: Library) -> list[Offered]:
    """What was chosen, with its files from this library."""
    here = {found.folder: found for found in find_packages(library)}
    return [
        replace(item, bring=None, package=replace(item.package, found=here[item.package.found.folder]))
        for item in chosen
    ]
