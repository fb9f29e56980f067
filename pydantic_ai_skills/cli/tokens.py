"""How large a text is for a model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

CHARACTERS_PER_TOKEN = 4
"""The usual rule for English text and code; what it gives is an estimate and is shown as one."""

_PATIENCE = 1.0  # seconds: tiktoken downloads its tables at first use, and this is no command that uses the network


def token_count(text: str) -> int:
    """Tokens of a text: by `tiktoken` (`o200k_base`) where it is ready, else characters by `CHARACTERS_PER_TOKEN`."""
    encode = _encoder()
    return -(-len(text) // CHARACTERS_PER_TOKEN) if encode is None else len(encode(text))


def token_text(text: str) -> str:
    """The size of a text for people: `123 tokens`, or `about 123 tokens` where it is an estimate."""
    return f'{"about " if is_estimate() else ""}{token_count(text):,} tokens'


def is_estimate() -> bool:
    """Whether counts are estimates, since `tiktoken` is not installed or has no tables yet."""
    return _encoder() is None


@lru_cache(maxsize=1)
def _encoder() -> Callable[[str], list[int]] | None:
    if find_spec('tiktoken') is None:
        return None
    loaded: list[Any] = []
    thread = threading.Thread(target=_load, args=(loaded,), daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return None if not loaded else lambda text: loaded[0].encode(text, disallowed_special=())


def _load(loaded: list[Any]) -> None:
    try:
        import tiktoken  # pyright: ignore[reportMissingImports] - optional, not in any extra

        loaded.append(tiktoken.get_encoding('o200k_base'))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    except Exception:  # no tables and no network: then an estimate it is
        return
