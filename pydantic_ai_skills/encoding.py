"""Text that can be sent: Python keeps bytes of file names that are not UTF-8, and half of an escaped pair, as surrogates.

No text for a model can hold one: the request could not be encoded, and the run would end.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile('[\ud800-\udfff]')


def is_encodable(text: str) -> bool:
    """Whether `text` can be encoded as UTF-8."""
    return text.isascii() or _SURROGATE.search(text) is None


def encodable(text: str) -> str:
    """`text` with U+FFFD for each surrogate; itself if it has none."""
    return text if text.isascii() else _SURROGATE.sub('\ufffd', text)
