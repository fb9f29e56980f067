"""One line of the table that `scripts/bench` prints."""

from __future__ import annotations

from dataclasses import dataclass


class Unavailable(Exception):
    """Raised by `rows()` where this machine lacks what the rows need; the message says what."""


@dataclass(frozen=True)
class Row:
    """What one piece of work costs here, what it costs elsewhere, and what it is to reach."""

    work: str
    """What was measured, for a reader who has not seen the code."""

    ours: float
    """Seconds, best of several."""

    yardstick: float | None = None
    """Seconds that `pydantic-ai-skills` 2.1.0 takes for the same; `None` where it cannot do it."""

    reach: float | None = None
    """At most this times `yardstick`, or `reference` where there is one. `None`: no target of this kind."""

    reference: float | None = None
    """Seconds of something else to compare with, such as the bare subprocess or `cp -r`."""

    reference_name: str = ''
    """What `reference` is."""

    reach_seconds: float | None = None
    """At most this many seconds."""

    failures: tuple[str, ...] = ()
    """Conditions that do not hold, whatever the time: each makes the row miss."""

    @property
    def ratio(self) -> float | None:
        """Ours over the reference where there is one, else over the yardstick."""
        other = self.yardstick if self.reference is None else self.reference
        return None if other is None else self.ours / other

    @property
    def met(self) -> bool | None:
        """Whether every target is reached; `None` where there is none."""
        if self.failures:
            return False
        checks: list[bool] = []
        if self.reach is not None:
            checks.append(self.ratio is not None and self.ratio <= self.reach)
        if self.reach_seconds is not None:
            checks.append(self.ours <= self.reach_seconds)
        return all(checks) if checks else None
