"""Figures, facts and remarks in words."""

from __future__ import annotations

import msgspec
import pytest

from sandbox_tui.core.evals.meta_capabilities.capability import RunCapabilities
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.columns import columns_of
from sandbox_tui.core.evals.reporting.evaluation_differences import what_differs
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import eval_table
from tests.unit.core.evals.reporting.hostile import HOSTILE_INFO, hostile_results
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result


def test_scores_and_differences() -> None:
    assert figures.score(Estimate(0.625, 0.4811, 0.76, 8)) == "62.5 [48.1, 76.0]"
    assert figures.score(Estimate(0.5, None, None, 1)) == "50.0 [n too small]"
    assert figures.difference(Estimate(-0.125, -0.3, 0.05, 8)) == "-12.5 [-30.0, +5.0]"
    assert figures.difference(Estimate(0, 0, 0, 8)) == "0.0 [0.0, 0.0]"
    assert figures.difference(Estimate(-0.0001, -0.0004, 0, 8)) == "0.0 [0.0, 0.0]"
    assert figures.score(None) == "–"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((0, "0"), (950, "950"), (999.6, "1.0k"), (12_345, "12.3k"), (123_456, "123k")),
        *((1_234_567, "1.2M"), (99_960, "100k"), (7.4e9, "7.4G"), (7.4e12, "7400G")),
    ],
)
def test_counts(value: float, shown: str) -> None:
    assert figures.count(value) == shown


def test_other_figures() -> None:
    assert [figures.ratio(value) for value in (None, 0.125, 1.049, 2.25, 33.6)] == [
        "–", "0.12×", "1.05×", "2.2×", "34×",
    ]  # fmt: skip
    assert [figures.dollars(value) for value in (None, 0, 0.004, 1.5)] == [
        "–", "$0.00", "$0.0040", "$1.50",
    ]  # fmt: skip
    assert [figures.duration(value) for value in (9.44, 42, 125, 7200 + 300)] == [
        "9.4 s", "42 s", "3 min", "2 h 5 min",
    ]  # fmt: skip
    assert figures.moment(1_767_000_000) == "2025-12-29 09:20 UTC"
    assert [figures.moment(value) for value in (0, -1, 1e300, float("nan"))] == ["–"] * 4
    assert figures.megabytes(48_400_000) == "48 MB"
    assert figures.megabytes(1_100_000_000) == "1.1 GB"


def test_facts_say_what_made_the_report() -> None:
    found = dict(facts(eval_table(INFO, evaluation(2))))
    assert found["suite"] == "pocket, digest 0123456789abcdef"
    assert found["parameters"] == "max_steps 30, temperature 0.7"
    assert found["command"] == "sandbox-tui eval run pocket --model small-0.5b"
    assert found["samples"] == "28 of 28 done"
    assert found["image size"] == "1100 MB"
    assert found["ended"] == "2025-12-29 10:20 UTC"


def test_a_running_evaluation_says_how_long_it_still_takes() -> None:
    info = msgspec.structs.replace(INFO, ended_at=0.0)
    left = result("b", "sandbox", status="pending")
    assert dict(facts(eval_table(info, [left])))["ended"] == "not yet"
    table = eval_table(info, [result("a", "sandbox", 1.0, seconds=100), left])
    assert dict(facts(table))["ended"] == "not yet; about 2 min left"


def test_remarks_name_what_the_figures_leave_out() -> None:
    table = eval_table(
        INFO,
        [
            result("a", "vanilla", 1.0, cut_documents=10),
            result("a", "sandbox", 1.0, finish_reason="max_steps", cost=0.1, estimated=True),
            result("b", "sandbox", status="failed", finish_reason="sandbox_error"),
            result("c", "sandbox", status="unscored", scorer="judge"),
        ],
    )
    assert remarks(table) == [
        "vanilla: 1 sample had documents cut to fit the prompt.",
        "sandbox: failures by kind: 1 sandbox error, 1 scorer judge.",
        "sandbox: 2 samples have no score.",
        "sandbox: the tokens of 1 of 3 samples are estimates (≈).",
        "sandbox: the cost of 1 of 3 samples is not known (+).",
    ]


def test_columns_that_say_nothing_are_left_out() -> None:
    plain = eval_table(INFO, [result("a", "vanilla", 1.0)])
    titles = [column.title for column in columns_of(plain)]
    assert titles[:3] == ["done", "score %", "difference"]
    assert not {"cost", "no score", "peak", "computed"} & set(titles)
    used = {"vanilla-a": RunCapabilities()}
    full = eval_table(INFO, [*evaluation(2), result("a", "vanilla", 1.0)], capabilities=used)
    titles = [column.title for column in columns_of(full)]
    assert titles[-7:] == [
        "cost", "no score", "idle", "peak", "went online", "used files", "computed",
    ]  # fmt: skip


def test_nothing_hostile_gets_through() -> None:
    table = eval_table(HOSTILE_INFO, hostile_results())
    texts = [
        title(HOSTILE_INFO),
        *remarks(table),
        *(text for fact in facts(table) for text in fact),
    ]
    assert all(text.isprintable() for text in texts)


def test_limits_are_said_in_the_words_of_the_settings() -> None:
    limited = msgspec.structs.replace(INFO, params={"time_limit": 5400.0, "command_timeout": 120})
    found = dict(facts(eval_table(limited, [])))
    assert found["parameters"] == "command_timeout 2m, time_limit 1h30m"
    other = msgspec.structs.replace(limited, id="e-2", params={"command_timeout": 120})
    assert what_differs([limited, other])[limited.id] == "time limit 1h30m"
