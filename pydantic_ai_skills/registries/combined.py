"""Several registries as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..codes import SHADOWED
from ..diagnostics import SkillDiagnostic
from ..members import Origin
from .base import SkillRegistry
from .offers import Contents, Offer, Offered, Session
from .reading import same_package
from .view import ViewRegistry
from .work import run_all

_AT_ONCE = 8


class CombinedRegistry(ViewRegistry):
    """Several registries as one library. Of two skills with one name the earlier is used, with a warning.

    GitSkillsRegistry(url) | LocalSkillsRegistry('skills')
    """

    def __init__(self, registries: Sequence[SkillRegistry], *, target_dir: str | Path | None = None) -> None:
        """Nothing is read before `sync`, which syncs all of them at the same time.

        Args:
            registries: The registries, the most important first.
            target_dir: The folder for the view's own store; one in the user's cache folder where `None`.

        Raises:
            TypeError: one of them is no registry.
            ValueError: there are none.
        """
        if isinstance(registries, SkillRegistry) or not all(isinstance(item, SkillRegistry) for item in registries):
            raise TypeError(f'registries must be a sequence of registries, not {registries!r}.')
        if not registries:
            raise ValueError('CombinedRegistry needs at least one registry.')
        super().__init__(target_dir)
        self.registries = tuple(registries)
        """The registries, the most important first."""

    def __repr__(self) -> str:
        return f'CombinedRegistry({list(self.registries)!r})'

    def __or__(self, other: SkillRegistry) -> CombinedRegistry:
        """One more; `a | b | c` is one registry of three."""
        if not isinstance(other, SkillRegistry):
            return NotImplemented
        return (
            CombinedRegistry([*self.registries, other]) if self.target_dir is None else CombinedRegistry([self, other])
        )

    @property
    def parts(self) -> Sequence[SkillRegistry]:
        """The registries."""
        return self.registries

    @property
    def origin(self) -> Origin:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Theirs if they agree, else the one that is trusted least."""
        origins = {registry.origin for registry in self.registries}
        return next(origin for origin in ('remote', 'installed', 'local') if origin in origins)

    def _identity(self) -> list[str]:
        return []

    def offer(self, session: Session) -> Offer:
        """The packages of all of them."""
        jobs = [partial(session.offer_of, registry) for registry in self.registries]
        offers = [_raised(result) for result in run_all(jobs, _AT_ONCE, fail_fast=False)]
        stamp = '\0'.join(['combined', *(offer.stamp for offer in offers)])
        return Offer(stamp, lambda: _merged([offer.contents for offer in offers]))


def _raised(result: Offer | Exception) -> Offer:
    if isinstance(result, Exception):
        raise result
    return result


def _merged(parts: Sequence[Contents]) -> Contents:
    packages: dict[str, Offered] = {}
    diagnostics: list[SkillDiagnostic] = []
    for contents in parts:
        diagnostics += contents.diagnostics
        for offered in contents.packages:
            first = packages.setdefault(offered.name, offered)
            if first is not offered and not _same(first, offered):
                message = f'{first.source} and {offered.source} both have a skill {offered.name!r}; the first is used.'
                hint = 'Filter one of them out, or rename it by renamed() or prefixed().'
                path = offered.package.found.skill_file
                diagnostics.append(SkillDiagnostic(path, 'warning', SHADOWED, message, hint))
    return Contents(list(packages.values()), diagnostics)


def _same(first: Offered, second: Offered) -> bool:
    """Whether two skills are one; never those whose files are not here to compare."""
    return first.bring is None and second.bring is None and same_package(first.package, second.package)
