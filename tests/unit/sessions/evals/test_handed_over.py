"""An evaluation that is handed to a program of its own never looks interrupted meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox_tui.core.base.errors import ResumeRefused, SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals import detached
from sandbox_tui.sessions.evals.evaluation import Evaluation, begin_evaluation
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.screens.evals.source import RecordedEval


def begun(store: Store) -> Evaluation:
    tasks = (Task(id="a", problem="?", target="4"),)
    suite = Suite(name="sums", tasks=tasks, scorers={"": "exact"}, modes=("vanilla",))
    return begin_evaluation(store, suite, load({"model.name": "m"}), concurrency=1)


def test_it_runs_from_the_first_moment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def start(*_: Any) -> None:
        seen.append(ledger.summary(store).status)

    monkeypatch.setattr(detached, "_start", start)
    detached.hand_over(store, begun(store), "")
    assert seen == ["running"]


def test_one_whose_program_cannot_start_is_interrupted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: Any) -> None:
        raise SandboxTuiError("The evaluation's program cannot start: no memory.")

    monkeypatch.setattr(detached, "_start", start)
    with pytest.raises(SandboxTuiError, match="no memory"):
        detached.hand_over(store, begun(store), "")
    assert ledger.summary(store).status == "interrupted"


def test_only_the_program_that_hands_it_over_gives_it_away(store: Store) -> None:
    eval_id = begun(store).info.id
    giver = ProcessIdentity(7, "2", "login-1")  # alive, as far as this host can tell
    with store.transaction() as connection:
        connection.execute(
            "UPDATE evals SET owner_pid = ?, owner_started = ?, owner_host = ?", [*giver]
        )
    with pytest.raises(ResumeRefused):
        ledger.take_ownership(store, eval_id, ProcessIdentity.parent())
    ledger.take_ownership(store, eval_id, giver)
    assert ledger.summary(store).owner == ProcessIdentity.this_process()


def test_one_that_is_resumed_runs_as_soon_as_it_is_claimed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    eval_id = begun(store).info.id
    ledger.release(store, eval_id)
    assert ledger.summary(store).status == "interrupted"
    detached.claim(store, eval_id)
    assert ledger.summary(store).status == "running"
    source = RecordedEval(ledger.summary(store), store)
    reading = source.read()
    assert reading is not None
    assert (reading.state, source.is_starting) == ("running", True)
    assert (source.program, source.without_activity) == (
        "in its own program, which is starting",
        "starting",
    )

    def start(*_: Any) -> None:
        raise SandboxTuiError("The evaluation's program cannot start: no memory.")

    monkeypatch.setattr(detached, "_start", start)
    with pytest.raises(SandboxTuiError, match="no memory"):
        detached.resume(store, eval_id, "")
    assert ledger.summary(store).status == "interrupted"
