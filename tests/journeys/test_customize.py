"""Guide: Customize."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable

from sandbox_tui.tui.screens.setting_rows import ROWS
from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def test_settings_are_changed_on_their_screen(person: Person) -> None:
    with person:
        person.enters("sandbox-tui")
        person.sees("n new run")
        person.presses(",")
        person.sees("settings", "Settings file:", "the default · a change applies at once")
        person.presses("Right")
        person.sees("previewed as you choose")
        person.presses("Escape")
        person.sees("Leave without saving ui.theme?")
        person.presses("y")
        person.no_longer_sees("Settings file:")
        person.presses(",")
        person.sees("Settings file:")
        person.types("/")
        person.sees("found")
        person.types("bubblewrap")
        person.presses("Enter")
        person.presses("Escape")
        person.sees("animations")
        person.presses("C-f")
        person.sees("found")
        person.types("nothing-like-it")
        person.sees("0 found")
        person.presses("Escape")
        person.no_longer_sees("0 found")
        person.presses("C-f")
        person.types("ui.theme")
        person.sees("1 found")
        person.presses("Enter")
        person.presses("Escape")
        person.no_longer_sees("1 found")
        for row in (row for rows in ROWS.values() for row in rows):
            if row.values:
                person.presses_and_looks("Right", "Left", "Right")
            else:
                person.fills(TYPED[row.name])
            person.presses_and_looks("Down")
        person.presses_and_looks("Up", "PageUp", "PageDown")
        person.sees("steps per run")
        person.fills("many")
        person.sees("Must be a whole number.", "1 field needs attention", "^r default")
        person.presses("C-r")
        person.no_longer_sees("1 field needs attention")
        person.sees("changes not saved")
        person.fills("42")
        person.presses("Escape")
        person.sees("Leave without saving", "limits.max_steps")
        person.presses("n")
        person.no_longer_sees("Leave without saving")
        person.presses_and_looks("PageDown")
        person.presses("C-s")
        person.sees("Saved in", "apply to new runs")
        person.presses("q")
        assert person.is_back() == 0
        screen = person.runs("sandbox-tui config")
        for value in ["my-image", "42", "900000", "1h", "2.5", "1m17s", "desktop"]:
            assert value in screen


TYPED = {
    "model.name": "qwen3",
    "model.base_url": "http://127.0.0.1:8473/v1",
    "model.api_key_env": "MY_KEY",
    "model.temperature": "0.5",
    "model.context_length": "32768",
    "model.request_timeout": "900",
    "model.stall_timeout": "200",
    "model.local_ports": "8000, 8473",
    "agent.prompts": "math",
    "agent.output": "results",
    "agent.observation_lines": "90",
    "agent.observation_chars": "9000",
    "sandbox.image": "my-image",
    "sandbox.memory": "1000000000",
    "sandbox.cpus": "1.5",
    "sandbox.pids": "300",
    "sandbox.grace": "60",
    "sandbox.snapshots_kept": "5",
    "sandbox.snapshots_bytes": "1000000",
    "limits.max_steps": "41",
    "limits.max_tokens": "4096",
    "limits.token_limit": "900000",
    "limits.time_limit": "3600",
    "limits.cost_limit": "2.5",
    "limits.command_timeout": "77",
    "limits.repeated_calls": "12",
    "limits.max_attempts": "31",
}
"""What is typed into each field of the settings that has no list of values."""


def test_everything_is_found_by_name(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0")
        person.enters("sandbox-tui")
        person.sees("n new run", "Which harbour")
        person.presses("?")
        person.sees("type to filter", "Runs side by side – no run was started here yet")
        person.types("settings")
        person.no_longer_sees("Runs side by side")
        person.sees("Settings")
        person.presses("Escape")
        person.no_longer_sees("type to filter")
        person.presses("C-p")
        person.sees("palette", "Actions", "Sessions")
        person.presses("Escape")
        person.no_longer_sees("Sessions")
        person.presses("C-p")
        person.types("daylight")
        person.sees("Themes")
        person.presses("Enter")
        person.no_longer_sees("Themes")
        person.presses("C-p")
        person.sees("Recent")
        person.types("cost limits")
        person.sees("Max cost – limits of new runs")
        person.presses("Enter")
        person.sees("Settings file:")
        person.fills("2.5")
        person.presses("C-s")
        person.sees("Saved in")
        person.presses("C-p")
        person.types("harbour")
        person.sees("Sessions")
        person.presses("Enter")
        person.sees("replay", "event")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        assert person.is_back() == 0
        screen = person.runs("sandbox-tui config")
        assert "daylight" in screen
        assert "2.5" in screen


def test_settings_are_changed_on_the_command_line(person: Person) -> None:
    with person:
        assert "config.toml" in person.runs("sandbox-tui config path")
        person.runs("sandbox-tui config set ui.theme contrast")
        assert "contrast" in person.runs("sandbox-tui config --changed")
        got = person.runs("sandbox-tui config get ui.theme")
        assert "contrast" in [line.strip() for line in got.splitlines()]
        person.runs("sandbox-tui config set keys.home.new f9")
        assert "contrast" in person.runs("sandbox-tui config --json | grep theme")
        assert "f9" in person.runs("sandbox-tui keys | grep home.new")
        person.enters("sandbox-tui keys")  # too many for the screen: a pager shows them
        person.sees("app: everywhere", "app.quit")
        person.presses("q")
        assert person.is_back() == 0
        assert "f9" in person.runs("sandbox-tui keys home")
        assert "live.approve" in person.runs("sandbox-tui keys 'approve the call'")
        assert "live.pause" in person.runs("sandbox-tui keys live pause")
        assert "usual" in person.runs("sandbox-tui keys --json | grep home.new")
        person.enters("sandbox-tui --theme ansi")
        person.sees("f9 new run")
        person.presses("F9")
        person.sees("max steps")
        person.presses("Escape")
        person.no_longer_sees("max steps")
        person.presses("q")
        assert person.is_back() == 0
        person.runs("sandbox-tui config unset ui.theme")
        assert "lamplight" in person.runs("sandbox-tui config")
        person.runs("sandbox-tui config set ui.theme no-such-theme", code=2)
        rules = (
            """sandbox-tui config set policy.rules '[{action = "deny", tool = "execute_bash"}]'"""
        )
        person.runs(rules)
        person.runs("sandbox-tui config set policy.rules '[]' --yes")
        person.runs(rules)
        person.runs("sandbox-tui config unset policy.rules --yes")
        person.runs("sandbox-tui config set model.base_url nowhere", code=2)
        assert person.runs("sandbox-tui --version")
        assert person.runs("sandbox-tui -V")
        assert "serve" in person.runs("sandbox-tui --help")
        assert "--format" in person.runs("sandbox-tui help sessions export")


def test_commands_and_sessions_are_completed(person: Person) -> None:
    with person:
        listed = "sandbox-tui sessions ls | cut -c 1-21 | tail -1"
        screen = person.runs(f"sandbox-tui demo --headless --speed 0 >/dev/null; {listed}")
        session = next(line for line in screen.splitlines() if line.startswith("20")).strip()
        person.runs('eval "$(sandbox-tui completion bash)"; clear')
        person.types("sandbox-tui repl")
        person.presses("Tab")
        person.wait_for("sandbox-tui replay")
        person.types("20")
        person.presses("Tab")
        person.wait_for(f"sandbox-tui replay {session}")
        person.presses("C-c")


def test_every_setting_is_obeyed(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        s.call("execute_bash", command="seq 2000; touch output/x"), s.call("submit")
    )
    (person.folder / "home" / "config.toml").write_text(f"""
