"""Evaluations named by the user: by id, by a part of one, by suite; and what a wrong name gets."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.store.tables import eval_ledger as ledger


def begun(store: Store, suite: str) -> str:
    tasks = (Task(id="t", problem="1 + 1?", target="2"),)
    settings = load({"model.name": "m", "model.base_url": "http://127.0.0.1:9/v1"})
    made = Suite(name=suite, tasks=tasks, modes=("vanilla",), scorers={"": "number"})
    return begin_evaluation(store, made, settings, concurrency=1).info.id


def refused(store: Store, name: str, *, strict: bool = False) -> str:
    with pytest.raises(StoreError) as caught:
        ledger.summary(store, name, strict=strict)
    return str(caught.value)


def test_an_evaluation_is_found_by_id_part_and_suite(store: Store) -> None:
    sums, products = begun(store, "sums"), begun(store, "products")
    for name in (sums, sums[-4:], "sums"):
        assert ledger.summary(store, name).info.id == sums
    assert ledger.summary(store).info.id == products
    assert "There is no evaluation whose id begins with 'products'" in refused(
        store, "products", strict=True
    )


def test_a_suite_that_ran_several_times_is_told_with_ids(store: Store) -> None:
    ids = [begun(store, "sums") for _ in range(4)][::-1]
    assert refused(store, "sums") == (
        f"Several evaluations have the name 'sums': {ids[0]}, {ids[1]}, {ids[2]} and others."
    )


def test_a_wrong_name_is_answered_with_what_exists(store: Store) -> None:
    assert refused(store, "nowhere") == ledger.NO_EVALUATION
    sums = begun(store, "sums")
    assert refused(store, "nowhere") == (
        f"There is no evaluation 'nowhere', but there is {sums} (sums)."
    )


def test_any_part_of_an_id_names_its_evaluation(store: Store) -> None:
    ids = [begun(store, "sums") for _ in range(2)]
    middle = ids[0][-4:-1]
    assert ids[0].endswith(middle) is False
    assert ledger.summary(store, middle).info.id == ids[0]
    assert refused(store, ids[0][2:6]) == (
        f"'{ids[0][2:6]}' matches 2 evaluations: {ids[1]} and {ids[0]}. Type more of the id."
    )
    assert "There is no evaluation" in refused(store, ids[0][-4:], strict=True)
