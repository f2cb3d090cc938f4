from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec
import pytest
from textual.geometry import Size

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_labels import SAMPLES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.wall import wall_header
from sandbox_tui.tui.widgets.wall.run_groups import grouped, votes_in
from sandbox_tui.tui.widgets.wall.wall_header import WallHeader
from tests.unit.event_streams import started

PALETTE = _palette(*["white"] * 12, highlight="native")


def run(
    task: str,
    answer: str | None = None,
    reason: e.FinishReason | None = None,
    *,
    samples: str | None = None,
) -> RunWorker:
    """A run; those of one task are its samples, unless others are given."""
    labels = {SAMPLES: task if samples is None else samples}
    worker = RunWorker(RunRequest(task=task, settings=load(), labels=labels), cast(Any, None))
    events: list[e.AnyEvent] = [started()]
    if reason is not None:
        events.append(
            e.RunFinished(
                reason=reason, error=None, totals=e.Totals(), answer=answer, output=None, t=65.0
            )
        )
    worker.state = fold(events)
    worker.state.step = 1
    return worker


def lines(*runs: RunWorker, most: int = 10) -> list[str]:
    header = WallHeader()
    header._runs = list(enumerate(runs, 1))
    header._arranged_by, header._most = "start", most
    return [line.plain for line in header._lines(PALETTE)]


def test_a_task_that_all_share_is_said_once() -> None:
    assert sum("count" in line for line in lines(run("count"), run("count"))) == 1
    assert not any("count" in line for line in lines(run("count"), run("sum")))


def test_answers_are_counted_as_they_come_in() -> None:
    some = [run("x", "42\n", "submitted"), run("x", "42", "submitted"), run("x")]
    assert lines(*some)[-1] == "2 of 3 answered, 2 agree · answers: 42 (2)"
    assert not any("answers" in line for line in lines(run("x"), run("x")))


def test_only_submitted_runs_vote() -> None:
    some = [run("x", "one\ntwo", "submitted"), run("x", "one", "model_error"), run("x")]
    tally = "1 of 3 answered · answers: one … (1) · 1 answer not submitted"
    assert lines(*some)[-1] == tally
    assert votes_in(list(enumerate(some))) == {}
    failed = [run("x", "one", "model_error"), run("x")]
    assert lines(*failed)[-1] == "0 of 2 answered · 1 answer not submitted"
    ended = [*some[:2], run("x", "one\ntwo", "submitted"), run("x", None, "cancelled")]
    *_, answer, rest = lines(*ended)
    assert answer.endswith("one …  runs 1 3")
    assert rest.strip() == "1 answer not submitted, 1 without an answer"


def test_answers_to_other_tasks_are_not_counted_together() -> None:
    some = [run("x", "1", "submitted"), run("x"), run("y", "1", "submitted"), run("y")]
    tally = [line for line in lines(*some) if "answered" in line]
    assert tally == ["x: 1 of 2 answered · answers: 1 (1)", "y: 1 of 2 answered · answers: 1 (1)"]


def test_runs_that_have_nothing_to_do_with_each_other_are_not_summed_up() -> None:
    some = [run("x", "1", "submitted", samples="a"), run("x", "2", "submitted", samples="b")]
    assert not any("ended" in line or "answer" in line for line in lines(*some))
    some += [run("y", "3", "submitted"), run("y", "3", "submitted"), run("y", None, "cancelled")]
    summed = [line for line in lines(*some) if "ended" in line]
    assert summed == [
        "y: all 3 runs have ended in 01:05: 2 submitted, 1 cancelled · answers: 3 (runs 3 4)"
    ]


def test_forks_belong_to_the_run_that_they_continue() -> None:
    root, fork, other = (run(task, "1", "submitted", samples=task) for task in "xyz")
    root.request = replace(root.request, labels={})
    assert fork.state.started is not None
    fork.state.started = msgspec.structs.replace(fork.state.started, parent=root.run_id)
    numbered = [(1, root), (2, fork), (3, other)]
    assert [[number for number, _ in group] for group in grouped(numbered)] == [[1, 2], [3]]
    assert votes_in(numbered) == {run.run_id: "all 2 agree" for run in (root, fork)}


