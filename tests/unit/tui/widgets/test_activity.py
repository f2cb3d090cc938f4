from __future__ import annotations

import json
from typing import Any, cast

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR, fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.terminal.mirror import MirrorWriter
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.wall.activity import Activity
from sandbox_tui.tui.widgets.wall.waiting_call import decision_keys
from tests.unit.event_streams import started

PALETTE = _palette(*["white"] * 12, highlight="native")


def call(number: int, command: str, printed: str, *, ok: bool = True) -> list[e.AnyEvent]:
    asked = e.ToolCall(
        number=number,
        step=number,
        id=str(number),
        name="execute_bash",
        arguments=f'{{"command": "{command}"}}',
    )
    return [
        e.CallProposed(call=asked),
        e.CallStarted(call=number),
        e.CallFinished(call=number, observation=printed, ok=ok),
    ]


def shown(
    height: int, *events: e.AnyEvent, vote: str = "", preview: EditPreview | None = None
) -> list[str]:
    worker = RunWorker(RunRequest(task="x", settings=load()), cast(Any, None))
    worker.state = fold([started(), *events])
    for event in events:
        worker.printed.note(event)
    lines = Activity(worker, 60, height, 9.0, PALETTE, vote=vote, preview=preview).lines()
    assert len(lines) <= height
    return [line.plain.rstrip() for line in lines]


TWO = [*call(1, "ls", "a\nb\nc\nd"), *call(2, "false", "went wrong", ok=False)]


def test_output_takes_the_room_there_is() -> None:
    assert shown(20, *TWO)[1:5] == ["   a", "   b", "   c", "   d"]
    assert [line.strip()[:6] for line in shown(3, *TWO)] == ["1 bash", "2 bash", "went w"]
    assert len(shown(1, *TWO)) == 1


def mirrored(command: str, *printed: bytes) -> list[e.AnyEvent]:
    """The terminal's output while a command runs: its prompt, and what it has printed."""
    mirror = MirrorWriter()
    pieces = [mirror.prompt("model", command), *(mirror.output("stdout", one) for one in printed)]
    return [e.TerminalOutput(terminal=MIRROR, data=piece) for piece in pieces]


def test_a_running_command_shows_what_it_has_printed_last() -> None:
    command = "for i in $(seq 20); do\n echo tick\ndone"
    ticks = [f"tick {n}\n".encode() for n in range(1, 21)]
    running = [*call(2, "count", "")[:2], *mirrored(command, *ticks)]
    lines = shown(30, *call(1, "ls", "a\nb"), *running)
    assert lines[-20:] == [f"   tick {n}" for n in range(1, 21)], "as many as there is room for"
    assert shown(5, *running)[-1] == "   tick 20"
    assert not any("❯" in line or "│" in line for line in lines), "the call is above them"
    ended = e.CallFinished(call=2, observation="over", ok=True)
    assert shown(30, *running, ended)[-1] == "   over"
    following = [*running, ended, *call(3, "sleep 9", "")[:2]]
    assert "tick 20" not in str(shown(30, *following)), "it is the output of another call"


def test_the_lines_of_a_running_command_are_as_on_a_terminal() -> None:
    bar = b"10%\r\x1b[K\x1b[32m50%\x1b[0m\r\x1b[K90%"
    running = [*call(1, "make", "")[:2], *mirrored("make", b"begin\n\n", bar)]
    assert shown(8, *running)[1:] == ["   begin", "   90%"]
    full = [*call(1, "top", "")[:2], *mirrored("top", b"old\x1b[2J\x1b[1;1Hone\x1b[2;1Htwo")]
    assert shown(8, *full)[1:] == ["   one", "   two"]


def test_a_command_that_waits_for_input_shows_its_question_and_the_key() -> None:
    asks = [*call(1, "read", "")[:2], *mirrored("read", b"Your name? ")]
    awaited = e.InputAwaited(program="bash", answerable=True)
    assert shown(5, *asks, awaited)[1:] == ["   Your name?", "   enter open, to type there"]
    assert shown(1, *asks, awaited) == ["   Your name?"]
    assert shown(5, *asks)[1:] == ["   Your name?"]


def test_the_answer_is_the_last_line() -> None:
    submit = e.ToolCall(number=3, step=3, id="3", name="submit", arguments="{}")
    handed_in: list[e.AnyEvent] = [
        e.CallProposed(call=submit),
        e.CallStarted(call=3),
        e.CallFinished(call=3, observation="<<< Finished >>>", ok=True),
        e.RunFinished(
            reason="submitted", error=None, totals=e.Totals(), answer="42\n", output=None
        ),
    ]
    lines = shown(12, *TWO, *handed_in)
    assert lines[-1] == "answer: 42"
    assert not any("submit" in line or "Finished" in line for line in lines)


