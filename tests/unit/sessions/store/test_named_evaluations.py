"""Evaluations named by the user: by id, by an end of one, by suite; and what a wrong name gets."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
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
    assert refused(store, "products", strict=True) == (
        f"'products' is no id, but a name: {products}."
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


def with_id(store: Store, eval_id: str, suite: str) -> None:
    info = EvalInfo(id=eval_id, suite=suite, digest="d", model="m", began_at=1.0)
    tasks = (Task(id="t", problem="1 + 1?", target="2"),)
    made = Suite(name=suite, tasks=tasks, scorers={"": "number"})
    ledger.create(store, info, ledger.EvalPlan(suite=made, settings=load({})))


def test_a_suite_counts_before_a_part_of_an_id(store: Store) -> None:
    for suite, eval_id in (
        ("b", "20261121-101112-aaaaa"),
        ("s", "20261121-101113-b3cbd"),
        ("t", "20261121-101114-3333b"),
        ("kmnp", "20261121-101115-22222"),
        ("u", "20261121-101116-7kmnp"),
    ):
        with_id(store, eval_id, suite)
    assert ledger.summary(store, "b").info.suite == "b"
    assert ledger.summary(store, "kmnp").info.suite == "kmnp"
    assert "'kmnp' is no id, but a name: 20261121-101115-22222." in refused(
        store, "kmnp", strict=True
    )


def test_only_the_ends_of_the_parts_of_an_id_name_its_evaluation(store: Store) -> None:
    with_id(store, first := "20261121-101112-24bq8", "s")
    with_id(store, second := "20261122-101213-8bqaa", "s")
    for name in ("24b", "q8", "24bq8", "101112", "1112", "20261121", "20261121-10"):
        assert ledger.summary(store, name).info.id == first
    assert refused(store, "8") == (
        f"'8' matches 2 evaluations: {second} and {first}. Type more of the id."
    ), "one ends with it, one begins its last part with it"
    assert refused(store, "bq").startswith("There is no evaluation 'bq', but there is")


def test_an_irreversible_action_takes_four_characters_of_either_end(store: Store) -> None:
    with_id(store, eval_id := "20261121-101112-24bq8", "s")
    for name in ("24bq8", "4bq8", "2026"):
        assert ledger.summary(store, name, strict=True).info.id == eval_id
    assert "too short" in refused(store, "bq8", strict=True)
    assert refused(store, "zzz", strict=True) == refused(store, "zzz"), "it names none"
    assert "There is no evaluation whose id begins or ends with '24bq'" in refused(
        store, "24bq", strict=True
    )
