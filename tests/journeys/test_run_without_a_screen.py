"""Guide: Run without a screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def reply(request: dict[str, Any]) -> s.Scripted:
    """A call that fails, then submit."""
    if len(request["messages"]) > 2:
        return s.call("submit")
    return s.call("execute_bash", command="echo results >output/r; false")


def test_lines_of_text_and_json(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        run = f"sandbox-tui run x --base-url {server.url} --model m"
        person.runs(f"{run} --headless --wait-for-server 9s | cat")
        person.runs(f"{run} --json >events")
        assert '"RunFinished"' in (person.folder / "events").read_text()
        assert "exit" in person.runs("sandbox-tui replay last --headless | tail -20")
        person.runs("sandbox-tui replay last --json >again")
        assert (person.folder / "again").read_text() == (person.folder / "events").read_text()
        screen = person.runs(f"{run} --headless --mode ask --no-tty | tail")
        assert "not run" in screen or "rejected" in screen
        options = "--sandbox bubblewrap --network none --snapshots off --output out --prompts math"
        limits = "--max-steps 9 --max-tokens 99 --token-limit 9999 --time-limit 60"
        person.runs(f"{run} --json {options} {limits} --command-timeout 9 >/dev/null")
        once = "sandbox-tui run x --headless --wait-for-server 1s"
        screen = person.runs(f"{once} --base-url http://127.0.0.1:9/v1 --model m", 5)
        assert "has accepted no connection" in screen


def test_a_failure_has_an_exit_code(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.failure(404, "no model named m"))
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("model error")
        person.presses("q")
        assert person.is_back() == 5
        person.runs("sandbox-tui run x --headless", code=2)