[model]
name = "mine"
base_url = "{server.url}"
api_key_env = "MY_KEY"
temperature = 0.5
tool_calls = "native"
context_length = 32768
extra_body = {{ top_k = 3 }}
request_timeout = 100.0
stall_timeout = 50.0
[sandbox]
kind = "bubblewrap"
network = "none"
memory = 1000000000
cpus = 1.0
pids = 200
grace = 60.0
snapshots = "every"
snapshots_kept = 3
snapshots_bytes = 100000000
[limits]
max_steps = 50
max_tokens = 500
token_limit = 100000
time_limit = 300.0
cost_limit = 5.0
repeated_calls = 9
max_attempts = 7
command_timeout = 30.0
[agent]
mode = "step"
prompts = "math"
observation_lines = 20
observation_chars = 900
output = "results"
tty = true
[policy]
default = "allow"
[ui]
theme = "contrast"
animations = false
images = "blocks"
notify = "desktop"
title = false
""")
    with person:
        person.runs("export MY_KEY=secret-key SANDBOX_TUI_AGENT_MODE=ask")
        person.enters("sandbox-tui run x")
        person.sees("submitted", "1999")
        person.waits_for_notice()
        person.presses("q")
        assert person.is_back() == 0
        assert list((person.folder / "results").rglob("x"))
    first, last = server.requests[0], server.requests[-1]
    assert (first["model"], first["temperature"], first["top_k"]) == ("mine", 0.5, 3)
    assert first["max_tokens"] == 500
    assert server.authorizations[0] == "Bearer secret-key"
    assert len(last["messages"][-1]["content"]) < 2000


def test_the_cockpit_is_served_to_a_browser(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        person.enters(
            "sandbox-tui serve --host 127.0.0.2 --port 8897 --public-url "
            "http://127.0.0.2:8897 replay last"
        )
        screen = person.sees("sandbox-tui is at http")
        address = re.search(r"is at (\S+)", screen)
        assert address is not None
        with urllib.request.urlopen(address[1]) as page:
            assert "sandbox-tui" in page.read().decode()
        person.presses("C-c")
        assert person.is_back() in (0, 130)
