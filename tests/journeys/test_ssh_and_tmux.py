"""Guide: SSH and tmux."""

from __future__ import annotations

from collections.abc import Callable

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def test_selections_reach_the_clipboard(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        s.call("execute_bash", command="printf '%s-me-over\\n' copy"), s.call("submit")
    )
    with person:
        person._tmux("set-option", "-s", "set-clipboard", "on")
        person.enters(f"sandbox-tui --theme ansi run x --base-url {server.url} --model m")
        person.sees("submitted", "copy-me-over")
        person.presses("2")
        person.clicks("copy-me-over", times=2)
        person.presses("y")
        person.sees("Copied.")
        person.presses("1", "q")
        assert person.is_back() == 0
        assert "copy-me" in person._tmux("show-buffer").stdout


def test_the_connection_goes_and_the_run_is_resumed_with_its_results_kept(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(
        s.call("execute_bash", command="echo kept >output/kept.txt; echo written; sleep 100"),
        s.call("submit"),
    )
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("written")
        person.hangs_up()
    with person:
        person.enters("sandbox-tui sessions ls")
        person.is_back()
        person.sees("disconnected")
        assert list((person.folder / "output").rglob("kept.txt"))
        person.enters("sandbox-tui resume last")
        person.sees("resumed after", "submitted")
        person.presses("q")
        assert person.is_back() == 0
