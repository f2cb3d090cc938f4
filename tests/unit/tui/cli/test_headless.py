"""The output of a run without a screen: suitable for a screen reader."""

from __future__ import annotations

import io
import re

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.event_lines import tally_lines
from sandbox_tui.tui.cli.headless import text_writer
from sandbox_tui.tui.cli.show_app import Ended, say_how_it_ended
from tests.unit.event_streams import started
from tests.unit.sample_run import sample

HOSTILE = "a\x1b[31m\x1b]0;x\x07\rb\u202e\x9b"


def lines(events: list[e.AnyEvent], label: str = "", resumed_at: int = 0) -> list[str]:
    stream = io.StringIO()
    write = text_writer(stream, label, resumed_at=resumed_at)
    for event in events:
        write(event)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("text", ["plain", HOSTILE, "two\nlines"])
def test_lines_are_plain_words_that_never_change(text: str) -> None:
    printed = lines(sample(text)[0])
    assert len(printed) > 5
    for line in printed:
        assert line.isprintable()
        assert not re.search("[\u2190-\u21ff\u2500-\u25ff\u2800-\u28ff]|->|=>", line), line
        assert re.match(r"(\d+:)?\d\d:\d\d  \S", line), "each line stands alone"


def test_how_a_call_went_comes_before_what_it_was() -> None:
    printed = lines(sample("plain")[0])
    (failed,) = [line for line in printed if "call 1" in line and "failed" in line]
    assert re.search(r"call 1 failed \(edited by you, exit 3, 0\.50s\): bash ", failed)


def proposed() -> list[e.AnyEvent]:
    """The events until the first call is proposed."""
    events, _ = sample("plain")
    at = next(i for i, event in enumerate(events) if isinstance(event, e.CallProposed))
    return events[: at + 1]


def test_only_the_last_end_of_a_resumed_run_is_its_end() -> None:
    why = "Its terminal was closed."
    end = e.RunFinished(seq=2, t=1.0, reason="disconnected", error=why, totals=e.Totals())
    last = e.RunFinished(seq=4, t=3.0, reason="submitted", error=None, totals=e.Totals())
    resumed = e.RunResumed(seq=3, t=2.0, resumed_at=9.0, away=120.0, sandbox_info={})
    printed = lines([started("r"), end, resumed, last], resumed_at=3)
    assert [line for line in printed if "ended:" in line] == ["00:03  ended: submitted"]
    assert "00:01  was disconnected: Its terminal was closed." in printed
    assert "00:02  resumed after 2 min." in printed


def test_a_call_that_failed_says_why() -> None:
    told = "Exit code: 1\n[STDOUT]\nyes\n[STDERR]\nTraceback\nKeyError: 'x\x1b'\n"
    failed = e.CallFinished(call=1, observation=told, ok=False, exit_code=1, duration=0.5)
    how, why = lines([*proposed(), failed])[-2:]
    assert "call 1 failed (exit 1, 0.50s): bash " in how
    assert why.endswith("call 1 error: KeyError: 'x␛'")


def test_a_call_that_was_interrupted_has_not_failed() -> None:
    ended = e.CallFinished(call=1, observation="", ok=False, duration=0.5, interrupted=True)
    assert "call 1 interrupted (0.50s): bash " in lines([*proposed(), ended])[-1]


def test_the_end_is_named_in_words() -> None:
    end = e.RunFinished(reason="max_steps", error="It was long.", totals=e.Totals())
    assert lines([end])[0].endswith("ended: max steps: It was long.")


def test_a_failed_request_says_when_the_next_one_follows() -> None:
    failed = e.ModelFailed(step=1, attempt=1, max_attempts=5, error="Is it on?", retry_in=5.0)
    assert lines([failed])[0].endswith("model failed (attempt 1 of 5, next in 5 s): Is it on?")


