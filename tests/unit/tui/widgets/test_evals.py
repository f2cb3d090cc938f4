"""The evaluation screen: the table at every width, the charts, the filter."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

from sandbox_tui.core.evals.reporting.table import EvalTable, eval_table
from sandbox_tui.core.evals.sample import EVAL_MODES
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.screens.evals.eval_keys import EvalKeys
from sandbox_tui.tui.screens.evals.header import (
    failures_line,
    progress_line,
    reason_line,
    title_line,
)
from sandbox_tui.tui.screens.evals.samples.sample_filter import KINDS, SampleFilter
from sandbox_tui.tui.screens.evals.screen_data import data_of
from sandbox_tui.tui.screens.evals.source import Reading
from sandbox_tui.tui.widgets.evals.domain_grid import Grid, grid_by_domain, grid_by_mode
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from sandbox_tui.tui.widgets.evals.eval_rows import eval_line, eval_lines
from sandbox_tui.tui.widgets.evals.series import MAX_POINTS, series_of
from tests.unit.core.evals.reporting.sample_results import DOMAINS, INFO, evaluation, result
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


def lines(grid: Grid) -> list[str]:
    return ["".join(figure.text for figure in line) for block in grid.blocks for line in block]


def table(*modes: Any) -> EvalTable:
    info = msgspec.structs.replace(INFO, modes=modes) if modes else INFO
    samples = evaluation()
    if "sandbox-context" in modes:
        samples += [
            msgspec.structs.replace(one, mode="sandbox-context")
            for one in samples
            if one.mode == "sandbox"
        ]
    return eval_table(info, samples)


def test_an_empty_list_says_how_to_start_one() -> None:
    assert any("`sandbox-tui eval run pocket`" in line for line in EvalList.NOTHING)
    assert any(line.startswith("n starts one") for line in EvalList.NOTHING)
    assert max(map(len, EvalList.NOTHING)) <= 56, "it fits the narrowest screens"


def test_a_model_that_is_a_path_is_shown_by_its_name() -> None:
    info = msgspec.structs.replace(INFO, model="/models/cache/qwen.gguf")
    summary = EvalSummary(info, 4, 2, running=False)
    data = data_of(Reading(info, [], "running", "", 0.0))
    for line in (title_line(info, data, 80, PALETTE), eval_lines(summary, 80, PALETTE)[0]):
        assert "  qwen.gguf" in line.plain
        assert "/models" not in line.plain


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("model unavailable", "1 model unavailable"),
        ("a kind of failure with a long name", "1 a kind of failur…"),
    ],
)
def test_a_kind_of_failure_is_whole_or_ends_in_an_ellipsis(kind: str, words: str) -> None:
    failed = result("a", "sandbox", status="failed", finish_reason=kind.replace(" ", "_"))
    (total, *_) = eval_table(INFO, [failed]).rows
    assert dict(total.cells[-1].failures) == {kind: 1}
    assert any(
        f"{words} " in f"{line} " for line in lines(grid_by_mode(eval_table(INFO, [failed]), 200))
    )


@pytest.mark.parametrize("width", [24, 40, 56, 76, 96, 156])
@pytest.mark.parametrize("make", [grid_by_mode, grid_by_domain])
@pytest.mark.parametrize("modes", [("vanilla", "sandbox"), EVAL_MODES])
def test_the_table_fits_every_width(width: int, make: Any, modes: Any) -> None:
    grid = make(table(*modes), width)
    assert len(grid.blocks) == 1 + len(DOMAINS)
    drawn = lines(grid)
    assert {cell_len(line) for line in drawn} == {cell_len(grid.head)}, "columns are aligned"
    if width >= 40:
        assert cell_len(grid.head) <= width
    assert drawn[0].startswith("all")


@pytest.mark.parametrize("make", [grid_by_mode, grid_by_domain])
def test_an_evaluation_without_samples_yet_has_one_row(make: Any) -> None:
    grid = make(eval_table(INFO, []), 76)
    assert len(grid.blocks) == 1
    assert grid.blocks[0][0][0].text.strip() == "all"


def test_narrow_tables_keep_the_difference_rather_than_the_intervals_of_scores() -> None:
    wide, narrow = grid_by_domain(table(), 76), grid_by_domain(table(), 50)
    for grid in (wide, narrow):
        assert "difference" in grid.head
    assert "…" in "".join(f.text for f in wide.blocks[0][0][2:4])
    assert "…" not in "".join(f.text for f in narrow.blocks[0][0][1:4])


def test_a_difference_has_a_colour_only_where_its_interval_excludes_zero() -> None:
    scores = {"vanilla": 0.0, "sandbox": 1.0}
    clear = [result(f"t{n}", mode, score) for n in range(9) for mode, score in scores.items()]  # type: ignore[arg-type]
    even = [result(f"t{n}", mode, float(n % 2)) for n in range(9) for mode in scores]  # type: ignore[arg-type]
    kinds = []
    for samples in (clear, even):
        grid = grid_by_domain(eval_table(INFO, samples), 90)
        kinds.append({figure.kind for figure in grid.blocks[0][0]})
    assert "better" in kinds[0]
    assert not kinds[1] & {"better", "worse"}


def test_names_that_are_long_wide_or_hostile_are_cut_and_cleaned() -> None:
    name = "\x1b[31m数学" * 20
    samples = [result("t", mode, 1.0, domain=name) for mode in ("vanilla", "sandbox")]  # type: ignore[arg-type]
    for grid in (
        grid_by_mode(eval_table(INFO, samples), 60),
        grid_by_domain(eval_table(INFO, samples), 60),
    ):
        assert all(cell_len(line) <= 60 and "\x1b" not in line for line in lines(grid))


def test_a_long_name_is_whole_where_there_is_room() -> None:
    name = "sums and other long names"
    samples = [result("t", mode, 1.0, domain=name) for mode in ("vanilla", "sandbox")]  # type: ignore[arg-type]
    found = eval_table(INFO, samples)
    assert name in "".join(lines(grid_by_mode(found, 150)))
    assert name not in "".join(lines(grid_by_mode(found, 90)))


def test_charts_draw_means_of_what_had_ended_by_then() -> None:
    samples = [
        result(f"t{n}", "sandbox", float(n > 1), steps=n, ended_at=600.0 + 60 * n, began_at=600.0)
        for n in range(4)
    ]
    score, steps, tokens, calls = series_of(INFO, list(reversed(samples)))
    assert score.curves == {"sandbox": ([0, 1, 2, 3], [0, 0, pytest.approx(100 / 3), 50])}
    assert steps.curves["sandbox"][1] == [0, 0.5, 1, 1.5]
    assert tokens.curves["sandbox"][1] == [100] * 4
    assert calls.curves["sandbox"][1] == [0] * 4
    assert all(not chart.curves for chart in series_of(INFO, []))


def test_charts_of_many_samples_have_few_points_and_the_last_is_the_mean_of_all() -> None:
    samples = [
        result(f"t{n}", "vanilla", n / 10_000, ended_at=float(n), began_at=1.0)
        for n in range(10_000)
    ]
    minutes, means = series_of(INFO, list(reversed(samples)))[0].curves["vanilla"]
    assert len(minutes) == len(means) <= MAX_POINTS
    assert means[-1] == pytest.approx(100 * 0.49995)


@pytest.mark.parametrize(
    ("process", "is_starting", "words"),
    [
        ("process 123", False, "process 123 runs it: stop it there"),
        ("", False, "another program runs it: stop it there"),
        ("process 123", True, "its program is still starting"),
    ],
)
def test_an_evaluation_of_another_terminal_names_its_process(
    process: str, is_starting: bool, words: str
) -> None:
    keys = EvalKeys(
        state="running",
        is_here=False,
        can_stop=False,
        is_starting=is_starting,
        process=process,
        can_rerun=False,
        has_answers=True,
        all_over=False,
        any_running=True,
        has_resume=True,
        has_again=True,
    )
    assert keys.why_unavailable("stop") == words


def test_the_filter_goes_round_and_keeps_the_domain() -> None:
    right, wrong, half = (result("t", "sandbox", score) for score in (1.0, 0.0, 0.5))
    lost = result("t", "sandbox", status="failed", domain="")
    runs = result("t", "sandbox", status="running")
    shown = SampleFilter().of_domain("math")
    found: dict[str, list[bool]] = {}
    for _ in KINDS:
        found[shown.kind] = [shown.fits(one) for one in (right, wrong, half, lost, runs)]
        shown = shown.next_kind()
    assert shown == SampleFilter(domain="math")
    assert found == {
        "": [True, True, True, False, True],
        "wrong": [False, True, True, False, False],
        "failed": [False] * 5,
        "running": [False, False, False, False, True],
    }
    assert SampleFilter(kind="failed", domain="other").fits(lost)
    cut = result("t", "sandbox", 0.0, finish_reason="max_steps")
    assert SampleFilter(kind="failed").fits(cut)
    assert SampleFilter().words == ""
    assert SampleFilter(kind="wrong", domain="math").words == "wrong only · math"


@pytest.mark.parametrize("make", [grid_by_mode, grid_by_domain])
def test_a_table_knows_whether_it_shows_intervals(make: Any) -> None:
    assert make(table(), 96).has_intervals
    assert not make(eval_table(INFO, []), 96).has_intervals


@pytest.mark.parametrize(
    ("width", "end"), [(100, "✓ finished in 1:00:05"), (40, "pocket  small-0.5b  e-1 ✓ finished")]
)
def test_a_finished_evaluation_says_how_long_it_took_where_its_id_leaves_room(
    width: int, end: str
) -> None:
    first = result("s", "sandbox", 1.0, began_at=INFO.began_at, seconds=5.0)
    resumed_at = INFO.began_at + 86_400
    last = result("t", "sandbox", 1.0, began_at=resumed_at, seconds=3600.0)
    samples = [first, last]
    for state, words in (("finished", end), ("running", "● running")):
        picture = data_of(Reading(INFO, samples, state, "", 0.0))  # type: ignore[arg-type]
        line = title_line(INFO, picture, width, PALETTE)
        assert cell_len(line.plain) == width
        assert " ".join(line.plain.split()).endswith(" ".join(words.split()))
        assert "e-1" in line.plain


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((1.0, 0.0), "✓ finished"),
        ((1.0, None), "! finished, 1 without a score"),
        ((None, None), "✗ finished, 2 without a score"),
    ],
)
@pytest.mark.parametrize("width", [60, 100])
def test_a_failed_evaluation_does_not_look_like_a_success(
    scores: tuple[float | None, ...], words: str, width: int
) -> None:
    failed = {"status": "failed", "finish_reason": "model_error", "error": "503"}
    samples = [
        result(f"t{at}", "sandbox", score, **({} if score is not None else failed))
        for at, score in enumerate(scores)
    ]
    picture = data_of(Reading(INFO, samples, "finished", "", 0.0))
    lost = scores.count(None)
    assert words in title_line(INFO, picture, width, PALETTE).plain
    offer = reason_line(picture, PALETTE, has_key=True).plain
    assert ("r reruns the" in offer) == picture.can_rerun == (lost > 0)
    known = {"sandbox": 0.5} if lost < 2 else {}
    summary = EvalSummary(INFO, 2, 2, running=False, lost=lost, scores=known)
    first, second = eval_lines(summary, 100, PALETTE)
    assert first.plain.startswith(f" {words[0]} ")
    assert words[2:].removeprefix("finished").removeprefix(", ") in second.plain
    assert "finished" not in second.plain
    assert ("vanilla –, sandbox 50.0 %" in second.plain) == bool(known)


@pytest.mark.parametrize(
    ("scorer", "again"),
    [("judge", f"`sandbox-tui eval rescore {INFO.id}` scores again, "), ("hidden_tests", "")],
)
def test_samples_whose_scorer_failed_are_no_reason_to_ask_the_model_again_at_once(
    scorer: str, again: str
) -> None:
    unscored = {"status": "unscored", "finish_reason": "submitted", "scorer": scorer}
    samples = [result("t1", "sandbox", None, **unscored)]
    picture = data_of(Reading(INFO, samples, "finished", "", 0.0))
    offer = reason_line(picture, PALETTE, has_key=True).plain
    assert offer == f"The scorer failed. First fix what it reports: {again}r asks the model again."


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        ([50.0], "10 s left"),
        ([150.0], "1 of 2 · 1 running for 3 min · "),
        ([150.0, 400.0], "1 of 3 · 2 running for up to 7 min · "),
        ([], "1 of 2 · 100 tok"),
    ],
)
def test_the_last_samples_say_how_long_they_have_been_running(
    ago: list[float], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 9000.0)
    runs = [
        result(f"r{n}", "sandbox", status="running", began_at=9000.0 - seconds)
        for n, seconds in enumerate(ago)
    ]
    waits = [] if runs else [result("w", "vanilla", status="pending")]
    samples = [result("t", "sandbox", 1.0, seconds=60.0), *runs, *waits]
    picture = data_of(Reading(INFO, samples, "running", "", 9000.0))
    assert words in progress_line(picture, 120, PALETTE).plain


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (158, "9 max steps · 5 no answer · 4 time limit · 3 token limit · 2 model error"),
        (58, "9 max steps · 5 no answer · 9 others"),
        (24, "9 max steps · 14 others"),
    ],
)
def test_failures_by_kind_fit_every_width(width: int, words: str) -> None:
    ways = {"max_steps": 9, "time_limit": 4, "token_limit": 3}
    samples = [
        result(f"{way}{n}", "sandbox", 0.0, finish_reason=way)
        for way, count in ways.items()
        for n in range(count)
    ]
    samples += [result(f"n{n}", "sandbox", 0.0, answer=None) for n in range(5)]
    failed = {"status": "failed", "finish_reason": "model_error"}
    samples += [result(f"m{n}", "sandbox", **failed) for n in range(2)]
    picture = data_of(Reading(INFO, samples, "running", "", 0.0))
    assert failures_line(picture, width, PALETTE).plain == f"failures  {words}"


@pytest.mark.parametrize(
    ("suite", "scores", "words"),
    [
        ("mine", {"vanilla": 0.5, "sandbox": 0.625}, "vanilla 50 %, sandbox 62 %  mine"),
        ("instruction_following", {"vanilla": 0.5, "sandbox": 1}, "50.0 %, 100.0 %  instruction"),
    ],
)
def test_the_scores_leave_room_for_the_name_on_a_small_screen(
    suite: str, scores: dict[str, float], words: str
) -> None:
    info = msgspec.structs.replace(INFO, suite=suite)
    summary = EvalSummary(info, 8, 8, running=False, scores=scores)
    assert words in eval_line(summary, 56, PALETTE).plain


def test_names_of_the_built_in_suite_are_whole_on_a_small_screen() -> None:
    long = [result("t", mode, 1.0, domain="long-context") for mode in INFO.modes]
    grid = grid_by_domain(eval_table(INFO, long), 54)
    assert grid.blocks[0][0][0].text == "long-context"
    assert "difference" in grid.head


@pytest.mark.parametrize("width", [58, 98, 158])
def test_the_scores_of_both_modes_come_first_in_a_list_of_any_width(width: int) -> None:
    info = msgspec.structs.replace(INFO, modes=("sandbox", "vanilla"))
    known = {"sandbox": 0.625, "vanilla": 0.5}
    summary = EvalSummary(info, 8, 8, running=False, scores=known)
    words = "sandbox 62.5 %, vanilla 50.0 %"
    _, second = eval_lines(summary, width, PALETTE, differing="--scorer exact")
    assert second.plain.lstrip(" ━").startswith(words)
    assert "8 of 8" in second.plain
    if width > 58:
        assert eval_line(summary, width, PALETTE).plain.startswith(f" ✓ eval  {words}")
    begun = EvalSummary(info, 8, 1, running=True)
    assert eval_line(begun, width, PALETTE).plain.startswith(" ● eval  1 of 8 samples")


@pytest.mark.parametrize("width", [58, 76, 96, 156])
@pytest.mark.parametrize("running", [False, True])
def test_the_id_in_the_list_is_whole_or_left_out(width: int, *, running: bool) -> None:
    info = msgspec.structs.replace(INFO, id="20261127-101112-abcde")
    summary = EvalSummary(info, 8, 8, running=running, scores={"sandbox": 0.625, "vanilla": 0.5})
    differing = "8 tasks · --domain easy · temperature 1.0"
    second = eval_lines(summary, width, PALETTE, differing=differing)[1].plain
    assert cell_len(second) <= width
    assert second.endswith(f" · {info.id}") or (width < 70 and "2026" not in second)
    assert "%" in second
    assert (differing in second) == (width > 100)


def test_a_title_that_is_still_being_read_is_one_short_line() -> None:
    line = title_line(INFO, None, 98, PALETTE, "in its own program, which is starting").plain
    assert line.endswith("◌ reads")
    assert len(line) <= 98
