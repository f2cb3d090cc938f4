"""Runs in the benchmark's own process: their settings, and a model that issues given commands."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from sandbox_tui.core.config.settings import Settings, load
from sandbox_tui.core.models.base import Delta, RawToolCall, Reply, Request


def embedded(home: Path) -> Settings:
    """Return settings for runs in embedded sandboxes."""
    return load(
        {
            "sandbox.kind": "bubblewrap",
            "sandbox.snapshots": "off",
            "agent.output": str(home / "output"),
        }
    )


class Commands:
    """A model that runs commands one after the other, then submits."""

    name = "commands"

    def __init__(self, *commands: str) -> None:
        self.params: dict[str, Any] = {}
        self.commands = commands

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """See `Model`."""
        yield self.next(request)

    def next(self, request: Request, content: str = "") -> Reply:
        """Return the reply that follows the tool results in the request."""
        done = sum(message["role"] == "tool" for message in request.messages)
        name, arguments = "submit", "{}"
        if done < len(self.commands):
            name, arguments = "execute_bash", json.dumps({"command": self.commands[done]})
        function = {"name": name, "arguments": arguments}
        call = {"id": f"call_{done}", "type": "function", "function": function}
        message = {"role": "assistant", "content": content, "tool_calls": [call]}
        written = RawToolCall(id=f"call_{done}", name=name, arguments=arguments)
        return Reply(message=message, calls=(written,))  # type: ignore[arg-type]

    async def prepare(self) -> None: ...

    async def close(self) -> None:
        """See `Model`."""
