"""Queries for rare kinds of events use the partial index on the kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables.events import INDEXED_KINDS, first_after_last, last_of_kind
from tests.unit.event_streams import started
from tests.unit.sample_run import sample


def queries_of(store: Store, do: Callable[[], object]) -> list[str]:
    """Return the query plans for `events` of the queries that `do` runs."""
    statements: list[str] = []
    with store.autocommit() as connection:
        connection.set_trace_callback(statements.append)
        do()
        connection.set_trace_callback(None)
    plans: list[str] = []
    for query in statements:
        if "events" in query and "kind" in query and not query.startswith("INSERT INTO events"):
            plans += [row["detail"] for row in store.rows(f"EXPLAIN QUERY PLAN {query}")]
    return [plan for plan in plans if " events " in f"{plan} "]


def test_events_of_a_kind_are_found_without_reading_the_others(store: Store) -> None:
    events: list[e.AnyEvent] = [started()]
    events += [e.Warned(seq=n, t=float(n), text=str(n)) for n in range(2, 50)]
    store.append("r", events)
    end = e.RunFinished(seq=50, t=50.0, reason="submitted", error="x", totals=e.Totals())
    for do in (lambda: store.append("r", [end]), lambda: store.delete("r")):
        plans = queries_of(store, do)
        assert plans
        assert all("events_by_kind (run_id=? AND kind=?" in plan for plan in plans), plans


@pytest.mark.parametrize("kind", sorted(INDEXED_KINDS))
def test_the_last_event_of_a_kind_is_looked_up_in_the_index(store: Store, kind: str) -> None:
    store.append("r", sample("plain")[0])
    plans = queries_of(store, lambda: last_of_kind(store, "r", kind))
    assert plans[0] == "SEARCH events USING COVERING INDEX events_by_kind (run_id=? AND kind=?)"
    plans = queries_of(store, lambda: first_after_last(store, ["r"], kind, ["Warned"]))
    assert "SEARCH events USING COVERING INDEX events_by_kind (run_id=? AND kind=?)" in plans
    assert not any(plan.startswith("SCAN events") for plan in plans), plans


def test_a_kind_that_is_not_in_the_index_is_not_looked_up(store: Store) -> None:
    with pytest.raises(ValueError, match="TerminalOutput"):
        last_of_kind(store, "r", "TerminalOutput")
