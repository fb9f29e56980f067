"""All skills of a registry, some under other names."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..names import is_legal_name, normalize_name
from .base import SkillRegistry
from .offers import Contents, Offer, Session
from .view import ViewRegistry
from .wrapper import WrapperRegistry


class RenamedRegistry(ViewRegistry, WrapperRegistry):
    """A view in which some skills have other names; the rest keep theirs.

    registry.renamed({'acme-pdf': 'pdf'})   # new name: old name
    """

    def __init__(
        self, wrapped: SkillRegistry, name_map: Mapping[str, str], *, target_dir: str | Path | None = None
    ) -> None:
        """Nothing is read before `sync`, which also finds out whether the old names are there.

        Args:
            wrapped: The registry.
            name_map: The old name of each new one.
            target_dir: The folder for the view's own store; one in the user's cache folder where `None`.

        Raises:
            TypeError: `wrapped` is no registry, or `name_map` no mapping of text.
            ValueError: a new name is not legal, or an old one is given two new ones.
        """
        WrapperRegistry.__init__(self, wrapped)
        ViewRegistry.__init__(self, target_dir)
        self.name_map = _checked(name_map)
        """The old name of each new one."""

    def __repr__(self) -> str:
        return f'RenamedRegistry({self.wrapped!r}, {self.name_map!r})'

    @property
    def parts(self) -> Sequence[SkillRegistry]:
        """The registry it is a view of."""
        return [self.wrapped]

    def _identity(self) -> list[str]:
        return [f'{new}={old}' for new, old in sorted(self.name_map.items())]

    def offer(self, session: Session) -> Offer:
        """Every package, those in the map under their new names.

        Raises:
            ValueError: an old name is not there, or a new one is taken.
        """
        base = session.offer_of(self.wrapped)
        return Offer('\0'.join(['renamed', *self._identity(), base.stamp]), lambda: self._contents(base.contents))

    def _contents(self, base: Contents) -> Contents:
        there = {offered.name for offered in base.packages}
        for new, old in self.name_map.items():
            if old not in there:
                near = difflib.get_close_matches(old, there, n=1)
                hint = f' Did you mean {near[0]!r}?' if near else ''
                some = ', '.join(sorted(there)[:20]) or 'none'
                raise ValueError(f'{self.wrapped!r} has no skill {old!r} to call {new!r}.{hint} It has: {some}.')
            if new in there and new not in self.name_map.values():
                raise ValueError(f'{self.wrapped!r} already has a skill {new!r}, so {old!r} cannot be called that.')
        new_names = {old: new for new, old in self.name_map.items()}
        packages = [
            replace(offered, name=new_names.get(offered.name, offered.name), source=repr(self))
            for offered in base.packages
        ]
        return Contents(packages, base.diagnostics)


def _checked(name_map: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(name_map, Mapping):
        raise TypeError(f'name_map must be a mapping of new names to old ones, not {name_map!r}.')
    checked: dict[str, str] = {}
    for new, old in name_map.items():
        if not isinstance(new, str) or not isinstance(old, str):
            raise TypeError(f'name_map must hold names as text, not {new!r}: {old!r}.')
        if not is_legal_name(new):
            raise ValueError(
                f'{new!r} in name_map is no legal skill name: at most 64 lowercase letters, numbers and single hyphens, '
                'none at the ends.'
            )
        if (name := normalize_name(new)) in checked:
            raise ValueError(f'name_map has the new name {name!r} twice.')
        if (old_name := normalize_name(old)) in checked.values():
            raise ValueError(f'name_map gives {old_name!r} two new names.')
        checked[name] = old_name
    return checked
