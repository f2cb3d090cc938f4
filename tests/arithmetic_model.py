"""A scripted model that multiplies: wrong without tools, right with the sandbox.

Tasks read `What is 12 * 34?`. Replies depend only on the request, so any number of runs may share
the model.
"""

from __future__ import annotations

import re
from typing import Any

from tests import scripted_server as s

QUESTION = re.compile(r"What is (\d+) \* (\d+)\?")


def reply(request: dict[str, Any]) -> s.Scripted:
    """Return the next reply for the run that sent the request."""
    first = next(m for m in request["messages"] if m["role"] == "user")
    match = QUESTION.search(first["content"])
    assert match, first
    left, right = match.groups()
    if not request.get("tools"):
        return s.say(f"I think it is {int(left) * int(right) + int(right) % 2}")
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    if turn:
        return s.call("submit")
    return s.call("execute_bash", command=f"echo $(({left} * {right})) >output/answer.txt")
