"""What a server with native tool calls receives, byte for byte.

`native_requests.jsonl` holds the request bodies of one conversation. Changing them affects every
model that uses native tool calls: review the diff before you accept it with

    ACCEPT_NATIVE_REQUESTS=1 pytest tests/integration/test_native_requests.py
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.integration.test_runs import only, request, watch

ACCEPTED = Path(__file__).with_name("native_requests.jsonl")


@pytest.mark.parametrize("mode", ["native", "auto"])
async def test_the_bodies_are_those_accepted(
    mode: str, scripted_server: Callable[..., s.ScriptedServer], tmp_path: Path
) -> None:
    server = scripted_server(
        s.calls(
            ("execute_bash", '{"command": "printf \'caf\u00e9 %s\\\\n\' \\"<b>\\""}'),
            ("execute_bash", '{"command": "exit 3"}'),
            text="I look around.",
            reasoning="A sandbox.",
        ),
        s.say("Words without a call."),
        s.call("submit"),
    )
    settings: dict[str, Any] = {"model.tool_calls": mode, "limits.max_tokens": 500}
    seen, store, _ = await watch(request(server, **settings), tmp_path)
    store.close()
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert "caf\u00e9 <b>" in only(e.CallFinished, seen)[0].observation
    sent = b"".join(body + b"\n" for body in server.bodies)
    if os.environ.get("ACCEPT_NATIVE_REQUESTS"):
        ACCEPTED.write_bytes(sent)
    assert sent == ACCEPTED.read_bytes()
