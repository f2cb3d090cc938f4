"""Guide: Use the sandbox yourself."""

from __future__ import annotations

from collections.abc import Callable

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def test_shells_are_opened_used_and_closed(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun"), s.call("submit"))
    with person:
        person.enters(f"sandbox-tui run x --step --base-url {server.url} --model m")
        person.sees("waits for you")
        person.presses("t")
        person.sees("keyboard goes to the sandbox", "❯")
        person.types("echo by$((1+1))hand; pwd")
        person.presses("Enter")
        person.sees("by2hand")
        person.presses("C-]")
        person.no_longer_sees("keyboard goes to the sandbox")
        person.presses("+")
        person.sees("keyboard goes to the sandbox", "shell-2")
        person.types("echo in the$((1+1))second")
        person.presses("Enter")
        person.sees("the2second")
        person.presses("C-]")
        person.no_longer_sees("keyboard goes to the sandbox")
        person.presses("]")  # from the model's tab, which came back to the front
        person.sees("by2hand")
        person.presses("]")
        person.sees("the2second")
        person.presses("[")
        person.sees("by2hand")
        person.presses("]")
        person.sees("the2second")
        person.presses("Enter")
        person.sees("keyboard goes to the sandbox")
        person.types("printf '%500s\\n' end")
        person.presses("Enter", "C-]")
        person.no_longer_sees("keyboard goes to the sandbox")
        person.presses_and_looks(">", "<")
        person.presses("DC")
        person.no_longer_sees("the2second")
        person.presses("\\")
        person.presses("1", "a")
        person.sees("begun", "◆ call 2")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0


def test_a_command_asks_and_is_answered(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        s.call("execute_bash", command="read -p 'your name? ' name; echo hello $name"),
        s.call("submit"),
    )
    with (person.folder / "home" / "config.toml").open("a") as config:
        config.write('[agent]\ntty = true\n[ui]\nterminal_engine = "native"\n')
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("waits for input")
        person.presses("2", "Enter")
        person.types("Ada")
        person.presses("Enter")
        person.sees("hello Ada", "submitted")
        person.presses("C-]")
        person.presses("1", "q")
        assert person.is_back() == 0
