"""Guide: Approve calls by policy."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]

RULES = """
[policy]
default = "allow"
[[policy.rules]]
action = "deny"
tool = "execute_bash"
command = "rm -rf *"
reason = "Move it to /tmp instead."
[[policy.rules]]
action = "ask"
tool = "execute_bash"
command = "curl *"
"""


def test_rules_decide(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        s.call("execute_bash", command="rm -rf /testbed/input"),
        s.call("execute_bash", command="curl --version"),
        s.call("submit"),
    )
    with (person.folder / "home" / "config.toml").open("a") as config:
        config.write(RULES)
    (person.folder / "others.toml").write_text('[policy]\ndefault = "deny"\n')
    with person:
        person.enters(f"sandbox-tui run x --mode ask --base-url {server.url} --model m")
        person.sees("rejected by the policy", "◆ call 2", "rule 2: ask execute_bash curl *")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0
        assert "Move it to /tmp instead." in person.runs("sandbox-tui policy show")
        assert "deny" in person.runs("sandbox-tui policy show --json | cut -c1-600")
        session = re.search(r"\d{8}-\d{6}-\w{5}", person.runs("sandbox-tui sessions ls"))
        assert session is not None
        screen = person.runs(f"sandbox-tui policy check {session[0]}")
        assert "rm -rf" in screen
        assert "curl" in screen
        person.runs("sandbox-tui policy check --json --config others.toml | cut -c1-900")
        person.sees("deny")
    assert "Move it to /tmp instead." in str(server.requests[-1]["messages"])
