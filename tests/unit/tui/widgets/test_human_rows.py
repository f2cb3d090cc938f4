"""Rows of what the user did: whether the model gets it, before and after the end of the run."""

from __future__ import annotations

from dataclasses import replace

from sandbox_tui.core.agent.message_queue import PROGRAM, QueuedMessage
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import HumanItem, RunState, fold
from sandbox_tui.core.run.human.unseen_messages import unseen_sentences
from sandbox_tui.core.tools.bash import INTERRUPTED
from sandbox_tui.tui.widgets.calls.rows.free_shell import waits_until
from sandbox_tui.tui.widgets.calls.rows.human_rows import RunEnd, human_lines
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_growing_markdown import PALETTE

MESSAGE = HumanItem(1, 0.0, "Look at the input first.")
NOT_RUN = HumanItem(2, 0.0, "ls", "ls")
RAN = HumanItem(
    3,
    0.0,
    "pwd",
    "pwd",
    started=True,
    finished=e.HumanCommandFinished(id=3, observation="/testbed\n", exit_code=0, duration=0.1),
)
REPLIED = e.ModelReplied(
    t=2.0,
    step=1,
    message={},
    text="Hi",
    reasoning="",
    usage=e.Usage(),
    finish_reason="stop",
    latency=1.0,
)
EDIT = e.HumanFile(id=4, action="edit", path="a.py", told_to_model=True)
FILE = HumanItem(4, 0.0, "a.py", file=EDIT)


def status(item: HumanItem, run_ended: bool) -> str:
    return human_lines(item, 80, False, PALETTE, "over" if run_ended else "")[1].plain.strip()


def test_what_waits_is_sent_while_the_run_goes_on_and_never_after_its_end() -> None:
    assert status(MESSAGE, False) == "◇ will be sent with the next request"
    assert status(MESSAGE, True) == "never sent: the run ended"
    assert status(NOT_RUN, False) == "◇ after the running call  visible to model"
    assert status(NOT_RUN, True) == "never ran: the run ended"
    assert status(RAN, False).endswith("/testbed  visible to model")
    assert status(RAN, True).endswith("/testbed  the model never saw it")
    assert status(FILE, False).endswith("visible to model")
    assert status(FILE, True).endswith("the model never saw it")


def test_a_message_is_delivered_once_a_request_with_it_is_answered() -> None:
    state = fold([started("r"), e.HumanMessage(id=1, text="hello")])
    asked = e.ModelAsked(step=1, digest="", messages=1)
    failed = e.ModelFailed(t=0.5, step=1, error="busy", attempt=1, retry_in=5.0)
    retried = e.ModelAsked(t=1.0, step=1, digest="", messages=1)
    again = e.ModelAsked(t=3.0, step=2, digest="", messages=3)
    told: list[str] = []
    for event in (
        *(e.Delivered(step=1, ids=(1,), text="hello"), asked, failed, retried),
        *(e.ModelDelta(step=1, channel="text", text="Hi"), REPLIED, again),
    ):
        state.apply(event)
        told.append(words_of(state))
    waits, read = "◇ sent, no reply yet", "✓ delivered"
    assert told == [waits, waits, "◇ sent with the next try", waits, read, read, read]


def test_a_message_that_was_never_answered_is_not_said_to_be_delivered() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    said = (e.HumanMessage(id=1, text="hello"), e.Delivered(step=1, ids=(1,), text="hello"))
    end = e.RunFinished(reason="cancelled", error=None, totals=e.Totals())
    assert words_of(fold([started("r"), *said, asked, end]), "over") == "sent, never answered"


def words_of(state: RunState, end: RunEnd = "") -> str:
    item = state.humans[1]
    starts = waits_until(item, state)
    return human_lines(item, 80, False, PALETTE, end, starts)[1].plain.strip()


def test_what_was_withdrawn_is_not_said_to_be_visible() -> None:
    for item in (RAN, FILE):
        gone = replace(item, withdrawn=True)
        for run_ended in (False, True):
            assert status(gone, run_ended).endswith("withdrawn: the model never saw it")
    assert status(replace(NOT_RUN, withdrawn=True), False) == "withdrawn"
    assert status(replace(MESSAGE, withdrawn=True), False) == "withdrawn"


def test_the_warnings_quote_the_user_and_not_what_is_written_around_it_for_the_model() -> None:
    humans = {item.id: item for item in (MESSAGE, RAN, FILE)}
    queued = [QueuedMessage(item, "A person who watches this run …", True) for item in humans]
    hint = QueuedMessage(PROGRAM, "You repeat yourself.", False)
    assert list(unseen_sentences([hint, *queued], humans)) == [
        "The model never saw your message: Look at the input first.",
        "The model never saw the output of your command: pwd",
        "The model never saw that you changed a.py.",
    ]


def test_a_command_with_several_lines_of_output_says_how_many() -> None:
    finished = e.HumanCommandFinished(id=5, observation="a\nb\nc\n", exit_code=0, duration=0.1)
    item = HumanItem(5, 0.0, "ls", "ls", started=True, finished=finished)
    assert "· 3 lines  visible to model" in status(item, False)


def test_a_command_that_was_interrupted_says_so_as_a_call_of_the_model_does() -> None:
    output = f"Exit code: -1\nExecution output of [execute_bash]:\n[STDOUT]\n\n{INTERRUPTED}"
    done = e.HumanCommandFinished(id=1, observation=output, exit_code=130, duration=11.0)
    item = HumanItem(1, 0.0, "sleep 40", "sleep 40", started=True, finished=done)
    status = human_lines(item, 100, False, PALETTE)[1].plain
    assert status.strip().startswith("✗ interrupted 11")
    assert "exit" not in status
