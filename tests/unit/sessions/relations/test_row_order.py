"""The orders of the rows of the list of sessions."""

from __future__ import annotations

import pytest

from sandbox_tui.sessions.relations.rows.arrange import rows_of
from sandbox_tui.sessions.relations.rows.order import ORDERS, Order, next_order
from sandbox_tui.tui.format.outcome import short_outcome
from tests.unit.sessions.relations.test_listing import ALONE, evaluation, run

LAUNCH = "20261121-104238-"


def ids(order: Order, *runs: object) -> list[str]:
    return [row.key for row in rows_of([(one, ALONE) for one in runs], [], order=order)]  # type: ignore[misc]


def test_runs_of_one_launch_are_in_the_order_of_the_form_however_they_started() -> None:
    started = {"a": 2.4, "b": 2.1, "c": 2.9, "d": 2.0}
    launched = [run(f"{LAUNCH}{name}", began) for name, began in started.items()]
    launched.sort(key=lambda one: -one.started_at)
    others = [run("20261121-104239-x", 3.0), run("20261121-104237-y", 1.0)]
    found = ids("newest", others[0], *launched, others[1])
    assert [one[-1] for one in found] == ["x", "a", "b", "c", "d", "y"]


def test_groups_of_samples_of_one_launch_are_in_the_order_of_the_form() -> None:
    runs = [
        run(f"{LAUNCH}{name}", began, samples=group)
        for name, began, group in (
            ("a", 1.0, "s"),
            ("b", 4.0, "s"),
            ("c", 9.0, "t"),
            ("d", 2.0, "t"),
        )
    ]
    assert ids("newest", *reversed(runs)) == ["samples s", "samples t"]


def test_an_evaluation_is_no_launch() -> None:
    found = rows_of([(run(f"{LAUNCH}a", 1.0), ALONE)], [evaluation(f"{LAUNCH}e", 2.0)])
    assert [row.key for row in found] == [f"{LAUNCH}e", f"{LAUNCH}a"]


@pytest.mark.parametrize("order", ORDERS)
def test_what_waits_comes_first_in_every_order(order: Order) -> None:
    family = [
        (run(name, began, outcome="running", model=name, output_tokens=int(began)), ALONE)
        for name, began in (("d", 4.0), ("c", 3.0), ("b", 2.0), ("a", 1.0))
    ]
    keys = [row.key for row in rows_of(family, [], waiting={"a", "c"}, order=order)]
    assert set(keys[:2]) == {"a", "c"}


def test_outcomes_that_read_alike_are_adjacent() -> None:
    family = [
        (run("e", 5.0, outcome="running"), ALONE),
        (run("d", 4.0, outcome="running", paused=True), ALONE),
        (run("c", 3.0, outcome="running"), ALONE),
        (run("b", 2.0, outcome="running", paused=True), ALONE),
    ]
    found = rows_of(family, [], order="outcome", outcome_of=short_outcome)
    assert "".join(row.key for row in found) == "dbec"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("newest", "dcba"),
        ("outcome", "acdb"),
        ("model", "cdab"),
        ("tokens", "bdca"),
        ("time", "cbad"),
        ("cost", "dbca"),
    ],
)
def test_each_order(order: Order, expected: str) -> None:
    runs = [
        run("d", 4.0, outcome="time_limit", model="Beta", output_tokens=5, seconds=1.0, cost=2.0),
        run("c", 3.0, outcome="max_steps", model="alpha", output_tokens=3, seconds=9.0),
        run("b", 2.0, outcome="submitted", model="z", input_tokens=9, seconds=5.0, cost=0.5),
        run("a", 1.0, outcome="running", model="gamma", seconds=2.0),
    ]
    assert "".join(ids(order, *runs)) == expected


def test_evaluations_come_after_the_sessions_except_by_model() -> None:
    family = [(run("a", 1.0, model="z", cost=1.0), ALONE)]
    assert [row.key for row in rows_of(family, [evaluation("e", 2.0)], order="cost")] == ["a", "e"]
    assert [row.key for row in rows_of(family, [evaluation("e", 2.0)], order="model")] == ["e", "a"]


def test_the_orders_go_round() -> None:
    assert [next_order(order) for order in ORDERS] == [*ORDERS[1:], ORDERS[0]]
