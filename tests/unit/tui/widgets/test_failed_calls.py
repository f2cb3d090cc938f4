"""A failed call in the list of calls: the end of its output is shown, and nothing twice."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import CallItem
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.tui.widgets.calls.opened_items import OpenedItems
from sandbox_tui.tui.widgets.calls.rows.call_rows import call_lines
from tests.snapshots.sample_run import sample_run
from tests.unit.tui.widgets.test_growing_markdown import PALETTE

BUILD = "\n".join([*(f"compiling unit {n}" for n in range(1, 81)), "main.c:7: error: no"])


def call(command: str, output: str, **finished: object) -> CallItem:
    """A finished call of bash."""
    arguments = json.dumps({"command": command})
    proposed = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments=arguments)
    how = {"ok": False, "exit_code": 1, "stdout_bytes": 9, "duration": 1.0, **finished}
    state = fold(
        [
            sample_run()[0],
            e.CallProposed(call=proposed),
            e.CallStarted(call=1),
            e.CallFinished(call=1, observation=f"Exit code: 1\n[STDERR]\n{output}", **how),  # type: ignore[arg-type]
        ]
    )
    return state.calls[1]


def shown(item: CallItem, width: int = 80) -> list[str]:
    is_open = OpenedItems(lambda: width).is_open([item], 0)
    return [line.plain for line in call_lines(item, width, 9.0, is_open, PALETTE)]


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_last_lines_of_a_failed_build_are_shown(interrupted: bool) -> None:
    lines = [line.strip() for line in shown(call("make", BUILD, interrupted=interrupted))]
    output = lines[3:-1]
    assert output[:3] == ["compiling unit 1", "compiling unit 2", "compiling unit 3"]
    assert output[3].startswith("… 67 more lines")
    assert output[4:] == BUILD.split("\n")[-11:]


def test_the_beginning_of_the_output_of_a_call_that_succeeded_is_shown() -> None:
    item = call("make", BUILD, ok=True, exit_code=0)
    lines = [line.plain.strip() for line in call_lines(item, 80, 9.0, True, PALETTE)]
    assert "compiling unit 15" in lines
    assert "main.c:7: error: no" not in lines


def test_long_lines_leave_room_for_the_last_one() -> None:
    wide = "\n".join(["x" * 900] * 20 + ["the error"])
    lines = [line.strip() for line in shown(call("make", wide))]
    assert lines[-2] == "the error"
    assert len(lines) < 40
    assert shown(call("make", "x" * 90_000))[-2].rstrip().endswith("…")


@pytest.mark.parametrize("output", ["cat: /none: No such file", ""])
def test_a_failed_call_whose_two_lines_tell_all_is_not_opened(output: str) -> None:
    item = call("cat /none", output)
    title, status = shown(item)
    assert title.endswith("cat /none")
    assert output in status
    assert len(shown(item, 30 if output else 20)) > 2, "there is no room to tell it"


@pytest.mark.parametrize(
    ("command", "output"), [("cat /none", "one\ntwo"), ("cat \\\n/none", "one")]
)
def test_a_failed_call_with_more_to_tell_is_opened(command: str, output: str) -> None:
    assert len(shown(call(command, output))) > 2


def test_a_failed_call_that_is_closed_can_be_opened() -> None:
    item, opened = call("cat /none", "no"), OpenedItems(lambda: 80)
    opened.toggle([item], 0)
    assert opened.is_open([item], 0)
