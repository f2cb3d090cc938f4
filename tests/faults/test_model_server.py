"""What a model server can do wrong, against the real program: what is kept, reported and returned.

Most runs share one program, each against a different fault. If the fault is temporary, the server's
next answer submits.
"""

from __future__ import annotations

import itertools
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import MAX_PENDING_EVENTS
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.recorder import MAX_BATCH
from tests import scripted_server as s
from tests.e2e.tmux import Terminal
from tests.faults.program import Program, against, only, stored
from tests.integration.conftest import require

Start = Callable[..., s.ScriptedServer]
Seen = list[e.AnyEvent]
SUBMIT = s.call("submit")
KEPT = s.call("execute_bash", command="echo kept >output/kept")


@pytest.fixture(autouse=True)
def embedded() -> None:
    require("bubblewrap")


def run(url: str, home: Path, *more: str, **environment: str) -> tuple[int, str, Seen]:
    """Exit code, stderr and events; checks that all printed events are stored."""
    with Program(*against(url, *more), home=home, **environment) as program:
        code = program.end()
        events, words = program.events, program.stderr
    assert stored(home) == events
    assert isinstance(events[-1], e.RunFinished)
    assert len(words.splitlines()) <= 1
    if code:
        assert (events[-1].error or "") in words
    return code, words, events


# --- the request is retried, and the run continues

PASSING = {
    "asks too much of us": (s.failure(429, "slow down", retry_after="1"), "Too many requests"),
    "is overloaded": (s.failure(503, "busy", retry_after="0"), "error (503)"),
    "breaks": (s.failure(500, "boom", retry_after="0"), "error (500)"),
    "ends in mid-call": (s.MISBEHAVIOURS["ends in mid-call"](), "ended in the middle"),
    "hangs up in mid-call": (s.MISBEHAVIOURS["hangs up in mid-call"](), "interrupted"),
    "sends null choices": (s.MISBEHAVIOURS["sends null choices"](), "empty"),
    "sends bad JSON": (s.MISBEHAVIOURS["sends bad JSON"](), "JSON"),
    "breaks off with an error": (s.MISBEHAVIOURS["breaks off with an error"](), "boom"),
}
"""An answer, and what is reported about it."""

SLOW = {
    "stalls after headers": ("SANDBOX_TUI_MODEL_STALL_TIMEOUT", "sent nothing within 8 s"),
    "drips": ("SANDBOX_TUI_MODEL_REQUEST_TIMEOUT", "did not finish its reply within 8 s"),
}
"""An answer that takes too long: the 8 s limit that it exceeds, and what is reported about it."""

TOLD = {
    "never says done": ("called no tool", 0),
    "does not stream": ("called no tool", 0),
    "makes ten calls at once": ("hello", 10),
    "calls an unknown tool": ("there is no tool named 'no_such_tool'", 1),
    "runs into the token limit": ("cut off by the token limit", 1),
}
"""What the model is told about its answer, and how many calls the answer contained."""


FINAL = {
    "refuses the key": (
        s.failure(401, "no such key"),
        1,
        "rejected the API key. Check OPENAI_API_KEY",
    ),
    "forbids it": (s.failure(403, "not you"), 1, "denied access"),
    "does not know the model": (s.failure(404, "no such model"), 1, "does not know the model"),
    "does not take the request": (s.failure(400, "bad things"), 1, "bad things"),
    "asks for an hour": (s.failure(429, "later", retry_after="3600"), 1, "60 min"),
    "sends a web page": (s.MISBEHAVIOURS["sends a web page"](), 1, "web page"),
    "filters": (s.MISBEHAVIOURS["filters"](), 1, "content filter"),
    "is never readable": (s.MISBEHAVIOURS["sends bad JSON"](), 2, "JSON"),
    "always breaks off": (s.MISBEHAVIOURS["ends in mid-call"](), 5, "ended in the middle"),
    "fails every time": (s.failure(500, "boom", retry_after="0"), 5, "500"),
}
"""An answer, how often it is requested, and what is reported about it; a call ran before it."""


@dataclass
class Together:
    """Concurrent runs of one program, each against a server with a different fault.

    Attributes:
        folder: the program's working folder.
        events: the events of each run, by task.
        requests: the requests each run's server received, by task.
    """

    folder: Path

    events: dict[str, Seen]
    requests: dict[str, list[s.Chunk]]


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Together:
    """Run all of them at once."""
    require("bubblewrap")
    home = tmp_path_factory.mktemp("together") / "home"
    asked: dict[str, list[s.Chunk]] = {task: [] for task in [*PASSING, *TOLD, *FINAL]}

    def answer(request: s.Chunk) -> s.Scripted:
        words = request["messages"][1]["content"]
        task = next(name for name in asked if f" {name}." in words)
        asked[task].append(request)
        if task in FINAL:
            return FINAL[task][0] if len(asked[task]) > 1 else KEPT
        if len(asked[task]) > 1:
            return SUBMIT
        return PASSING[task][0] if task in PASSING else s.MISBEHAVIOURS[task]()

    with s.ScriptedServer([answer]) as server:
        tasks = [f"The server {task}." for task in asked]
        arguments = against(server.url)[2:]
        with Program("run", *tasks, *arguments, home=home) as program:
            assert program.end() == 5  # because of the runs that could not continue
    store = Store(home / "sessions.db")
    runs = {run.task: list(store.events(run.id)) for run in store.runs()}
    store.close()
    return Together(home.parent, {task: runs[f"The server {task}."] for task in asked}, asked)


@pytest.mark.parametrize("what", PASSING)
def test_a_single_failure_is_retried(what: str, together: Together) -> None:
    assert_forgiven(together.events[what], together.requests[what], PASSING[what][1])