def test_a_fork_with_another_call_is_not_summed_with_its_parent() -> None:
    root, fork, edited = (run("x", "1", "submitted", samples="x") for _ in range(3))
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    for one in (root, fork, edited):
        one.request = replace(one.request, labels={})
        assert one.state.started is not None
        parent = None if one is root else root.run_id
        one.state.started = msgspec.structs.replace(
            one.state.started, parent=parent, parent_seq=None if parent is None else 5
        )
        seq = 6 if one is edited else 4
        one.state.apply(e.CallProposed(call=call, seq=2))
        one.state.apply(e.CallDecided(call=1, verdict="edit", by="human", arguments="1", seq=seq))
    numbered = [(1, root), (2, fork), (3, edited)]
    assert [[number for number, _ in group] for group in grouped(numbered)] == [[1, 2], [3]]


def test_replies_that_are_being_written_are_in_the_sum_of_tokens() -> None:
    writing, silent = run("x"), run("x")
    for event in (
        e.ModelAsked(step=1, digest="", messages=1),
        e.ModelDelta(step=1, channel="text", text="word " * 480),
    ):
        writing.state.apply(event)
    assert "  0 tok" in lines(silent)[0]
    assert "  ≈600 tok" in lines(writing, silent)[0]
    assert "  ≈1.2k tok" in lines(writing, writing)[0]


def test_a_mode_that_all_active_runs_share_is_in_the_header() -> None:
    some = [run("x"), run("x"), run("x", "42", "submitted")]
    assert any("mode auto" in line for line in lines(*some))
    for one in some[:2]:
        one.state.apply(e.ModeChanged(mode="ask"))
    assert any(line.endswith("  mode ask") for line in lines(*some))
    some[0].state.apply(e.ModeChanged(mode="step"))
    assert not any("mode" in line.replace("model", "") for line in lines(*some))
    assert not any("mode" in line.replace("model", "") for line in lines(some[2], some[2]))


def test_the_runs_that_wait_are_named_by_their_numbers() -> None:
    waiting = run("x")
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    for event in (e.CallProposed(call=call), e.CallHeld(call=1)):
        waiting.state.apply(event)
    assert "◆ 1 waits for you (2)" in lines(run("x"), waiting)[0]


def test_paused_runs_are_counted_once_whether_they_wait_or_not() -> None:
    waiting, still, frozen, pausing = (run("x") for _ in range(4))
    pausing.state.apply(e.ModelAsked(step=1, digest="", messages=1))
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    for event in (e.CallProposed(call=call), e.CallHeld(call=1)):
        waiting.state.apply(event)
    for one in (waiting, still, frozen, pausing):
        one.state.apply(e.ModeChanged(mode="paused"))
    frozen.state.apply(e.SandboxFrozen())
    first = lines(run("x"), waiting, still, frozen, pausing)[0]
    assert "◆ 1 waits, paused (2)  ● 1 running  ‖ 1 pausing  ‖ 1 paused  ‖ 1 frozen" in first


def test_runs_that_prepare_are_not_counted_as_running() -> None:
    preparing = run("x")
    preparing.state.step = 0
    assert "● 1 running  ◔ 1 preparing" in lines(run("x"), preparing)[0]
    header = WallHeader()
    header._runs, header._silent = [(1, run("x")), (2, preparing)], (2,)
    assert "● 1 running  ● 1 silent (2)" in header._lines(PALETTE)[0].plain
    preparing.state.apply(e.ModeChanged(mode="paused"))
    assert "● 1 running  ‖ 1 paused" in lines(run("x"), preparing)[0]


