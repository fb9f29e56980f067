"""Many registries at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from .base import SkillRegistry


def sync_all(registries: Sequence[SkillRegistry]) -> list[Path | Exception]:
    """Sync several registries at the same time; each one's library, or what it raised, in their order."""
    results: list[Path | Exception] = [RuntimeError('not synced') for _ in registries]

    def sync_one(position: int) -> None:
        try:
            results[position] = registries[position].sync()
        except Exception as error:  # the caller decides what a failure means
            results[position] = error

    threads = [threading.Thread(target=sync_one, args=(n,), daemon=True) for n in range(len(registries))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