def test_a_call_that_the_user_edited_says_so() -> None:
    events, _ = sample("plain")
    at = next(i for i, event in enumerate(events) if isinstance(event, e.CallProposed))
    edit = e.CallDecided(call=1, verdict="edit", by="human", arguments='{"command": "echo other"}')
    done = e.CallFinished(call=1, observation="other", ok=True, duration=0.0)
    printed = lines([*events[: at + 1], edit, done])
    assert "call 1 ok (edited by you, 0.00s): bash echo other" in printed[-1]


def test_lines_of_several_runs_begin_with_their_number() -> None:
    printed = lines(sample("plain")[0], "[2] ")
    assert printed[0].startswith("[2] 00:00  session ")


def test_a_call_that_waits_is_reported() -> None:
    events, _ = sample("plain")
    at = next(i for i, event in enumerate(events) if isinstance(event, e.CallProposed))
    printed = lines([*events[: at + 1], e.CallHeld(call=1, rule="ask\x1b")])
    assert "waiting: call 1 waits for a decision (ask␛): bash echo plain" in printed[-1]


def test_a_reply_that_was_stopped_is_no_failure() -> None:
    printed = lines(
        [
            e.ModelAsked(step=1, digest="", messages=2),
            e.ModelDelta(step=1, channel="text", text="I would\x1b rather"),
            e.ReplyInterrupted(step=1),
        ]
    )
    assert printed == ["00:00  step 1 (You stopped the reply.): I would␛ rather"]


def test_a_reply_without_a_call_is_labelled() -> None:
    replied = e.ModelReplied(
        step=1, message={}, text="words", reasoning="", usage=e.Usage(), finish_reason="stop",
        latency=1.0, reminder="call one",
    )  # fmt: skip
    assert lines([replied])[0].endswith("): words (No tool was called; the model was reminded.)")


def finished(answer: str | None) -> e.RunFinished:
    totals = e.Totals(steps=1, calls=1)
    return e.RunFinished(reason="submitted", error=None, totals=totals, answer=answer)


def test_every_line_of_an_answer_stands_alone() -> None:
    printed = lines([finished("one\n\n  two\nthree\n")], "[2] ")
    assert printed == [
        "[2] 00:00  ended: submitted",
        "[2] 00:00  1 step, 1 call, 0 tokens",
        "[2] 00:00  answer: one",
        "[2] 00:00  answer:   two",
        "[2] 00:00  answer: three",
    ]
    assert lines([finished(" \n")])[-1] == "00:00  no answer"


def test_an_answer_that_is_only_in_the_call_of_submit_is_marked() -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments='{"answer": "42"}')
    proposed = e.CallProposed(call=call)
    marked = "answer (said in submit; output/answer.txt was not written): 42"
    assert lines([proposed, finished(None)])[-1].endswith(marked)
    assert lines([proposed, finished("43")])[-1].endswith("answer: 43")


@pytest.mark.parametrize(
    ("verdict", "by", "words"),
    [
        ("reject", "policy", "call 1 not run (rule 1): bash "),
        ("reject", "human", "call 1 not run (you): bash "),
        ("skip", "human", "call 1 skipped (you): bash "),
    ],
)
def test_a_call_that_was_not_run_is_reported_once_and_has_not_failed(
    verdict: e.Verdict, by: e.Actor, words: str
) -> None:
    events, _ = sample("plain")
    at = next(i for i, event in enumerate(events) if isinstance(event, e.CallProposed))
    printed = lines(
        [
            *events[: at + 1],
            e.CallDecided(call=1, verdict=verdict, by=by, rule="rule 1"),
            e.CallFinished(call=1, observation="no", ok=False, duration=0.0),
        ]
    )
    assert [line for line in printed if "call 1" in line] == [printed[-1]]
    assert words in printed[-1]
    assert "failed" not in printed[-1]


def test_why_a_sandbox_was_chosen_is_a_sentence() -> None:
    first = msgspec.structs.replace(
        started(), sandbox_info={"image": "x", "chosen": "an engine answers"}
    )
    assert lines([first])[0].endswith("(image x, picked automatically: an engine answers)")