def test_an_answer_says_how_many_others_gave_it() -> None:
    end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="42", output=None)
    assert shown(5, end, vote="only 1 of 8") == ["answer: 42 · only 1 of 8"]


def test_an_answer_that_a_failed_run_left_is_marked() -> None:
    end = e.RunFinished(
        reason="model_error", error="busy", totals=e.Totals(), answer="42\n43", output=None
    )
    assert shown(5, end) == ["busy", "(not submitted) 42 …"]
    assert shown(1, end) == ["busy"]


def test_no_answer_is_said_in_words() -> None:
    end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="", output=None)
    assert shown(5, end) == ["no answer: output/answer.txt is empty"]


def test_a_rejected_call_is_shown_as_in_the_cockpit() -> None:
    asked = call(1, "rm -rf build", "")[0]
    rejected: list[e.AnyEvent] = [
        asked,
        e.CallHeld(call=1),
        e.CallDecided(call=1, verdict="reject", by="human", feedback="no"),
        e.CallFinished(call=1, observation="A person rejected this call.", ok=False),
    ]
    title, why = shown(6, *rejected)
    assert title.startswith(" 1 bash  rm -rf build")
    assert title.endswith("◆ rejected by you")
    assert why == "   “no”"


def test_a_waiting_call_is_shown_with_its_keys() -> None:
    asked = call(1, "rm -rf build", "")[0]
    lines = shown(6, asked, e.CallHeld(call=1))
    assert "rm -rf build" in lines[-2]
    assert "approve" in lines[-1]
    assert "rm -rf build" in shown(1, asked, e.CallHeld(call=1))[0]


def test_an_edit_that_would_fail_says_so_at_every_height() -> None:
    fields = {"command": "str_replace", "path": "/a.py", "old_str": "x\nx", "new_str": "y\nz"}
    asked = e.ToolCall(
        number=1, step=1, id="1", name="str_replace_editor", arguments=json.dumps(fields)
    )
    preview = EditPreview("there is no such file")
    events: list[e.AnyEvent] = [e.CallProposed(call=asked), e.CallHeld(call=1)]
    for height in (3, 4, 5, 20):
        words = "\n".join(shown(height, *events, preview=preview))
        assert "! This call would fail: there is no such file." in words


def test_a_long_waiting_call_says_how_much_of_it_is_left_out() -> None:
    command = "\\n".join(f"echo {number}" for number in range(9))
    asked = call(1, command, "")[0]
    lines = shown(6, asked, e.CallHeld(call=1))
    assert [line.split()[-1] for line in lines[:4]] == ["0", "1", "2", "3"]
    assert lines[4].strip() == "echo 4  … 4 more lines"
    assert "echo 1  … 7 more lines" in shown(3, asked, e.CallHeld(call=1))[1]
    whole = shown(12, asked, e.CallHeld(call=1))
    assert whole[-2].strip() == "echo 8"
    assert "approve" in whole[-1]


def test_the_name_of_a_tool_has_no_line_of_its_own() -> None:
    asked = call(1, "echo thinking about it; " + "uname -a; " * 6, "")[0]
    first, second, *_ = shown(4, asked, e.CallHeld(call=1))
    assert first.startswith(" 1 bash  echo thinking")
    assert second.startswith("         ")
    assert second.strip()


def test_lines_of_a_reply_run_on() -> None:
    said = e.ModelDelta(step=1, channel="text", text="Plan:\n\n```python\nprint('x')\n```\n")
    line, _ = shown(6, said)
    assert line == "Plan: print('x')"


@pytest.mark.parametrize("height", [1, 6, 20])
def test_a_reply_is_shown_without_its_markup(height: int) -> None:
    text = "Final. \n\n## Section 0\n\nThis is **bold 0**."
    said = e.ModelDelta(step=1, channel="text", text=text)
    shows = " ".join(" ".join(shown(height, said, *call(1, "ls", "a"))).split())
    assert "#" not in shows
    assert "*" not in shows


