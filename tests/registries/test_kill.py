"""The short form of `benchmarks/soak_registries.py`: syncs that are killed at some of the points where they write."""

from __future__ import annotations

import pytest

from benchmarks.soak_registries import WORLDS, kill_everywhere


@pytest.mark.parametrize('world', WORLDS)
def test_a_killed_sync_leaves_the_old_or_the_new_state(world: str):
    died, new = kill_everywhere(world, 'audit', [1, 8, 21, 55])
    assert died >= 4
    assert new < died
