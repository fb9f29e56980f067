"""Many registries at once."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from .base import SkillRegistry
from .telling import findings_collected
from .work import Cancellation, Progress, T, run_all

_AT_ONCE = 16


def sync_all(registries: Sequence[SkillRegistry], *, progress: Progress | None = None) -> list[Path | Exception]:
    """Sync several registries at the same time; each one's library, or what it raised, in their order.

    What they notice (`diagnostics`) is not given as warnings: the caller has it.

    Ctrl-C ends it at once: what still runs is told so, its child processes are killed, and nobody waits for a silent
    socket.

    Args:
        registries: What to sync. One that occurs twice is synced once.
        progress: Told of each phase, with the registry's repr before it: `"GitSkillsRegistry('…'): fetch"`.
    """
    distinct = list({id(registry): registry for registry in registries}.values())
    jobs = [partial(sync_registry, registry, _labelled(registry, progress)) for registry in distinct]
    with findings_collected():
        results = run_all(jobs, _AT_ONCE, fail_fast=False)
    by_registry = {id(registry): result for registry, result in zip(distinct, results, strict=True)}
    return [by_registry[id(registry)] for registry in registries]


def sync_registry(registry: SkillRegistry, progress: Progress | None) -> Path:
    """Sync a registry; one of the user's own is told of `progress` only if its `sync` takes it.

    Raises:
        TypeError: it does not return a path.
    """
    parameters = inspect.signature(registry.sync).parameters.values()
    takes_progress = any(item.name == 'progress' or item.kind is inspect.Parameter.VAR_KEYWORD for item in parameters)
    options: dict[str, Any] = {'progress': progress} if takes_progress and progress is not None else {}
    library: object = registry.sync(**options)
    if not isinstance(library, (str, Path)):
        raise TypeError(f'{registry!r}: sync() must return the path of a library, not {library!r}.')
    return Path(os.path.abspath(library))


async def sync_all_async(
    registries: Sequence[SkillRegistry], *, progress: Progress | None = None
) -> list[Path | Exception]:
    """`sync_all` without blocking the event loop; a cancelled caller goes on at once and the syncs end soon after."""
    return await run_in_thread(partial(sync_all, registries, progress=progress))


async def run_in_thread(function: Callable[[], T]) -> T:
    """Run what may sync registries without blocking the event loop; errors as `function`.

    A cancelled caller goes on at once, as on Ctrl-C, and the syncs end soon after, with their child processes.
    """
    given_up = Cancellation()

    def work() -> T:
        with given_up.governing():
            return function()

    try:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except BaseException:
        given_up.set()
        raise


def _labelled(registry: SkillRegistry, progress: Progress | None) -> Progress | None:
    if progress is None:
        return None

    def labelled(phase: str, done: int, total: int | None) -> None:
        progress(f'{registry!r}: {phase}', done, total)

    return labelled
