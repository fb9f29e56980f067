"""All skills of a registry, with a prefix to their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..codes import NAME_ILLEGAL
from ..diagnostics import SkillDiagnostic
from ..names import MAX_NAME_LENGTH, is_legal_name, normalize_name
from .base import SkillRegistry
from .offers import Contents, Offer, Offered, Session
from .view import ViewRegistry
from .wrapper import WrapperRegistry


class PrefixedRegistry(ViewRegistry, WrapperRegistry):
    """A view whose names all begin with a prefix, so that two sources with the same names can be used together.

    A skill whose name becomes too long is left out with a warning.

        registry.prefixed('acme-')
    """

    def __init__(self, wrapped: SkillRegistry, prefix: str, *, target_dir: str | Path | None = None) -> None:
        """Nothing is read before `sync`.

        Args:
            wrapped: The registry.
            prefix: Put before each name as it is, so mostly it ends with a hyphen.
            target_dir: The folder for the view's own store; one in the user's cache folder where `None`.

        Raises:
            TypeError: `wrapped` is no registry, or `prefix` no text.
            ValueError: no legal name can begin with `prefix`, or it is empty.
        """
        if not isinstance(prefix, str):
            raise TypeError(f'prefix must be text, not {prefix!r}.')
        if not prefix or not is_legal_name(prefix + 'x'):
            raise ValueError(
                f'No skill name can begin with the prefix {prefix!r}: names are lowercase letters, numbers and single '
                f'hyphens, with none at the beginning, and have at most {MAX_NAME_LENGTH} characters.'
            )
        WrapperRegistry.__init__(self, wrapped)
        ViewRegistry.__init__(self, target_dir)
        self.prefix = normalize_name(prefix)
        """What every name begins with."""

    def __repr__(self) -> str:
        return f'PrefixedRegistry({self.wrapped!r}, {self.prefix!r})'

    @property
    def parts(self) -> Sequence[SkillRegistry]:
        """The registry it is a view of."""
        return [self.wrapped]

    def _identity(self) -> list[str]:
        return [self.prefix]

    def offer(self, session: Session) -> Offer:
        """Every package under its longer name."""
        base = session.offer_of(self.wrapped)
        return Offer(f'prefixed\0{self.prefix}\0{base.stamp}', lambda: self._contents(base.contents))

    def _contents(self, base: Contents) -> Contents:
        packages: list[Offered] = []
        diagnostics = list(base.diagnostics)
        for offered in base.packages:
            name = self.prefix + offered.name
            if is_legal_name(name):
                packages.append(replace(offered, name=normalize_name(name), source=repr(self)))
                continue
            message = f'The skill {offered.name!r} is left out of {self!r}: {name!r} is no legal name.'
            hint = f'A name has at most {MAX_NAME_LENGTH} characters and no double hyphen.'
            diagnostics.append(SkillDiagnostic(offered.package.found.skill_file, 'error', NAME_ILLEGAL, message, hint))
        return Contents(packages, diagnostics)
