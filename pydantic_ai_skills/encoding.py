"""Text that can be sent: Python keeps bytes of file names that are not UTF-8, and half of an escaped pair, as surrogates.

No text for a model can hold one: the request could not be encoded, and the run would end.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile('[\ud800-\udfff]')


def is_encodable(text: str) -> bool:
    """Whether `text` can be encoded as UTF-8."""
    return text.isascii() or _SURROGATE.search(text) is None


def quoted(text: str, limit: int = 200) -> str:
    """`text` in quotes as a message says back what a model sent: on one line, and no more than `limit` characters of it."""
    return repr(text) if len(text) <= limit else f'{text[:limit]!r} (and {len(text) - limit:,} characters more)'


def encodable(text: str) -> str:
    """`text` with U+FFFD for each surrogate; itself if it has none."""
    return text if text.isascii() else _SURROGATE.sub('\ufffd', text)