def test_runs_that_ask_the_model_again_are_counted() -> None:
    again = run("x")
    for event in (
        e.ModelAsked(step=1, digest="", messages=1),
        e.ModelFailed(step=1, error="busy", attempt=1, retry_in=8.0),
    ):
        again.state.apply(event)
    assert "! 1 retrying" in lines(run("x"), again)[0]
    again.state.apply(e.ModeChanged(mode="ask"))
    again.state.apply(e.ModeChanged(mode="paused"))
    first, second = lines(run("x"), again)[:2]
    assert "● 1 running  ‖ 1 paused" in first
    assert "retrying" not in first
    assert "mode" not in second.replace("model", ""), "the other run has another mode"
    assert "  mode ask" in lines(again)[1]


def test_each_run_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, waiting = run("x"), run("x")
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    for one in (paused, waiting):
        for event in (e.CallProposed(call=call), e.CallHeld(call=1)):
            one.state.apply(event)
    paused.state.apply(e.ModeChanged(mode="paused"))
    pausing = run("x")
    pausing.state.apply(e.ModelAsked(step=1, digest="", messages=1))
    pausing.state.apply(e.ModeChanged(mode="paused"))
    header = WallHeader()
    header._runs, header._silent = list(enumerate((paused, waiting, pausing), 1)), [3]
    counts = header._states(PALETTE).plain
    assert counts == (
        "sandbox-tui  3 runs  ◆ 1 waits for you (2)  ◆ 1 waits, paused (1)  ● 1 silent (3)"
    )


def test_the_end_of_all_runs_is_summed_up() -> None:
    ended = [
        run("x", "42", "submitted"),
        run("x", "43", "submitted"),
        run("x", "42", "submitted"),
        run("x", None, "max_steps"),
        run("x", "  ", "submitted"),
    ]
    first, *answers = lines(*ended)[2:]
    assert first.startswith("All 5 runs have ended in 01:05: 4 submitted, 1 max steps")
    assert [line.split()[0] for line in answers[:2]] == ["2", "1"]
    assert answers[0].endswith("42  runs 1 3")
    assert answers[1].endswith("43  run 2")
    assert answers[2].strip() == "2 without an answer"


def test_header_and_summary_use_the_same_words_for_an_outcome() -> None:
    sums, summary = lines(run("x", "42", "submitted"), run("x", None, "cancelled"))[::2][:2]
    assert "✗ 1 cancelled" in sums
    assert "1 cancelled" in summary
    assert "failed" not in sums


def test_a_model_that_is_a_path_is_shown_by_its_name() -> None:
    worker = run("x")
    assert worker.state.started is not None
    path = msgspec.structs.replace(worker.state.started, model="/models/cache/qwen.gguf")
    worker.state.started = path
    assert "model qwen.gguf" in lines(worker)[1]


def test_answers_that_do_not_fit_are_counted() -> None:
    ended = [run("x", str(number), "submitted") for number in range(9)]
    found = lines(*ended, most=6)
    assert len(found) == 6
    assert found[-1].strip() == "7 more answers"


def test_order_and_filter_take_a_line_of_their_own_in_a_narrow_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(WallHeader, "content_size", Size(58, 3))
    header = WallHeader()
    header._runs = list(enumerate([run("x", samples="1"), run("y", "7", "submitted")], 1))
    header._arranged_by, header._shown = "start", "1 shown: submitted"
    first, second = [line.plain for line in header._lines(PALETTE)][:2]
    assert first == "sandbox-tui  2 runs  ● 1 running  ✓ 1 submitted"
    assert second == "0 tok  sorted by start  1 shown: submitted"


