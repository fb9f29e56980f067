"""Fitting the descriptions of many skills into what one may spend on them in every request."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

_ELLIPSIS = '…'
_BLANKS = ' \n\t\u3000'
_LONGEST_WORD = 40  # more than that without a blank is writing that has none, or no words


def fit_descriptions(descriptions: Mapping[str, str], budget: int) -> dict[str, str]:
    """Shorten descriptions until all of them together have at most `budget` characters.

    Evenly: there is one length that none may exceed, the largest that fits, and what is shorter stays as it is. Cut at
    the end of a word, with an ellipsis; within one only where it has more than 40 characters, as in writing without
    blanks. Where not even the first word fits, a description becomes empty, and the name remains.

    Args:
        descriptions: By name; names do not count.
        budget: Characters. 343 published skills have 142,838, and 1,000 skills of a collection 256,000.

    Returns:
        All names, in the same order; the same texts where they fit.

    Raises:
        ValueError: `budget` is negative.
    """
    if budget < 0:
        raise ValueError(f'catalog_budget must be a number of characters from 0 up, not {budget!r}.')
    limit = _largest_limit((len(text) for text in descriptions.values()), budget)
    if limit is None:
        return dict(descriptions)
    return {name: _shortened(text, limit) for name, text in descriptions.items()}


def _largest_limit(lengths: Iterable[int], budget: int) -> int | None:
    """The largest length that all can have without exceeding `budget`; `None` where nothing has to be cut."""
    ordered = sorted(lengths)
    left = budget
    for index, length in enumerate(ordered):
        share = left // (len(ordered) - index)
        if length > share:
            return share
        left -= length
    return None


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    room = limit - len(_ELLIPSIS)
    if room < 1:
        return ''
    end = room
    if text[end] not in _BLANKS:
        start = max(text.rfind(blank, 0, end) for blank in _BLANKS) + 1
        stop = min((at for blank in _BLANKS if (at := text.find(blank, end)) >= 0), default=len(text))
        end = start if stop - start <= _LONGEST_WORD else _between_letters(text, end)
    kept = text[:end].rstrip(_BLANKS + ',;:-–—(')
    return kept + _ELLIPSIS if kept else ''


def _between_letters(text: str, end: int) -> int:
    """The last place up to `end` that is not between a letter and its accents, nor within a composed emoji."""
    while end > 0 and (unicodedata.combining(text[end]) or text[end] in '\u200d\ufe0f' or text[end - 1] == '\u200d'):
        end -= 1
    return end
