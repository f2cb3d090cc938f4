"""Steering a run in a real terminal: modes, policy, edits, the queue, freezing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import ReplyItem, fold
from tests import scripted_server as s
from tests.e2e.stored_events import stored
from tests.e2e.tmux import Terminal, looks
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]

POLICY = """
[policy]
default = "allow"

[[policy.rules]]
action = "deny"
tool = "execute_bash"
command = "rm *"
reason = "Nothing is deleted here."

[[policy.rules]]
action = "ask"
tool = "execute_bash"
command = "curl *"
reason = "This leaves the sandbox."

[[policy.rules]]
action = "ask"
tool = "str_replace_editor"
command = "create"
"""


def bash(command: str) -> s.Scripted:
    return s.call("execute_bash", command=command)


def start(server: s.ScriptedServer, home: Path, *more: str, **size: int) -> Terminal:
    sandbox = ("--sandbox", "bubblewrap") if "--sandbox" not in more else ()
    run = ("run", "a task", "--model", "m", "--base-url", server.url, *sandbox, *more)
    return Terminal(*run, home=home, **size)


def sent_messages(server: s.ScriptedServer) -> list[str]:
    """Return the contents of the messages after the task, including the model's own replies."""
    return [message["content"] for message in server.requests[-1]["messages"][2:]]


def leave(terminal: Terminal) -> None:
    terminal.wait_for("✓ submitted")
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_a_policy_asks_for_one_call_and_denies_another(
    own_home: Path, scripted_server: Start
) -> None:
    require("bubblewrap")
    own_home.mkdir()
    (own_home / "config.toml").write_text(POLICY)
    server = scripted_server(
        bash("ls / >/dev/null; rm -rf /testbed/input"),
        bash("curl --version | head -1"),
        bash("curl --version | head -1"),
        s.call("submit"),
    )
    with start(server, own_home, "--mode", "ask") as terminal:
        screen = terminal.wait_for("rejected by the policy", "This leaves the sandbox", "mode ask")
        assert "rule 2: ask execute_bash curl *" in screen
        assert "Y always" in screen
        terminal.press("Y")
        terminal.wait_for("approve always · call 2", "✓ matches this call", "enter allow")
        terminal.press("Enter")
        leave(terminal)
    decided = [d for d in stored(own_home) if isinstance(d, e.CallDecided)]
    assert [(d.verdict, d.by) for d in decided] == [
        ("reject", "policy"),
        ("approve", "human"),
        ("approve", "policy"),
        ("approve", "policy"),
    ]
    assert decided[0].rule == "rule 1: deny execute_bash rm *"
    assert decided[2].rule is not None
    assert "you allowed" in decided[2].rule
    sent = " ".join(filter(None, sent_messages(server)))
    assert "does not allow it. Nothing is deleted here." in sent
    assert "A person rejected" not in sent


def test_the_pattern_can_be_changed_and_the_mode_from_inside_the_prompt(
    own_home: Path, scripted_server: Start
) -> None:
    require("bubblewrap")
    server = scripted_server(
        bash("echo one two"),
        bash("echo three"),
        bash("printf four"),
        bash("printf five"),
        s.call("submit"),
    )
    with start(server, own_home, "--mode", "ask") as terminal:
        terminal.wait_for("◆ call 1", "no rule matches this call")
        terminal.press("Y")
        terminal.wait_for("● only this exact command", "echo one with any arguments")
        terminal.press("C-u")
        terminal.wait_gone("● only this exact command")
        terminal.type("echo *")
        terminal.wait_for("● echo with any arguments")
        terminal.press("Enter")
        terminal.wait_for("◆ call 3", "you allowed from now on: echo *")
        terminal.press("M")
        terminal.wait_for("● p  ask (policy)", "call 3 keeps waiting")
        terminal.press("s")
        terminal.wait_for("mode step", "mode: step", "◆ call 3")
        terminal.press("s")
        terminal.wait_for("Call 3 still waits for your decision")
        terminal.press("a")
        terminal.wait_for("◆ call 4")
        terminal.press("M")
        terminal.wait_for("● s  step", "call 4 keeps waiting")
        terminal.press("Up", "Up", "Enter")
        terminal.wait_for("mode: auto", "◆ call 4")
        terminal.press("a")
        leave(terminal)
    modes = [m.mode for m in stored(own_home) if isinstance(m, e.ModeChanged)]
    assert modes == ["ask", "step", "auto"]


