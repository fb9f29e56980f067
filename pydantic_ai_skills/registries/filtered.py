"""Only some skills of a registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from ..diagnostics import SkillDiagnostic
from ..info import SkillInfo
from .base import SkillRegistry
from .offers import Contents, Offer, Session, judged
from .view import ViewRegistry
from .wrapper import WrapperRegistry

Predicate: TypeAlias = Callable[[SkillInfo], bool]
"""Whether a skill belongs to a filtered view."""


class FilteredRegistry(ViewRegistry, WrapperRegistry):
    """A view with only the skills for which a predicate says yes.

    It is asked at each sync, for every skill, before any file is staged; an S3 registry below it has then fetched no
    more than the `SKILL.md` of each.

        registry.filtered(lambda info: info.license == 'MIT')
    """

    narrows = True

    def __init__(self, wrapped: SkillRegistry, predicate: Predicate, *, target_dir: str | Path | None = None) -> None:
        """Nothing is read before `sync`.

        Args:
            wrapped: The registry.
            predicate: A plain function of a `SkillInfo`.
            target_dir: The folder for the view's own store; one in the user's cache folder where `None`.

        Raises:
            TypeError: `wrapped` is no registry, or `predicate` no function.
        """
        if not callable(predicate):
            raise TypeError(f'predicate must be a function of a SkillInfo, not {predicate!r}.')
        WrapperRegistry.__init__(self, wrapped)
        ViewRegistry.__init__(self, target_dir)
        self.predicate = predicate
        """Says which skills are in the view."""

    def __repr__(self) -> str:
        return f'FilteredRegistry({self.wrapped!r}, {_function_name(self.predicate)})'

    @property
    def parts(self) -> Sequence[SkillRegistry]:
        """The registry it is a view of."""
        return [self.wrapped]

    def _identity(self) -> list[str]:
        # Two predicates that look the same here share a store and are still told apart by what they select.
        code = getattr(self.predicate, '__code__', None)
        return [_function_name(self.predicate), str(getattr(code, 'co_firstlineno', ''))]

    def offer(self, session: Session) -> Offer:
        """The skills that the predicate selects, in the order of the wrapped registry."""
        base = session.offer_of(self.wrapped)
        contents = base.contents
        infos, left_out = judged(contents.packages)
        selected = [offered for offered in contents.packages if self._selects(infos.get(offered.name))]
        diagnostics: list[SkillDiagnostic] = [*contents.diagnostics, *left_out]
        names = '\n'.join(offered.name for offered in selected)
        return Offer(f'filtered\0{base.stamp}\0{names}', lambda: Contents(selected, diagnostics))

    def _selects(self, info: SkillInfo | None) -> bool:
        if info is None:
            return False
        answer: object = self.predicate(info)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise TypeError(
                f'The predicate {_function_name(self.predicate)} is asynchronous; a plain function is needed.'
            )
        return bool(answer)


def _function_name(function: Callable[..., object]) -> str:
    module, name = getattr(function, '__module__', ''), getattr(function, '__qualname__', type(function).__qualname__)
    return f'{module}.{name}'
