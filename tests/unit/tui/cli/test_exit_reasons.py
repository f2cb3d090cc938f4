"""What the program prints last about a run that its screen showed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.tui.cli.show_app import _failure_with_next_step, _reached_limit
from tests.unit.event_streams import started


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.db") as opened:
        yield opened


@pytest.mark.parametrize(("reason", "is_limit"), [("max_steps", True), ("model_error", False)])
def test_only_a_limit_is_said_by_the_outcome(
    store: Store, reason: e.FinishReason, is_limit: bool
) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason=reason, error="why", totals=e.Totals())
    store.append("r", [started("r"), end])
    assert _reached_limit(store, "r") is is_limit
    assert not _reached_limit(store, "never-recorded")


def test_a_run_that_was_cut_off_is_named(store: Store) -> None:
    store.append("r", [started("r")])
    failure = ProgramExited("It has exited.")
    said = str(_failure_with_next_step(store, "r", failure))
    assert said.startswith("It has exited. `sandbox-tui ")
    assert said.endswith(" it.")
    assert " r` " in said


def test_other_failures_stay_as_they_are(store: Store) -> None:
    failure = SandboxError("No engine answers.")
    assert _failure_with_next_step(store, "r", failure) is failure
    gone = ProgramExited("It has exited.")
    assert _failure_with_next_step(store, "never-recorded", gone) is gone