def test_the_reason_is_that_of_the_programs_own_run(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other programs record at the same time, and so do other runs of this program."""
    for name, at in (("mine", 1.0), ("well", 2.0), ("another", 3.0)):
        error = None if name == "well" else f"why {name} failed"
        reason = "model_error" if error else "submitted"
        end = e.RunFinished(seq=2, t=1.0, reason=reason, error=error, totals=e.Totals())
        store.append(name, [started(name, started_at=at), end])
    say_how_it_ended(store, Ended(5, ["mine", "well", "never-recorded"]))
    assert capsys.readouterr().err == "sandbox-tui: model error: why mine failed (mine)\n"
    say_how_it_ended(store, Ended(0, ["mine"]))
    assert capsys.readouterr().err == ""


def test_one_reason_of_many_runs_is_given_once(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["one", "two", "three"]
    for name in names:
        end = e.RunFinished(
            seq=2, t=1.0, reason="cancelled", error="Its terminal closed.", totals=e.Totals()
        )
        store.append(name, [started(name), end])
    say_how_it_ended(store, Ended(130, names))
    assert capsys.readouterr().err == "sandbox-tui: cancelled: Its terminal closed. (3 runs)\n"


def test_a_run_that_the_user_ended_is_not_reported_as_an_error(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    end = e.RunFinished(
        seq=2, t=1.0, reason="cancelled", error="You ended the run.", totals=e.Totals()
    )
    store.append("mine", [started("mine"), end])
    say_how_it_ended(store, Ended(130, ["mine"]))
    assert capsys.readouterr().err == ""


def test_a_fork_prints_where_it_begins_and_nothing_of_its_parent() -> None:
    parent, _ = sample("plain")
    at = max(event.seq for event in parent)
    first = msgspec.structs.replace(started(), seq=1, run_id="f", parent="p", parent_seq=at)
    forked = e.Forked(
        parent="p", parent_seq=at, step=2, snapshot=None, repeats=0, model="m", sandbox_info={}
    )
    told = e.HumanMessage(id=9, text="Use the\n standard library.\x1b")
    printed = lines(
        [
            first,
            *[event for event in parent if not isinstance(event, e.RunStarted)],
            msgspec.structs.replace(forked, seq=at + 1),
            msgspec.structs.replace(told, seq=at + 2),
        ]
    )
    assert [line.split("  ", 1)[1] for line in printed[1:]] == [
        "forked from p after step 2; new from here",
        "you: Use the standard library.␛",
    ]
    assert "session f: " in printed[0]
    again = lines([msgspec.structs.replace(forked, repeats=3)])
    assert again[0].endswith("forked from p after step 2, 3 calls run again; new from here")


def test_a_fork_before_a_call_begins_in_the_step_of_the_call() -> None:
    parent, _ = sample("plain")
    proposed = [event for event in parent if isinstance(event, e.CallProposed)][-1]
    at, step = proposed.seq - 1, proposed.call.step
    forked = e.Forked(
        parent="p", parent_seq=at, step=step, snapshot=None, repeats=7, model="m", sandbox_info={}
    )
    first = msgspec.structs.replace(started(), seq=1, run_id="f", parent="p", parent_seq=at)
    shared = [event for event in parent if 1 < event.seq <= at]
    printed = lines([first, *shared, msgspec.structs.replace(forked, seq=at + 1)])
    assert printed[-1].endswith(f"forked from p in step {step}, 7 calls run again; new from here")


def test_several_runs_end_with_a_tally() -> None:
    used = e.Totals(steps=2, calls=1, usage=e.Usage(input_tokens=900, output_tokens=100), cost=0.25)
    ends = [
        e.RunFinished(reason="submitted", error="", totals=used),
        None,
        e.RunFinished(reason="submitted", error="", totals=used),
        e.RunFinished(reason="max_steps", error="", totals=e.Totals()),
    ]
    assert tally_lines(ends) == [
        "4 runs: 2 submitted, 1 unfinished, 1 max steps",
        "in total 4 steps, 2 calls, 2.0k tokens, $0.50",
    ]
