"""What the views have in common: they stage a library of their own out of what the wrapped registries offer."""

from __future__ import annotations

import hashlib
import json
import uuid
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from ..diagnostics import SkillDiagnostic
from ..discovery import Library
from .base import SkillRegistry
from .frontmatter_name import with_name
from .offers import Offer, Offered, Session, SourceChanged
from .places import temporary_store
from .staging import copy_package
from .store import Built, Draft
from .stored import StoredRegistry
from .work import Progress, check_cancelled

_UNNAMED = 'unnamed:'
_ATTEMPTS = 3


class ViewRegistry(StoredRegistry):
    """A registry made of others: filtered, prefixed, renamed, combined. It never touches what it is made of."""

    narrows = False
    """Whether it takes only some of what it is offered."""

    def __init__(self, target_dir: str | Path | None) -> None:
        super().__init__(target_dir, auto_install=True)
        self._unnamed = f'{_UNNAMED}{uuid.uuid4().hex}'

    @property
    @abstractmethod
    def parts(self) -> Sequence[SkillRegistry]:
        """The registries it is made of."""

    @abstractmethod
    def offer(self, session: Session) -> Offer:
        """What is in the view, worked out from what its parts offer; errors as `sync`."""

    @abstractmethod
    def _identity(self) -> list[str]:
        """What tells it from another view of the same registries."""

    def identity(self) -> str:
        """Made of those of its parts; one of its own for this process where a part has none."""
        parts = [part.identity() for part in self.parts]
        if any(part is None or part.startswith(_UNNAMED) for part in parts):
            return self._unnamed
        return json.dumps([type(self).__name__, *self._identity(), *parts])

    @property
    def diagnostics(self) -> list[SkillDiagnostic]:
        """What the last sync noticed, here and in what it is made of."""
        inner = [diagnostic for part in self.parts for diagnostic in part.diagnostics]
        return [*inner, *super().diagnostics]

    def library(self, path: Path) -> Library:
        """The view's own library: its links lead nowhere else, whatever it is a view of."""
        return Library(path, self.origin, from_registry=True, source=repr(self))

    def _folder(self) -> Path:
        if self.target_dir is None and (identity := self.identity()).startswith(_UNNAMED):
            return temporary_store(identity)
        return super()._folder()

    def _build(self, draft: Draft, progress: Progress) -> Built | None:
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._stage_all(draft, progress)
            except SourceChanged:
                draft.clear()
        return self._stage_all(draft, progress)

    def _stage_all(self, draft: Draft, progress: Progress) -> Built | None:
        session = Session(draft.folder.parents[1] / 'sources', progress, _narrowed(self))
        offer = self.offer(session)
        revision = hashlib.sha256(offer.stamp.encode('utf-8', 'surrogateescape')).hexdigest()
        if draft.previous is not None and draft.previous.revision == revision:
            return None
        library = draft.start()
        contents = offer.contents
        diagnostics = list(contents.diagnostics)
        packages = _brought(contents.packages)
        for done, offered in enumerate(packages):
            check_cancelled()
            progress('stage', done, len(packages))
            diagnostics += _stage(offered, library)
        progress('stage', len(packages), len(packages))
        return Built(revision, diagnostics=tuple(diagnostics))


def _narrowed(view: ViewRegistry) -> set[int]:
    """The sources of which no view on the way up takes all."""
    whole: set[int] = set()
    part: set[int] = set()
    pending: list[tuple[SkillRegistry, bool]] = [(view, False)]
    while pending:
        registry, narrows = pending.pop()
        if isinstance(registry, ViewRegistry):
            pending += [(inner, narrows or registry.narrows) for inner in registry.parts]
        else:
            (part if narrows else whole).add(id(registry))
    return part - whole


def _brought(packages: Sequence[Offered]) -> list[Offered]:
    """The packages with their files here: each source that has some far away is asked once for all of them."""
    here = [offered for offered in packages if offered.bring is None]
    far: dict[int, list[Offered]] = {}
    for offered in packages:
        if offered.bring is not None:
            far.setdefault(id(offered.bring), []).append(offered)
    for group in far.values():
        bring = group[0].bring
        here += bring(group) if bring is not None else []
    return here


def _stage(offered: Offered, library: Path) -> list[SkillDiagnostic]:
    package = offered.package
    text = with_name(package.text, offered.name) if offered.renamed else None
    return copy_package(
        package.found, library / offered.name, skill_file=None if text is None else text.encode('utf-8')
    )