def test_a_tall_tile_draws_the_markdown_of_a_reply() -> None:
    text = "- list **files**\n- read `notes`\n\n```python\nprint('x')\n```\n"
    said = e.ModelDelta(step=1, channel="text", text=text)
    lines = [line.strip() for line in shown(20, said)]
    assert lines[:5] == ["• list files", "• read notes", "", "print('x')", "● writing 9s"]
    asked = call(1, "ls", "a")
    lines = [line.strip() for line in shown(20, said, *asked)]
    assert lines[:4] == ["• list files", "• read notes", "", "print('x')"]


def test_a_tile_says_what_the_model_does() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1, t=2.0)
    assert shown(6, asked) == ["● waits for the model 7s"]
    reasoning = e.ModelDelta(step=1, channel="reasoning", text="Let me see.", t=3.0)
    assert shown(6, asked, reasoning) == ["Let me see.", "● thinking 7s"]
    text = e.ModelDelta(step=1, channel="text", text="It is 42.", t=4.0)
    assert shown(6, asked, reasoning, text)[-1] == "● writing 5s"
    failed = e.ModelFailed(step=1, error="overloaded", attempt=1, retry_in=8.0, t=3.0)
    assert shown(6, asked, failed) == ["! try 2 of 5 in 2s", "  overloaded"]
    busy = "The server returned an error (503). It says: The engine is overloaded."
    busy_again = e.ModelFailed(step=1, error=busy, attempt=2, retry_in=9.5, status=503, t=3.0)
    assert shown(6, asked, failed, busy_again)[1] == "  503: The engine is overloaded."
    assert shown(1, asked, failed) == ["! try 2 of 5 in 2s: overloaded"]
    again = e.ModelAsked(step=1, digest="", messages=1, t=5.0)
    assert shown(6, asked, failed, again)[0] == "● try 2 of 5 · waits for the model 4s"


def test_a_retry_waits_for_the_command_that_the_model_is_to_see() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    failed = e.ModelFailed(step=1, error="overloaded", attempt=1, retry_in=8.0, t=0.0)
    command = e.HumanCommand(id=1, command="sleep 60", told_to_model=True)
    assert "! try 2 of 5 after your command" in shown(6, asked, failed, command)


def test_agreement_stands_behind_a_long_answer() -> None:
    submitted = e.RunFinished(
        reason="submitted", error=None, totals=e.Totals(), answer="word " * 40, output=None
    )
    line = shown(1, submitted, vote="4 of 6 agree")[0]
    assert line.startswith("word word")
    assert line.endswith("… · 4 of 6 agree")


def test_a_trimmed_tile_keeps_errors_and_drops_older_calls() -> None:
    three = [*call(1, "true", "x"), *call(2, "false", "went wrong", ok=False), *call(3, "ls", "a")]
    assert [line.strip()[:10] for line in shown(4, *three)] == [
        "2 bash  fa",
        "went wrong",
        "3 bash  ls",
        "a",
    ]
    assert [line.strip()[:10] for line in shown(3, *three)] == ["3 bash  ls", "a"]


def test_an_error_is_worth_more_than_more_output() -> None:
    two = [*call(1, "false", "went wrong", ok=False), *call(2, "ls", "a\nb\nc\nd")]
    assert [line.strip()[:10] for line in shown(4, *two)] == [
        "1 bash  fa",
        "went wrong",
        "2 bash  ls",
        "d",
    ]


def test_a_run_that_another_terminal_steers_can_only_be_opened() -> None:
    keys = decision_keys(80, PALETTE, steers=True).plain.split()
    assert keys == ["a", "approve", "r", "reject", "enter", "open"]
    words = decision_keys(80, PALETTE, steers=False).plain
    assert words.split()[:2] == ["enter", "open"]
    assert "in control" in words
    assert "approve" not in words


def test_a_reply_takes_the_lines_that_a_waiting_call_leaves() -> None:
    words = "I look at each of the files before I change any of them, one by one. " * 3
    asked = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments='{"command": "ls"}')
    replied = e.ModelReplied(
        step=1,
        message={"role": "assistant", "content": words},
        text=words,
        reasoning="",
        usage=e.Usage(),
        finish_reason="tool_calls",
        latency=0.1,
        cost=None,
    )
    events = [
        e.ModelAsked(step=1, digest="", messages=2),
        replied,
        e.CallProposed(call=asked),
        e.CallHeld(call=1),
    ]
    for height in (9, 20):
        lines = shown(height, *events)
        assert not any("…" in line for line in lines), lines
        assert "one by one." in lines[-3], lines