def test_a_call_is_edited_as_plain_text(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    text = 'first\nsecond "quoted"\n'
    server = scripted_server(
        bash("echo one\necho two"),
        s.call("str_replace_editor", command="create", path="/testbed/a.txt", file_text=text),
        bash("echo as it is"),
        s.call("submit"),
    )
    with start(server, own_home, "--step") as terminal:
        terminal.wait_for("◆ call 1")
        terminal.press("e")
        screen = terminal.wait_for("edit call 1", "1  echo one", "2  echo two", "run edited call")
        assert "\\n" not in screen
        terminal.press("Down", "End", "Enter")  # the cursor is at the top
        terminal.type("echo three")
        terminal.press("C-s")
        terminal.wait_for("edited by you", "◆ call 2")
        terminal.press("e")
        terminal.wait_for("edit call 2", "content of the file", '2  second "quoted"')
        terminal.press("Down", "Down")
        terminal.type("third")
        terminal.press("F3")
        terminal.wait_for("arguments as JSON", 'second \\"quoted\\"\\nthird')
        terminal.press("F3")
        terminal.wait_for("content of the file", "3  third")
        terminal.press("C-s")
        terminal.wait_for("◆ call 3")
        terminal.press("e")
        terminal.wait_for("edit call 3")
        terminal.press("C-s")  # confirming without a change is an approval
        terminal.wait_for("◆ call 4")
        terminal.press("a")
        leave(terminal)
    decided = [d for d in stored(own_home) if isinstance(d, e.CallDecided)]
    assert [d.verdict for d in decided] == ["edit", "edit", "approve", "approve"]
    assert json.loads(decided[0].arguments or "")["command"] == "echo one\necho two\necho three"
    assert json.loads(decided[1].arguments or "")["file_text"] == f"{text}third"
    sent = sent_messages(server)
    assert "A person edited this call before it ran" in sent[1]
    assert "three" in sent[1]


def test_skip_reject_and_answer(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    server = scripted_server(
        bash("touch skipped"), bash("touch rejected"), bash("date"), s.call("submit")
    )
    with start(server, own_home, "--step") as terminal:
        terminal.wait_for("◆ call 1", "S skip")
        terminal.press("S")
        terminal.wait_for("skipped by you", "◆ call 2")
        terminal.press("r")
        terminal.wait_for("reason · the model", "enter send")
        terminal.type("use a pen")
        terminal.press("Enter")
        terminal.wait_for("rejected by you", "◆ call 3")
        terminal.press("A")
        terminal.wait_for("instead of running the call", "enter send")
        terminal.type("it is noon")
        terminal.press("Enter")
        terminal.wait_for("answered by you", "◆ call 4")
        terminal.press("M", "a")
        terminal.wait_for("mode auto")
        terminal.press("a")
        leave(terminal)
    state = fold(stored(own_home))
    assert not {"/testbed/skipped", "/testbed/rejected"} & set(state.files)
    sent = " ".join(filter(None, sent_messages(server)))
    for words in ("skipped this call", "They say: use a pen", "it is noon"):
        assert words in sent


def test_queued_messages_are_shown_edited_and_withdrawn(
    own_home: Path, scripted_server: Start
) -> None:
    require("bubblewrap")
    server = scripted_server(
        bash("echo begun; until [ -e /testbed/go ]; do sleep 0.05; done"),
        s.call("submit"),
        s.call("submit"),
    )
    with start(server, own_home) as terminal:
        terminal.wait_for("begun")
        terminal.press("m")
        terminal.wait_for("it reads this before", "enter send")
        terminal.type("be kwick")
        terminal.press("Enter")
        terminal.wait_for("queued for the model 1", "with the next request")
        terminal.press("m")
        terminal.wait_for("enter send")
        terminal.type("never mind")
        terminal.press("Enter")
        terminal.wait_for("queued for the model 2")
        terminal.press("i")
        terminal.wait_for("run a command in the sandbox", "enter run")
        terminal.type("echo from mee")
        terminal.press("Enter")
        terminal.wait_for("after the running call")
        terminal.press("u")
        terminal.wait_for("enter edit · d withdraw")
        terminal.press("g", "e")
        terminal.wait_for("edit message", "enter save")
        terminal.press(*["BSpace"] * 5)
        terminal.type("quick")
        terminal.press("Enter")
        terminal.wait_for("be quick")
        terminal.press("u")
        terminal.wait_for("enter edit · d withdraw")
        terminal.press("G", "e")
        terminal.wait_for("edit message", "enter save")
        terminal.press("BSpace")
        terminal.press("Enter")
        terminal.wait_gone("from mee")
        terminal.press("u")
        terminal.wait_for("enter edit · d withdraw")
        terminal.press("g", "j", "d")
        terminal.wait_for("queued for the model 2")
        terminal.press("1", "t")
        terminal.wait_for("keyboard goes to the sandbox", "❯")
        terminal.type("touch go")
        terminal.press("Enter")
        terminal.press("C-]")
        leave(terminal)
    events = stored(own_home)
    reworded = [event.text for event in events if isinstance(event, e.Reworded)]
    assert reworded == ["be quick", "echo from me"]
    state = fold(events)
    assert [human.text for human in state.humans.values()] == [
        "be quick",
        "never mind",
        "echo from me",
    ]
    assert [human.withdrawn for human in state.humans.values()] == [False, True, False]
    delivered = " ".join(event.text for event in events if isinstance(event, e.Delivered))
    assert "be quick" in delivered
    assert "never mind" not in delivered
    sent = json.dumps(server.requests[-1]["messages"])
    assert "be quick" in sent
    assert "kwick" not in sent
    assert "from mee" not in sent


def test_the_queue_works_with_the_mouse(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    server = scripted_server(bash("echo begun; sleep 100"), s.call("submit"), s.call("submit"))
    with start(server, own_home) as terminal:
        terminal.wait_for("begun")
        for number, words in enumerate(("first words", "second words"), 1):
            terminal.press("m")
            terminal.wait_for("it reads this before", "enter send")
            terminal.type(words)
            terminal.press("Enter")
            terminal.wait_gone("enter send")
            terminal.wait_for(words, f"queued for the model {number}")
        click(terminal, "second words", "✕")
        terminal.wait_for("queued for the model 1")
        click(terminal, "first words", "✎")
        terminal.wait_for("edit message", "enter save")
        terminal.type(", changed")
        terminal.press("Enter")
        terminal.wait_for("first words, changed")
        terminal.press("Escape")  # interrupt the command
        leave(terminal)
    delivered = [event.text for event in stored(own_home) if isinstance(event, e.Delivered)]
    assert len(delivered) == 1
    assert "first words, changed" in delivered[0]


def click(terminal: Terminal, row: str, mark: str) -> None:
    """Click on a mark in the queue's row that contains this text, as soon as it is drawn."""
    for last in looks():
        for y, line in enumerate(terminal.screen().split("\n")):
            if row in line and mark in line:
                at = f"{line.index(mark) + 1};{y + 1}"
                terminal.type(f"\x1b[<0;{at}M\x1b[<0;{at}m")
                return
        assert not last, f"no {mark} beside {row!r}"


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
def test_freezing_stops_the_command_and_its_time_limit(
    kind: str, own_home: Path, scripted_server: Start
) -> None:
    require(kind)
    server = scripted_server(
        bash("echo begun; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done; echo e''nd $i"),
        s.call("submit"),
    )
    more = ("--sandbox", kind, "--image", TEST_IMAGE, "--command-timeout", "3")
    with start(server, own_home, *more) as terminal:
        terminal.wait_for("begun")
        terminal.press("Z")
        terminal.wait_for("‖ frozen")
        time.sleep(3.5)  # longer than the time limit, which is the point of the test
        assert "end 9" not in terminal.screen()
        terminal.press("Z")
        terminal.wait_for("end 9")
        leave(terminal)
    events = stored(own_home)
    finished = next(event for event in events if isinstance(event, e.CallFinished))
    assert (finished.exit_code, finished.timed_out) == (0, False)
    assert [event.kind for event in events if "Sandbox" in event.kind] == [
        "SandboxFrozen",
        "SandboxThawed",
    ]


def test_ending_a_frozen_run_cleans_up(own_home: Path, scripted_server: Start) -> None:
    require("docker")
    server = scripted_server(bash("echo part >output/part.txt; echo begun; sleep 100"))
    sandbox = ("--sandbox", "docker", "--image", TEST_IMAGE)
    with start(server, own_home, *sandbox) as terminal:
        terminal.wait_for("begun")
        terminal.press("Z")
        terminal.wait_for("‖ frozen")
        terminal.press("q")
        terminal.wait_for("the run is paused")
        terminal.press("x")
        assert terminal.exit_code() == 130
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert (own_home.parent / (end.output or "") / "part.txt").read_text() == "part\n"
    assert not containers_of(stored(own_home))


def containers_of(events: list[e.AnyEvent]) -> list[str]:
    from sandbox_tui.core.sandboxes.docker.engine import connect

    first = events[0]
    assert isinstance(first, e.RunStarted)
    client = connect()
    try:
        label = f"sandbox-tui.session={first.run_id}"
        return [c.name for c in client.containers.list(all=True, filters={"label": label})]
    finally:
        client.close()


def test_reply_and_command_are_interrupted_alone(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    drip, drop = (
        s.stream(*(p for _ in range(999) for p in (s.chunk({"content": f"{word} "}), 0.1)))
        for word in ("drip", "drop")
    )
    server = scripted_server(drip, drop, bash("echo begun; sleep 100"), s.call("submit"))
    with start(server, own_home) as terminal:
        for word in ("drip", "drop"):
            terminal.wait_for(f"{word} {word} {word}")
            terminal.press("R")
            terminal.wait_for("You stopped the reply.")
        terminal.wait_for("begun")
        terminal.wait_gone("Asking the model again now")  # while it is shown, esc puts it away
        terminal.press("Escape")
        terminal.wait_for("The command was interrupted")
        leave(terminal)
    events = stored(own_home)
    state = fold(events)
    assert state.totals.calls == 2
    assert len(server.requests) == 4
    assert not [event for event in events if isinstance(event, e.ModelFailed)]
    stopped = [item for item in state.items if isinstance(item, ReplyItem) and item.interrupted]
    for item, word in zip(stopped, ("drip", "drop"), strict=True):
        assert item.text.startswith(f"{word} {word} {word}")


def test_keys_at_bad_moments_raise_nothing(own_home: Path, scripted_server: Start) -> None:
    """Press keys for calls that no longer wait and change modes at the same instant."""
    require("bubblewrap")
    server = scripted_server(*[bash("true")] * 12, s.call("submit"))
    with start(server, own_home, "--step") as terminal:
        terminal.wait_for("◆ call 1")
        for _ in range(4):
            terminal.press("a", "a", "S", "M", "M", "M", "s", "a", "Space", "Space", "Z", "Z")
        until = time.monotonic() + HANG_SECONDS
        while "✓ submitted" not in (screen := terminal.screen()):
            assert time.monotonic() < until, screen
            # which keys took effect depends on the state they met; the run may even be paused
            terminal.press("Z" if "‖ frozen" in screen else "Space" if "‖ paus" in screen else "a")
            time.sleep(0.1)
        leave(terminal)
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "submitted"
