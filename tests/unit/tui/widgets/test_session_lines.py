"""The lines of sessions in the list: what they show first if there is little room."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.sessions.relations.listing import SamplesRow, SessionRow
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.sessions.samples_row import samples_lines, totals_words
from sandbox_tui.tui.widgets.sessions.session_lines import SessionLines
from sandbox_tui.tui.widgets.sessions.session_rows import start_time
from tests.unit.sessions.relations.test_fork_tree import run

LONG = "Count the squares below one million whose digits sum to a square and explain it"
PALETTE = _palette(*["white"] * 12, highlight="native")


def bash(command: str) -> str:
    return json.dumps({"command": command})


def session(name: str, task: str = LONG, answer: str = "42") -> RunSummary:
    return replace(run(name), task=task, answer=answer, model="qwen3-coder-30b")


def fork(name: str, **changed: str | int) -> SessionRow:
    origin = ForkOrigin(parent="parent", step=3, **changed)  # type: ignore[arg-type]
    return SessionRow(run=session(name), lineage=Lineage(depth=1, origin=origin), closes=(True,))


CALL = fork(
    "call",
    call=4,
    tool="execute_bash",
    arguments=bash("echo 99"),
    proposed=bash("echo 42"),
    is_within=True,
)
MESSAGE = fork("message", message="Use the\nstandard library only.")
MODEL = fork("model", model="llama")


def drawn(rows: list[SessionRow], width: int, tags: dict[str, list[str]]) -> list[list[str]]:
    lines = SessionLines.of(rows, tags, {})
    found = [
        [line.plain for line in lines.draw(row, width, PALETTE, is_marked=False)] for row in rows
    ]
    assert [len(each) for each in found] == [lines.height(row, width) for row in rows]
    assert all(len(line) <= width for each in found for line in each)
    return found


@pytest.mark.parametrize("width", [58, 98, 154])
def test_forks_at_one_step_say_what_was_changed(width: int) -> None:
    shown = drawn([CALL, MESSAGE, MODEL], width, {})
    below = [each[1].strip() for each in shown]
    start = {58: "after step 3: ", 98: "forked after step 3: ", 154: "forked after step 3 · "}[
        width
    ]
    within = start.replace("after", "in")
    assert below[0].startswith(f"{within}{'call 4 changed: ' if width > 100 else ''}42 → 99")
    assert below[1].startswith(f"{start}“Use the ")
    assert below[2].startswith(f"{start}model llama")


def test_a_long_title_takes_what_a_short_answer_leaves() -> None:
    wordy = SessionRow(run=session("b", "short", "The answer is a sentence that takes room. " * 5))
    first, second = drawn([SessionRow(run=session("a")), wordy], 154, {})
    assert f"✓ {LONG[:60]}" in first[0]
    assert " 42  submitted" in first[0]
    assert "✓ short  " in second[0]
    assert "The answer is a sentence" in second[0]


def test_a_long_answer_takes_what_a_short_title_leaves() -> None:
    answer = "The answer is a whole sentence, which needs room."
    wordy = SessionRow(run=session("b", "short", answer))
    longest = SessionRow(run=session("a", f"{LONG} {LONG}", answer))
    first, second = drawn([longest, wordy], 154, {})
    assert "…" in first[0].partition("submitted")[0]
    assert f"{answer}  submitted" in second[0]


def test_tags_stand_after_the_title_or_below_it() -> None:
    tags = {"a": ["paper", "todo"], "b": ["paper"]}
    rows = [SessionRow(run=session("a")), SessionRow(run=session("b", "short"))]
    long, short = drawn(rows, 154, tags)
    assert f"✓ {LONG[:50]}" in long[0]
    assert long[1].strip() == "#paper #todo"
    assert "✓ short  #paper " in short[0]
    assert len(short) == 1
    narrow = drawn(rows, 58, tags)
    assert "submitted · 42 · #paper #todo " in narrow[0][1]
    wordy = SessionRow(run=session("a", "short", "an answer " * 9))
    ((_, below),) = drawn([wordy], 58, tags)
    assert "submitted · an answer … · #paper #todo  " in below


def test_the_branch_of_a_session_goes_on_beside_its_second_line() -> None:
    rows = [
        SessionRow(run=session("a"), sample=1, closes=(False,)),
        SessionRow(run=session("b"), sample=2, closes=(True,)),
    ]
    first, last = drawn(rows, 98, {})
    assert first[0].startswith(" ├─")
    assert first[1].startswith(" │    submitted")
    assert last[0].startswith(" └─")
    assert last[1].startswith("      submitted")


@pytest.mark.parametrize("width", [110, 154])
def test_a_fork_tells_inherited_steps_from_its_own(width: int) -> None:
    row = replace(MODEL, run=replace(MODEL.run, steps=8))
    alone = SessionRow(run=replace(session("a"), steps=8))
    forked, other = drawn([row, alone], width, {})
    assert "3+5 steps" in " ".join(forked)
    assert " 8 steps" in " ".join(other)


@pytest.mark.parametrize("width", [58, 98, 124, 154])
def test_an_imported_session_says_so_beside_the_original(width: int) -> None:
    original = SessionRow(run=session("original"))
    copy = SessionRow(run=replace(session("copy"), imported=True))
    shown = ["\n".join(lines) for lines in drawn([original, copy], width, {})]
    assert ["imported" in words for words in shown] == [False, True]


def test_one_imported_session_leaves_the_start_times_of_all() -> None:
    task, answer = "count all the boats in the harbour, by colour and size", "y" * 40
    original = replace(session("original", task=task[:48], answer=answer), model="scripted-a")
    copy = replace(original, id="copy", imported=True, import_format="trajectory")
    shown = drawn([SessionRow(run=original), SessionRow(run=copy)], 154, {})
    start = start_time(original.run_started_at)
    assert all(start in " ".join(lines) for lines in shown)
    assert " imported " in shown[1][0]


def test_large_figures_keep_the_columns_aligned() -> None:
    large = replace(session("large"), input_tokens=99_960, tokens_estimated=True, cost=1234.5)
    large = replace(large, seconds=360_000.0)
    rows = [SessionRow(run=session("small")), SessionRow(run=large)]
    small, wide = drawn(rows, 154, {})
    assert small[0].index("submitted") == wide[0].index("submitted")


def test_figures_stand_at_the_right_end_and_no_name_is_cut_for_them() -> None:
    known = {"steps": 3, "input_tokens": 5000, "cost": 0.2, "seconds": 60.0}
    long = replace(session("long", "short task", "an answer " * 9), **known)
    brief = replace(session("brief", "short task", "42"), **known)
    rows = [SessionRow(run=one) for one in (long, brief)]
    (_, crowded), (_, free) = drawn(rows, 98, {})
    figures = "  3 steps · 5.0k tok · $0.20 · 01:00"
    assert crowded.endswith(figures)
    assert free.endswith(figures)
    assert len(crowded) == len(free)
    assert "42 · qwen3-coder-30b · bubblewrap " in free
    (_, crowded), (_, free) = drawn(rows, 58, {})
    assert crowded.rstrip().endswith(" 3 steps · 01:00")
    assert free.endswith("  3 steps · 01:00")


def test_one_long_title_is_cut_and_takes_no_column_from_any_row() -> None:
    words = "the result is a sentence that is longer than its column can show here"
    others = [SessionRow(run=session(name, "short", words)) for name in "abc"]
    tags = {"a": ["flaky", "to-check"]}
    renamed = SessionRow(run=session("d", "x" * 60, words))
    before = drawn([*others, SessionRow(run=session("d", "short", words))], 154, tags)
    after = drawn([*others, renamed], 154, tags)
    start = start_time(renamed.run.run_started_at)
    for row in after:
        assert "bubblewrap" in row[0]
        assert start in row[0]
    assert [len(row) for row in after] == [len(row) for row in before] == [1] * 4
    assert "#flaky #to-check" in after[0][0]


def test_the_row_of_samples_has_their_steps_and_time_in_all() -> None:
    runs = [replace(session(name), steps=3, seconds=40.0) for name in "ab"]
    row = SamplesRow(runs=tuple(runs), is_open=False)
    assert totals_words(row) == ["6 steps", "01:20 in all"]
    assert " · 6 steps · 01:20 in all" in samples_lines(row, 98, PALETTE)[1].plain
