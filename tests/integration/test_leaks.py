"""A program that runs for days must not accumulate anything from its runs."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest

from tests.integration.conftest import require
from tests.perf.leaks import growth

RUNS = 20
MOST_MEMORY = 12_000_000
"""In bytes: room for SQLite's page cache and heap fluctuations, but not for a run's record."""


async def test_many_runs_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before, after = await growth(tmp_path, RUNS)
    assert dataclasses.replace(after, memory=0) == dataclasses.replace(before, memory=0)
    assert after.memory - before.memory < MOST_MEMORY
