"""Filters that compare numbers."""

from __future__ import annotations

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.search.number_filters import NumberFilter, number_filter
from tests.unit.event_streams import started


@pytest.mark.parametrize(
    ("name", "text", "sign", "value"),
    [
        ("tokens", ">5000", ">", 5000),
        ("tokens", "<=5k", "<=", 5000),
        ("tokens", ">1.5M", ">", 1_500_000),
        ("cost", "<$.5", "<", 0.5),
        ("cost", "=2", ">=", 2),
        ("steps", "10", ">=", 10),
        ("time", ">10m", ">", 600),
        ("time", ">90", ">", 90),
        ("time", "<1.5h", "<", 5400),
        ("time", "<.5H", "<", 1800),
        ("time", ">1h30m", ">", 5400),
        ("time", "1h 30min", ">=", 5400),
    ],
)
def test_comparisons(name: str, text: str, sign: str, value: float) -> None:
    assert number_filter(name, text) == NumberFilter(name=name, sign=sign, value=value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tokens", ">x"),
        ("tokens", ">$5"),
        ("steps", ">1k"),
        ("time", ">1y"),
        ("time", ">30m1h"),
        ("time", ">"),
        ("time", ">$5"),
        ("cost", "<5k"),
        ("tokens", ">5d"),
        ("cost", "<"),
        ("cost", "<>1"),
    ],
)
def test_what_is_no_comparison(name: str, text: str) -> None:
    assert number_filter(name, text) is None


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("tokens>5000", "b"),
        ("tokens>=5000", "ab"),
        ("tokens<5001", "ac"),
        ("cost>0.1", "b"),
        ("steps>10", "b"),
        ("steps>2 steps<=10", "a"),
        ("time>10m alpha", "b"),
        ("time>0h9m59s", "ab"),
        ("time<1m", "c"),
    ],
)
def test_sessions_are_found_by_their_numbers(store: Store, query: str, wanted: str) -> None:
    figures = {
        "a": (10, 3000, 2000, 0.1, 600.0),
        "b": (11, 5000, 1, 0.2, 601.0),
        "c": (0, None, None, None, 1.0),
    }
    for run_id, values in figures.items():
        store.append(run_id, [started(run_id, task="alpha")])
        with store.transaction() as connection:
            connection.execute(
                "UPDATE runs SET steps = ?, input_tokens = ?, output_tokens = ?, cost = ?,"
                " seconds = ? WHERE id = ?",
                (*values, run_id),
            )
    assert {hit.run.id for hit in search(store, query)} == set(wanted)
