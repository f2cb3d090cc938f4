"""The rows of the list of sessions."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.sessions.relations.listing import (
    EvalRow,
    SamplesRow,
    SessionRow,
    runs_of,
)
from sandbox_tui.sessions.relations.rows.arrange import rows_of
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary

ALONE = Lineage()


def run(id_: str, began: float, task: str = "a task", **more: object) -> RunSummary:
    made = RunSummary(
        **{"id": id_, "task": task, "model": "m", "sandbox": "docker", "title": None},
        **{"started_at": began, "ended_at": None, "outcome": "submitted", "error": None},
        **{"answer": None, "results_dir": None, "steps": 1, "calls": 0, "failed_calls": 0},
        **{"input_tokens": 0, "output_tokens": 0, "cost": None, "seconds": 1.0, "last_seq": 1},
        **{"parent": None, "parent_seq": None},
    )
    return replace(made, **more)  # type: ignore[arg-type]


def evaluation(id_: str, began: float) -> EvalSummary:
    info = EvalInfo(id=id_, suite="pocket", digest="", model="m", began_at=began)
    return EvalSummary(info, samples=4, over=1, running=True)


def keys(rows: list[SessionRow | SamplesRow | EvalRow]) -> list[str]:
    return [row.key for row in rows]


def test_samples_of_a_task_are_one_row_until_it_is_opened() -> None:
    runs = [run("c", 3.0, samples="s"), run("z", 2.5), run("b", 2.0, samples="s")]
    family = [(one, ALONE) for one in runs]
    rows = rows_of(family, [])
    assert keys(rows) == ["samples s", "z"]
    assert [one.id for one in runs_of(rows[0])] == ["b", "c"]
    assert keys(rows_of(family, [], opened={"samples s"})) == ["samples s", "b", "c", "z"]


def test_samples_keep_their_numbers_and_all_but_the_last_branch_go_on() -> None:
    runs = [run(name, 9.0, samples="s", sample=n) for name, n in (("a", 4), ("b", 1), ("c", 2))]
    _, *rows = rows_of([(one, ALONE) for one in runs], [], opened={"samples s"})
    shown = [(row.key, row.sample, row.closes) for row in rows if isinstance(row, SessionRow)]
    assert shown == [("b", 1, (False,)), ("c", 2, (False,)), ("a", 4, (True,))]


def test_a_tree_of_forks_draws_a_line_to_each_later_fork() -> None:
    depths = {"root": 0, "a": 1, "a1": 2, "a2": 2, "b": 1}
    family = [(run(name, 1.0), Lineage(depth=depth)) for name, depth in depths.items()]
    closes = {row.key: row.closes for row in rows_of(family, []) if isinstance(row, SessionRow)}
    assert closes == {
        "root": (),
        "a": (False,),
        "a1": (False, False),
        "a2": (False, True),
        "b": (True,),
    }


def group_with_forks() -> list[tuple[RunSummary, Lineage]]:
    """Three samples, the first of which has a fork with a fork of its own."""
    numbers = {"a": 1, "b": 2, "c": 3}
    samples = [run(name, 2.0, samples="s", sample=n, answer=name) for name, n in numbers.items()]
    fork = run("f", 9.0, samples="s", sample=1, parent="a", answer="f")
    again = run("g", 8.0, samples="s", sample=1, parent="f", answer="f")
    tree = [(samples[0], ALONE), (fork, Lineage(depth=1)), (again, Lineage(depth=2))]
    return [*tree, (run("new", 5.0), ALONE), *((one, ALONE) for one in samples[1:])]


def test_a_forked_sample_stays_in_its_group_and_the_forks_do_not_count() -> None:
    row, *others = rows_of(group_with_forks(), [])
    assert isinstance(row, SamplesRow)
    assert [one.id for one in row.runs] == ["a", "b", "c"]
    assert [one.id for one in row.forks] == ["f", "g"]
    assert row.answers == [("a", 1), ("b", 1), ("c", 1)]
    assert row.outcomes == [("submitted", 3)]
    assert row.began_at == 9.0, "a group with a new fork goes up"
    assert [one.id for one in runs_of(row)] == ["a", "b", "c", "f", "g"]
    assert [one.key for one in others] == ["new"]


def test_forks_of_a_sample_stand_below_it_in_the_open_group() -> None:
    _, *rows = rows_of(group_with_forks(), [], opened={"samples s"})
    shown = [(r.key, r.sample, r.fork_of, r.closes) for r in rows if isinstance(r, SessionRow)]
    assert shown == [
        ("a", 1, None, (False,)),
        ("f", None, 1, (False, True)),
        ("g", None, 1, (False, True, True)),
        ("b", 2, None, (False,)),
        ("c", 3, None, (True,)),
        ("new", None, None, ()),
    ]


def test_a_group_comes_first_if_a_fork_of_a_sample_waits() -> None:
    newest = (run("newest", 99.0), ALONE)
    row = rows_of([newest, *group_with_forks()], [], waiting={"g"})[0]
    assert isinstance(row, SamplesRow)
    assert row.waiting == {"g"}


def test_runs_of_separate_commands_are_separate_rows() -> None:
    runs = [run("again", 2.0), run("first", 1.0), run("left", 0.9, samples="s")]
    assert keys(rows_of([(one, ALONE) for one in runs], [])) == ["again", "first", "left"]


def test_a_session_with_forks_keeps_them_below_it() -> None:
    family = [
        (run("parent", 1.0), ALONE),
        (
            run("fork", 5.0, parent="parent"),
            Lineage(depth=1, origin=ForkOrigin(parent="parent", step=2)),
        ),
        (run("alone", 0.5), ALONE),
    ]
    assert keys(rows_of(family, [])) == ["parent", "fork", "alone"]


def test_evaluations_stand_among_the_sessions_by_age() -> None:
    family = [(run("new", 30.0), ALONE), (run("old", 10.0, task="old"), ALONE)]
    rows = rows_of(family, [evaluation("newest", 40.0), evaluation("middle", 20.0)])
    assert keys(rows) == ["newest", "new", "middle", "old"]
    assert runs_of(rows[0]) == ()


def test_what_waits_for_a_person_comes_first() -> None:
    family = [(run("b", 2.0), ALONE), (run("a", 1.0, task="other"), ALONE)]
    assert keys(rows_of(family, [evaluation("e", 3.0)], waiting={"a"})) == ["a", "e", "b"]


def test_answers_and_outcomes_of_samples_are_tallied() -> None:
    answers = ["42\n", "42", "17", "a part of it"]
    runs = [run(str(n), 9.0 - n, answer=answer, samples="s") for n, answer in enumerate(answers)]
    runs[3] = replace(runs[3], outcome="max_steps")
    (row,) = rows_of([(one, ALONE) for one in runs], [])
    assert isinstance(row, SamplesRow)
    assert row.answers == [("42", 2), ("17", 1)], "only submitted answers count"
    assert row.leftovers == 1
    assert row.outcomes == [("submitted", 3), ("max_steps", 1)]


def test_a_sample_that_waits_is_not_counted_as_running_too() -> None:
    runs = [run(name, 9.0, samples="s", outcome="running") for name in "abc"]
    (row,) = rows_of([(one, ALONE) for one in runs], [], waiting={"a", "b", "z"})
    assert isinstance(row, SamplesRow)
    assert row.waiting == {"a", "b"}
    assert row.outcomes == [("running", 1)]


labels = st.sampled_from([None, "x", "y"])
begun = st.lists(st.tuples(labels, st.floats(0, 2000)), max_size=12)


@given(begun, st.sets(st.sampled_from(["samples x", "samples y"])))
def test_every_session_is_in_exactly_one_row(
    begun: list[tuple[str | None, float]], opened: set[str]
) -> None:
    ordered = sorted(begun, key=lambda one: -one[1])
    runs = [run(f"r{n}", began, samples=label) for n, (label, began) in enumerate(ordered)]
    family = [(one, ALONE) for one in runs]
    rows = rows_of(family, [], waiting={"r1"}, opened=opened)
    assert sorted(one.id for row in rows for one in runs_of(row)) == sorted(r.id for r in runs)
    assert len({row.key for row in rows}) == len(rows)