def test_a_small_tile_keeps_its_lines_for_what_the_run_does() -> None:
    notes = [
        e.RunResumed(away=0.0, resumed_at=0.0, sandbox_info={}),
        e.RuleGranted(tool="execute_bash", pattern="make *", call=1),
        e.Warned(text="something is wrong"),
    ]
    small = shown(7, *notes, *call(1, "make", "made"))
    assert small[:1] == ["something is wrong"], small
    assert not any("moved" in line or "you allowed" in line for line in small)
    tall = shown(20, *notes, *call(1, "make", "made"))
    assert any("you allowed from now on" in line for line in tall)


@pytest.mark.parametrize("height", [5, 20])
def test_that_a_run_was_detached_takes_no_line(height: int) -> None:
    detached = {"resumed_at": 0.0, "away": 0.0, "sandbox_info": {}, "lost": ("Files went.",)}
    resumed = e.RunResumed(**cast(Any, detached))
    lines = shown(height, *call(1, "ls", "a"), resumed)
    assert lines[0].startswith(" 1 bash")
    assert not any("moved to" in line for line in lines)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, " 1 edit  view /testbed/src/add.py"),
        ({"view_range": [3, 9]}, " 1 edit  view /testbed/src/add.py, lines [3, 9]"),
    ],
)
def test_a_waiting_view_takes_one_line(fields: dict[str, Any], words: str) -> None:
    arguments = json.dumps({"command": "view", "path": "/testbed/src/add.py", **fields})
    asked = e.ToolCall(number=1, step=1, id="1", name="str_replace_editor", arguments=arguments)
    lines = shown(6, e.CallProposed(call=asked), e.CallHeld(call=1))
    assert lines[0] == words
    assert len(lines) == 2, "the call and the keys"


def test_patterns_allowed_together_take_one_line() -> None:
    for pattern, number, words in (
        ("make {} *", 1, ["you allowed 4 patterns from now on"]),
        ("make {} [*]", 1, ["you allowed call 1 from now on"]),
        ("make {} *", None, []),  # allowed from another run
    ):
        granted = [
            e.RuleGranted(tool="execute_bash", pattern=pattern.format(one), call=number)
            for one in "abcd"
        ]
        lines = shown(20, *call(1, "make", "made"), *granted)
        assert [line for line in lines if "allowed" in line] == words


def test_an_answer_that_is_only_in_the_call_of_submit_is_shown_and_marked() -> None:
    submit = e.ToolCall(number=3, step=3, id="3", name="submit", arguments='{"answer": "42"}')
    handed_in: list[e.AnyEvent] = [
        e.CallProposed(call=submit),
        e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer=None, output=None),
    ]
    words = "answer: 42 · said in submit"
    assert shown(12, *TWO, *handed_in)[-1] == words


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ('{"answer": "42"}', " · submit said 42"),
        ('{"answer": "The answer is 17."}', ""),
        ('{"answer": "See output/answer.txt"}', ""),
        ('{"result": "I am done."}', ""),
        ("{}", ""),
    ],
)
def test_an_answer_that_submit_contradicts_is_marked(said: str, mark: str) -> None:
    submit = e.ToolCall(number=3, step=3, id="3", name="submit", arguments=said)
    end = e.RunFinished(
        reason="submitted", error=None, totals=e.Totals(), answer="17\n", output=None
    )
    assert shown(12, *TWO, e.CallProposed(call=submit), end)[-1] == f"answer: 17{mark}"


@pytest.mark.parametrize("height", range(3, 12))
def test_what_the_model_writes_takes_all_the_room(height: int) -> None:
    words = " ".join(f"word{number}" for number in range(400))
    events: list[e.AnyEvent] = [
        e.ModelAsked(step=1, digest="", messages=1),
        e.ModelDelta(step=1, channel="text", text=words),
    ]
    lines = shown(height, *events)
    assert len(lines) == height
    assert lines[-2].rstrip().endswith("word399")


def test_what_was_withdrawn_does_not_look_like_what_the_model_was_told() -> None:
    acts: list[e.AnyEvent] = [
        e.HumanMessage(id=1, text="never sent"),
        e.Withdrawn(id=1),
        e.HumanCommand(id=2, command="ls", told_to_model=True),
        e.HumanCommandStarted(id=2),
        e.HumanCommandFinished(id=2, observation="a", exit_code=0, duration=0.1),
        e.Withdrawn(id=2),
        e.HumanCommand(id=3, command="never ran", told_to_model=True),
        e.Withdrawn(id=3),
        e.HumanMessage(id=4, text="go on"),
    ]
    yours = [line for line in shown(12, *TWO, *acts) if line.startswith("you")]
    assert yours == ["you, withdrawn: $ ls", "you: go on"]