@pytest.mark.parametrize("width", [58, 98, 158])
def test_no_tile_moves_because_the_header_has_more_to_say(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(WallHeader, "content_size", Size(width, 3))
    begun = [run("x") for _ in range(32)]
    going = [*(run("x", "42", "submitted") for _ in range(20)), *(run("x") for _ in range(12))]
    going[0] = run("x", None, "step_limit")
    heights: set[int] = set()
    for runs, silent in ((begun, []), (going, []), (going, [23, 25, 27, 29, 31])):
        header = WallHeader()
        header._runs, header._silent = list(enumerate(runs, 1)), silent
        header._arranged_by, header._most = "start", 10
        found = header._lines(PALETTE)
        heights.add(len(found))
        assert all(line.cell_len <= width for line in found[:2])
    assert len(heights) == 1


def said(run: RunWorker, answer: str) -> RunWorker:
    """The run, with an answer in its call of `submit` only."""
    call = e.ToolCall(
        number=1, step=1, id="1", name="submit", arguments=f'{{"answer": "{answer}"}}'
    )
    run.state.apply(e.CallProposed(call=call))
    return run


def test_an_answer_that_is_only_in_the_call_of_submit_votes_and_is_marked() -> None:
    some = [
        run("x", "42\n", "submitted"),
        said(run("x", None, "submitted"), "42"),
        said(run("x", None, "cancelled"), "41"),
        run("x"),
    ]
    tally = "2 of 4 answered, 2 agree · answers: 42 (2) · 1 answer only said in submit"
    assert lines(*some)[-1] == tally
    assert votes_in(list(enumerate(some))) == dict.fromkeys(
        (one.run_id for one in some[:2]), "all 2 agree"
    )
    *_, answer, rest = lines(*some[:3])
    assert answer.endswith("42  runs 1 2")
    assert rest.strip() == "1 answer only said in submit, 1 without an answer"
    assert "1 submitted without" not in str(lines(*some[:3]))


def of_model(run: RunWorker, model: str) -> RunWorker:
    assert run.state.started is not None
    run.state.started = msgspec.structs.replace(run.state.started, model=model)
    return run


def test_groups_of_one_task_are_named_by_their_models() -> None:
    some = [
        of_model(run("x", "1", "submitted", samples="a"), "m1"),
        of_model(run("x", "1", "submitted", samples="a"), "m1"),
        of_model(run("x", "2", "submitted", samples="b"), "m2"),
        of_model(run("x", samples="b"), "m2"),
    ]
    found = lines(*some)
    assert found[1] == "x  models m1, m2  mode auto"
    assert found[2].startswith("m1: all 2 runs have ended")
    assert found[3] == "m2: 1 of 2 answered · answers: 2 (1)"


def test_groups_of_several_tasks_and_models_are_named_by_both() -> None:
    some = [
        of_model(run(task, "1", "submitted", samples=f"{task} {model}"), model)
        for task in ("x", "y")
        for model in ("m1", "m2")
        for _ in range(2)
    ]
    names = [line.split(":")[0] for line in lines(*some) if "ended" in line]
    assert names == ["x · m1", "x · m2", "y · m1", "y · m2"]
    assert "models m1, m2" in lines(*some)[1]


def test_a_narrow_header_keeps_the_answers_of_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [
        of_model(run("x", "42", "submitted", samples=model), model)
        for model in ("m1", "m2")
        for _ in range(2)
    ]
    assert "m1: all 2 runs have ended in 01:05: 2 submitted · answers: 42 (runs 1 2)" in lines(
        *some
    )
    monkeypatch.setattr(WallHeader, "content_size", Size(58, 3))
    assert "m1: 2 submitted · answers: 42 (runs 1 2)" in lines(*some)
    monkeypatch.setattr(WallHeader, "content_size", Size(38, 3))
    assert "m1: 2 submitted · answers: 42 (2)" in lines(*some)


def test_tasks_that_differ_after_their_first_line_are_told_apart() -> None:
    header = lines(run("Fix it\nin the parser"), run("Fix it\nin the parser"))
    assert any(line.startswith("Fix it ⏎ in the parser  ") for line in header)


def test_if_all_answers_are_only_said_nothing_has_to_be_said_of_it() -> None:
    ended = [said(run("x", None, "submitted"), answer) for answer in ("42", "42", "41")]
    first, second = lines(*ended)[-2:]
    assert first.endswith("42  runs 1 2")
    assert second.endswith("41  run 3")


def test_with_one_line_for_the_answers_they_are_counted_on_it() -> None:
    ended = [run("x", answer, "submitted") for answer in ("42", "42", "41")]
    assert lines(*ended, most=4)[-1].strip() == "answers: 42 (runs 1 2), 41 (run 3)"


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (120, "sandbox-tui  3 runs  ● 1 running  ✓ 1 submitted  ✗ 1 cancelled"),
        (40, "3 runs  ● 1 run  ✓ 1  ✗ 1"),
    ],
)
def test_a_narrow_header_counts_the_runs_in_each_state_by_their_signs(
    monkeypatch: pytest.MonkeyPatch, width: int, expected: str
) -> None:
    monkeypatch.setattr(WallHeader, "content_size", Size(width, 3))
    some = [run("x"), run("x", "1", "submitted"), run("x", None, "cancelled")]
    assert lines(*some)[0].startswith(expected)


