"""The list of evaluations, read again and again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.newest_summaries import NewestSummaries

SUITE = Suite(name="sums", tasks=(Task(id="a", problem="?", target="4"),), modes=("vanilla",))


def add(store: Store, *names: str) -> None:
    plan = ledger.EvalPlan(suite=SUITE, settings=load({}))
    for at, name in enumerate(names):
        ledger.create(
            store, EvalInfo(id=name, suite="sums", digest="", model="m", began_at=float(at)), plan
        )


def end(store: Store, name: str) -> None:
    (sample,) = ledger.results(store, name)
    ledger.finish(store, name, msgspec.structs.replace(sample, status="scored"))
    ledger.release(store, name)


def test_it_reads_what_the_ledger_has_at_every_time(store: Store) -> None:
    newest = NewestSummaries(store, 10)
    assert newest.read() == []
    add(store, "first", "second", "third")
    for change in (
        lambda: end(store, "first"),
        lambda: ledger.release(store, "second", "You stopped it."),
        lambda: ledger.take_ownership(store, "second"),
        lambda: end(store, "second"),
        lambda: ledger.delete(store, "third"),
    ):
        assert newest.read() == ledger.summaries(store)
        change()
        assert newest.read() == ledger.summaries(store)


def test_only_running_and_changed_ones_are_counted_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[list[str]] = []
    count = ledger.summaries_of

    def counting(store: Store, ids: Any) -> list[ledger.EvalSummary]:
        counted.append(list(ids))
        return count(store, ids)

    monkeypatch.setattr(ledger, "summaries_of", counting)
    newest = NewestSummaries(store, 10)
    add(store, "first", "second")
    end(store, "first")
    newest.read()
    newest.read()
    end(store, "second")
    newest.read()
    newest.read()
    assert counted == [["second", "first"], ["second"], ["second"]]
