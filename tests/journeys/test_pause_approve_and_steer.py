"""Guide: Pause, approve and steer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def bash(command: str) -> s.Scripted:
    return s.call("execute_bash", command=command)


def test_calls_are_decided(person: Person, scripted_server: Serve) -> None:
    create = s.call(
        "str_replace_editor", command="create", path="/testbed/a.txt", file_text="one\n"
    )
    server = scripted_server(
        bash("echo first"),
        bash("echo second"),
        create,
        bash("touch rejected"),
        bash("touch skipped"),
        bash("date"),
        bash("echo again"),
        bash("echo again and again"),
        bash("echo stepped"),
        bash("echo the last"),
        s.call("submit"),
    )
    with person:
        person.enters(f"sandbox-tui run x --step --base-url {server.url} --model m")
        person.sees("waits for you", "◆ call 1")
        person.presses("W")
        person.sees("esc close", "echo first")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        person.presses("a")
        person.sees("◆ call 2")
        person.presses("e")
        person.sees("edit call 2", "echo second")
        person.presses("Escape")
        person.no_longer_sees("edit call 2")
        person.presses("e")
        person.sees("edit call 2")
        person.types(" and less")
        person.presses("Escape")
        person.sees("Draft saved")
        person.no_longer_sees("edit call 2")
        person.presses("e")
        person.sees("edit call 2", "and less", "original")
        person.presses("F5")
        person.no_longer_sees("and less")
        person.types(" and more")
        person.presses("C-s")
        person.sees("edited by you", "◆ call 3")
        person.presses("e")
        person.sees("edit call 3", "shift+tab other field")
        person.presses("BTab", "F3")
        person.sees("arguments as JSON", "file_text")
        person.presses("C-Home", "Right")
        person.types(" ")
        person.presses("F3")
        person.sees("content of the file")
        person.presses("F3")
        person.sees("arguments as JSON")
        person.presses("C-Home", "Right", "Space", "F2")
        person.sees("◆ call 4")
        person.presses("r")
        person.sees("reason · the model")
        person.types("not now")
        person.presses("Escape")
        person.sees("◆ call 4")
        person.presses("r")
        person.sees("✗ not now", "enter send")
        person.fills("use a pen")
        person.presses("Enter")
        person.sees("rejected by you", "◆ call 5")
        person.presses("S")
        person.sees("skipped by you", "◆ call 6")
        person.presses("A")
        person.sees("instead of running the call")
        person.types("it is noon")
        person.presses("Enter")
        person.sees("answered by you", "◆ call 7")
        person.presses("Y")
        person.sees("approve always · call 7")
        person.presses("Escape")
        person.no_longer_sees("approve always")
        person.presses("Y")
        person.sees("approve always · call 7", "only this exact command")
        person.presses("Down")
        person.sees("● echo again with any arguments")
        person.presses("Up")
        person.sees("● only this exact command")
        person.fills("date")
        person.sees("✗ does not match this call")
        person.presses("Enter")
        person.sees("This pattern does not match the call.")
        person.fills("echo again*")
        person.presses("C-s")
        person.sees("◆ call 9", "echo stepped")
        person.presses("L")
        person.sees("allowed in this run", "begins with “echo again”")
        person.presses("Escape")
        person.no_longer_sees("allowed in this run")
        person.presses("M", "l")
        person.sees("begins with “echo again”")
        person.presses("d")
        person.sees("you no longer allow: echo again*", "Nothing: every call")
        person.presses("Escape")
        person.presses("M")
        person.sees("auto", "ask (policy)", "step")
        person.presses("Escape")
        person.sees("◆ call 9")
        person.presses("M", "p")
        person.sees("mode ask", "◆ call 9")
        person.presses("M", "s")
        person.sees("mode step", "◆ call 9")
        person.presses("a")
        person.sees("◆ call 10")
        person.presses("M", "a")
        person.sees("mode auto", "◆ call 10")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0
    sent = str(server.requests[-1]["messages"])
    for words in ("second and more", "use a pen", "it is noon", "A person skipped"):
        assert words in sent


def test_a_call_is_edited_in_the_users_own_editor(home: Path, scripted_server: Serve) -> None:
    server = scripted_server(bash("cat notes.txt > copy.txt"), s.call("submit"), s.call("submit"))
    editor = home.parent / "own-editor"
    editor.write_text('#!/bin/sh\nprintf "echo ready"; read answer; echo "$answer" > "$1"\n')
    editor.chmod(0o755)
    with Person(home, environment={"EDITOR": str(editor)}) as person:
        person.enters(f"sandbox-tui run x --step --base-url {server.url} --model m")
        person.sees("◆ call 1", "files it names: copy.txt new")
        person.presses("e")
        person.sees("edit call 1", "$EDITOR")
        person.presses("F4")
        person.sees("echo ready")
        person.types("echo from my editor")
        person.presses("Enter")
        person.sees("edit call 1", "echo from my editor")
        person.presses("C-s")
        person.sees("edited by you", "◆ call 2")
        person.presses("m")
        person.sees("it reads this before", "$EDITOR")
        person.presses("F4")
        person.sees("echo ready")
        person.types("a message from my editor")
        person.presses("Enter")
        person.sees("a message from my editor", "enter send")
        person.presses("Enter")
        person.sees("queued for the model 1")
        person.presses("a")  # refused until the model has read the message
        person.sees("◆ call 3")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0
    assert "echo from my editor" in str(server.requests[-1]["messages"])
    assert "a message from my editor" in str(server.requests[-1]["messages"])


def test_the_run_is_paused_and_messaged(person: Person, scripted_server: Serve) -> None:
    drip = s.stream(*(p for _ in range(999) for p in (s.chunk({"content": "drip "}), 0.1)))
    server = scripted_server(
        bash("echo begun; until [ -e go ]; do sleep 0.1; done"),
        drip,
        bash("echo begun; sleep 1000"),
        bash("echo one call"),
        bash("echo and another"),
        bash("echo end; sleep 1000"),
        s.call("submit"),
    )
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --command-timeout 900")
        person.sees("begun")
        person.presses("Z")
        person.sees("frozen")
        person.presses("Z")
        person.no_longer_sees("frozen")
        person.presses("Space")
        person.sees("pausing")
        person.presses("E")
        person.sees("export, as recorded so far", "secrets")
        person.presses("Enter")
        person.types("so-far/")
        person.sees("new folder: writes")
        person.presses("C-s")
        person.sees("Wrote", "as recorded so far")
        assert [page.suffix for page in (person.folder / "so-far").iterdir()] == [".html"]
        person.presses("m")
        person.sees("it reads this before")
        person.types("be kwick")
        person.presses("Enter")
        person.sees("queued for the model 1")
        person.presses("m")
        person.sees("it reads this before")
        person.presses_and_looks("Up", "Down")
        person.types("never")
        person.presses("C-j")
        person.types("mind")
        person.sees("enter send", "new line")
        person.presses("Enter")
        person.sees("queued for the model 2")
        person.presses("m")
        person.sees("it reads this before")
        person.presses_and_looks("Up", "Up", "Up", "Down", "Down", "Down", "Escape")
        person.presses("u")
        person.sees("enter edit · d withdraw")
        person.presses("g", "e")
        person.sees("edit message")
        person.fills("be quick")
        person.presses("Enter")
        person.sees("be quick")
        person.presses("u")
        person.sees("enter edit · d withdraw")
        person.presses("G", "d")
        person.sees("queued for the model 1")
        person.presses("Escape")
        person.no_longer_sees("enter edit · d withdraw")
        person.presses("i")
        person.sees("run a command in the sandbox", "visible to model ◉")
        person.presses("C-t")
        person.sees("private ○")
        person.types("touch go")
        person.presses("Enter")
        person.sees("queued for the model")
        person.presses("t")
        person.sees("keyboard goes to the sandbox")
        person.types("touch go")
        person.presses("Enter", "C-]")
        person.no_longer_sees("keyboard goes to the sandbox")
        person.presses("1", "Space")
        person.sees("drip drip")
        person.presses("R")
        person.sees("echo begun; sleep 1000", "       ● ")
        person.presses("L")
        person.sees("Nothing was allowed in this run")
        person.presses("Escape")
        person.no_longer_sees("Nothing was allowed in this run")
        person.presses("2")
        person.sees("esc calls")
        person.presses("Escape")
        person.sees("esc interrupt")
        person.presses("1", "Escape")
        person.sees("✗ interrupted")
        person.presses("x")
        person.sees("End this run?")
        person.presses("n")
        person.no_longer_sees("End this run?")
        person.sees("echo end")
        person.presses("x")
        person.sees("End this run?")
        person.presses("y")
        person.sees("cancelled")
        person.presses("q")
        assert person.is_back() == 130
    sent = str(server.requests[-1]["messages"])
    assert "be quick" in sent
    assert "kwick" not in sent
    assert "never mind" not in sent


def test_one_call_at_a_time(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*[bash("sleep 0.3")] * 30, s.call("submit"))
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("1 bash")
        person.presses("s")
        person.sees("◆ waits for you", "mode step")
        person.presses("C-q")
        person.sees("1 run waits for you. End it and quit?")
        person.presses("y")
        assert person.is_back() == 130


def test_a_retry_is_not_waited_for(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.failure(503, "busy", retry_after="60"), s.call("submit"))
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("503")
        person.presses("R")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0