@pytest.mark.parametrize("what", SLOW)
def test_a_single_slow_reply_is_retried(what: str, own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(s.MISBEHAVIOURS[what](), SUBMIT)
    limit, words = SLOW[what]
    _, _, events = run(server.url, own_home, **{limit: "8"})
    assert_forgiven(events, server.requests, words)


def assert_forgiven(events: Seen, requests: list[s.Chunk], words: str) -> None:
    """Check that the run retried and continued."""
    assert events[-1].reason == "submitted"  # type: ignore[union-attr]
    (failed,) = only(e.ModelFailed, events)
    assert words in failed.error
    assert failed.retry_in is not None  # where the countdown starts
    assert len(requests) == 2
    # the conversation contains nothing of the broken reply
    assert requests[0]["messages"] == requests[1]["messages"]


@pytest.mark.parametrize("what", TOLD)
def test_the_model_is_told_what_was_wrong(what: str, together: Together) -> None:
    words, calls = TOLD[what]
    events, requests = together.events[what], together.requests[what]
    assert events[-1].reason == "submitted"  # type: ignore[union-attr]
    assert only(e.ModelFailed, events) == []
    answers = requests[1]["messages"][3:]
    assert any(words in answer["content"] for answer in answers)
    assert len(only(e.CallFinished, events)) == calls + 1
    assert sum(message["role"] == "tool" for message in answers) == calls


def test_the_received_part_of_a_broken_reply_is_kept(
    own_home: Path, scripted_server: Start
) -> None:
    cut = s.stream(s.chunk({"content": "I was about to"}), *s.fragments(0, *s.BASH, "a")[:2])
    code, _, events = run(scripted_server(cut, SUBMIT).url, own_home)
    assert code == 0
    assert only(e.ModelDelta, events)[0].text == "I was about to"
    assert [event.call.name for event in only(e.CallProposed, events)] == ["submit"]


def test_a_server_that_is_away_for_a_while(own_home: Path) -> None:
    """Refused, reported with a countdown, and retried."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    with Program(*against(f"http://127.0.0.1:{port}/v1"), home=own_home) as program:
        listening.accept()[0].close()  # it is there when the program starts, and then goes away
        listening.close()
        program.wait_for("ModelFailed", attempt=1)
        with s.ScriptedServer([SUBMIT], port=port) as server:
            assert program.end() == 0
            assert len(server.requests) == 1
        failed = only(e.ModelFailed, program.events)
        assert "cannot be reached" in failed[0].error
        assert failed[0].retry_in is not None


@pytest.mark.parametrize("what", FINAL)
def test_the_run_ends_and_says_why(what: str, together: Together) -> None:
    _, asked, words = FINAL[what]
    end = together.events[what][-1]
    assert isinstance(end, e.RunFinished)
    temporary = what in ("fails every time", "always breaks off", "asks for an hour")
    assert end.reason == ("model_unavailable" if temporary else "model_error")
    assert words in (end.error or "")
    assert len(together.requests[what]) == 1 + asked
    assert end.output is not None
    assert (together.folder / end.output / "kept").read_text() == "kept\n"


def test_a_requested_wait_of_an_hour_ends_the_run(own_home: Path, scripted_server: Start) -> None:
    """The end of a single run is reported by a sentence on stderr and by the exit code."""
    server = scripted_server(s.failure(429, "later", retry_after="3600"))
    code, stderr, _ = run(server.url, own_home)
    assert code == 5
    assert "to wait 60 min before the next request; after that, `sandbox-tui fork last`" in stderr
    assert len(server.requests) == 1


def test_a_conversation_that_no_longer_fits(own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(
        s.call("execute_bash", command="true"), s.MISBEHAVIOURS["has no room"]()
    )
    code, stderr, events = run(server.url, own_home)
    assert code == 7
    assert "no longer fits the model's context" in stderr
    assert events[-1].reason == "token_limit"  # type: ignore[union-attr]


def test_a_server_that_refuses_to_stream(own_home: Path, scripted_server: Start) -> None:
    whole = s.whole({"role": "assistant", "content": "words"})
    server = scripted_server(s.MISBEHAVIOURS["refuses to stream"](), whole, SUBMIT)
    code, stderr, _ = run(server.url, own_home)
    assert (code, stderr) == (0, "")
    assert [request.get("stream") for request in server.requests] == [True, None, None]


def test_a_run_is_ended_in_the_middle_of_a_flood(own_home: Path, scripted_server: Start) -> None:
    """Few events wait to be stored, however fast the chunks come."""
    pieces = s.chunk({"content": "a"}) + s.chunk({"reasoning_content": "b"})
    server = scripted_server(s.Scripted(itertools.repeat(pieces)))
    with Program(*against(server.url), home=own_home) as program:
        program.wait_for("ModelDelta", times=500)
        seen = len(program.events)
        program.send(signal.SIGTERM)
        assert program.end() == 143
        assert program.events[-1].reason == "cancelled"  # type: ignore[union-attr]
        waited = len(program.events) - seen
    assert waited < MAX_PENDING_EVENTS + 3 * MAX_BATCH + 1000  # the last are still in transit
    assert stored(own_home) == program.events


# --- on the screen


def test_the_countdown_is_shown_and_skipped(own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(s.failure(429, "slow down", retry_after="290"), SUBMIT)
    arguments = [word for word in against(server.url) if word != "--json"]
    with Terminal(*arguments, home=own_home) as terminal:
        terminal.wait_for("Too many requests", "try 2 of 5 in 04:")
        terminal.press("R")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0
