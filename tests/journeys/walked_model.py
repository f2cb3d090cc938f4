"""The model that random walks run against, and the settings they start with."""

from __future__ import annotations

import json
from typing import Any

from tests import scripted_server as s

CONFIG = """
[model]
name = "scripted"
base_url = "{url}"
local_ports = [{port}]
[sandbox]
kind = "bubblewrap"
[limits]
max_steps = 60
command_timeout = 20.0
[ui]
images = "blocks"
[policy]
default = "allow"
[[policy.rules]]
action = "ask"
tool = "execute_bash"
command = "echo *"
[[policy.rules]]
action = "deny"
tool = "execute_bash"
command = "rm *"

[keys]
# no walk presses these, because what they start would outlive the walk
"leave_run.detach" = "f12"
"evals.new" = "f12"
"evals.resume" = "f11"
"eval.resume" = "f12"
"""


def reply(request: dict[str, Any]) -> s.Scripted:
    """Return the next reply, which depends only on the length of the conversation."""
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    if turn >= 40:
        return s.call("submit")
    bash = [
        *("echo hello; ls -la", "sleep 0.2; seq 200", "false", "rm -rf /testbed/input"),
        *("echo x >>notes.txt; cat notes.txt", "printf '\\033[31mred\\033[0m\\n'; sleep 0.1"),
        "mkdir -p output; date >output/answer.txt; for i in 1 2 3 4 5; do echo $i; sleep 0.1; done",
        *("echo '<html>' >page.html; echo '# words' >page.md", "sleep 2; echo slow"),
    ]
    text = f"Turn {turn}. " + "I look further. " * (turn % 5)
    one = ("execute_bash", json.dumps({"command": bash[turn % len(bash)]}))
    match turn % 6:
        case 3:
            create = {
                "command": "create",
                "path": f"/testbed/file{turn}.py",
                "file_text": "x = 1\n",
            }
            return s.calls(one, ("str_replace_editor", json.dumps(create)), text=text)
        case 4:
            pieces: list[bytes | float] = []
            for word in text.split():
                pieces += [s.chunk({"content": f"{word} "}), 0.03]
            made = s.fragments(0, *one, "call_0")
            return s.stream(*pieces, *made, s.chunk({}, "tool_calls"), s.usage(), s.DONE)
        case _:
            return s.calls(one, text=text)
