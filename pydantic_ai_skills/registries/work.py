"""How a sync works: it reports progress, ends at once when it is cancelled, and does slow things side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Generic, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Told the phase, how much of it is done, and how much there is (`None`: not known). May be called from any thread."""

T = TypeVar('T')

STARTING = threading.Lock()
"""Held while a child process is started and the way to end it is registered, so that none slips through between."""

_POLL_SECONDS = 0.1


class SyncCancelled(BaseException):
    """The sync was given up by whoever asked for it. No `Exception`, so nothing takes it for a failure of the source."""


class Cancellation:
    """Says that work has been given up: to what asks now and then, and at once to what has left a callback."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def is_set(self) -> bool:
        """Whether the work has been given up."""
        return self._event.is_set()

    def set(self) -> None:
        """Give the work up."""
        with self._lock:
            self._event.set()
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Generator[None]:
        """Have `callback` called, by whoever gives the work up, if that happens in this block or has already."""
        with self._lock:
            self._callbacks.append(callback)
            already = self._event.is_set()
        try:
            if already:
                callback()
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)

    @contextmanager
    def governing(self) -> Generator[None]:
        """Make the work in this block, and what it starts, end soon after this is set."""
        with calling_if_cancelled(self.set):
            token = _current.set(self)
            try:
                yield
            finally:
                _current.reset(token)


_current: ContextVar[Cancellation | None] = ContextVar('pydantic_ai_skills_sync_cancellation', default=None)


def silent(phase: str, done: int, total: int | None) -> None:
    """The `Progress` of a sync that nobody watches."""


def check_cancelled() -> None:
    """Raise where this sync has been given up.

    Raises:
        SyncCancelled: it has.
    """
    cancellation = _current.get()
    if cancellation is not None and cancellation.is_set():
        raise SyncCancelled


@contextmanager
def calling_if_cancelled(callback: Callable[[], object]) -> Generator[None]:
    """Have `callback` called if this sync is given up in the block; from another thread, so it must be quick."""
    cancellation = _current.get()
    if cancellation is None:
        yield
    else:
        with cancellation.calling(callback):
            yield


def run_all(jobs: Sequence[Callable[[], T]], limit: int, *, fail_fast: bool) -> list[T | Exception]:
    """Run jobs in at most `limit` threads; each one's result or error, in their order.

    The threads are daemons and are not waited for when the caller is interrupted, so Ctrl-C ends at once even while
    a socket is silent. They see the interruption by `check_cancelled`.

    Args:
        jobs: What to run.
        limit: Threads at most.
        fail_fast: Raise the first error instead of returning it, and give up what has not been done.

    Raises:
        SyncCancelled: the sync that these jobs belong to was given up.
    """
    batch = _Batch(jobs, fail_fast)
    with calling_if_cancelled(batch.give_up.set):
        try:
            for _ in range(min(limit, len(jobs))):
                threading.Thread(target=copy_context().run, args=(batch.work,), daemon=True).start()
            while not batch.done.wait(_POLL_SECONDS):
                check_cancelled()
        except BaseException:
            batch.give_up.set()
            with STARTING:  # what was just being started has been ended too
                pass
            raise
    if batch.first_error is not None:
        raise batch.first_error
    return [batch.results[position] for position in range(len(jobs))]


class _Batch(Generic[T]):
    def __init__(self, jobs: Sequence[Callable[[], T]], fail_fast: bool) -> None:
        self.results: dict[int, T | Exception] = {}
        self.first_error: BaseException | None = None
        self.done, self.give_up = threading.Event(), Cancellation()
        self._jobs, self._fail_fast = list(enumerate(jobs))[::-1], fail_fast
        self._count, self._lock = len(jobs), threading.Lock()
        if not jobs:
            self.done.set()

    def work(self) -> None:
        with self.give_up.governing():
            while not self.give_up.is_set():
                with self._lock:
                    if not self._jobs:
                        return
                    position, job = self._jobs.pop()
                try:
                    result: T | Exception = job()
                except Exception as error:
                    result = error
                except BaseException as error:  # given up, or the interpreter ends
                    self._finish(error)
                    return
                self._note(position, result)

    def _note(self, position: int, result: T | Exception) -> None:
        with self._lock:
            self.results[position] = result
            complete = len(self.results) == self._count
        if isinstance(result, Exception) and self._fail_fast:
            self._finish(result)
        elif complete:
            self.done.set()

    def _finish(self, error: BaseException) -> None:
        with self._lock:
            self.first_error = self.first_error or error
        self.give_up.set()
        self.done.set()