def test_groups_that_do_not_fit_are_counted_with_the_key_that_shows_them() -> None:
    some = [run(task, "1", "submitted") for task in "abcdefgh" for _ in range(2)]
    found = lines(*some, most=7)
    assert len(found) == 7
    assert found[-1] == "4 more tasks · W show all"
    assert found[-2].startswith("d: all 2 runs have ended")
    assert lines(*some)[-1].startswith("h: all 2 runs have ended")


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (0, "◆ 9 wait for you (1-9)  ! 3 retrying (10-12)"),
        (58, "◆ 9 wait (1-9)  ! 3 retry (10-12)"),
        (36, "◆ 9 wait  ! 3 retry"),
    ],
)
def test_the_runs_that_want_attention_are_named_while_there_is_room(
    monkeypatch: pytest.MonkeyPatch, width: int, expected: str
) -> None:
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    some = [run("x") for _ in range(12)]
    for one in some[:9]:
        one.state.apply(e.CallProposed(call=call))
        one.state.apply(e.CallHeld(call=1))
    for one in some[9:]:
        one.state.apply(e.ModelAsked(step=1, digest="", messages=1))
        one.state.apply(e.ModelFailed(step=1, error="busy", attempt=1, retry_in=8.0))
    monkeypatch.setattr(WallHeader, "content_size", Size(width, 3))
    assert expected in lines(*some)[0]


def test_silent_runs_are_named() -> None:
    header = WallHeader()
    header._runs = list(enumerate([run("x"), run("x"), run("x")], 1))
    header._silent = (2,)
    assert "● 2 running  ● 1 silent (2)" in header._lines(PALETTE)[0].plain


def test_sorting_by_a_cost_that_no_run_has_says_so() -> None:
    def by_cost(*runs: RunWorker) -> str:
        header = WallHeader()
        header._runs, header._arranged_by = list(enumerate(runs, 1)), "cost"
        return header._spent_and_order(PALETTE).plain

    known = run("x", "42", "submitted")
    known.state.totals = msgspec.structs.replace(known.state.totals, cost=0.5)
    assert by_cost(run("x"), run("x")).endswith("sorted by cost (none is known)")
    assert by_cost(run("x"), known).endswith("sorted by cost")


def test_answers_are_only_counted_of_runs_that_belong_together() -> None:
    lonely, samples = WallHeader(), WallHeader()
    lonely._runs = list(
        enumerate((run("count", "1", "submitted"), run("sum", "2", "submitted")), 1)
    )
    samples._runs = list(enumerate((run("count"), run("count")), 1))
    assert not lonely.sums_up
    assert samples.sums_up


@pytest.mark.parametrize(
    ("width", "most", "why"),
    [(120, 9, "the header shows all answers"), (120, 4, ""), (30, 9, "")],
)
def test_answers_that_the_header_shows_need_no_screen_of_their_own(
    monkeypatch: pytest.MonkeyPatch, width: int, most: int, why: str
) -> None:
    monkeypatch.setattr(WallHeader, "content_size", Size(width, most))
    monkeypatch.setattr(wall_header, "palette_of", lambda _: PALETTE)
    header = WallHeader()
    some = [run("count the words of the long text", str(n), "submitted") for n in range(4)]
    header._runs, header._most = list(enumerate(some, 1)), most
    assert header.why_no_answers == why
