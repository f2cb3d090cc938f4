"""The conversation that exports rebuild from events matches each request that was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.types import CallDecided
from sandbox_tui.core.run.run import Run
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests.integration.conftest import require
from tests.integration.test_runs import settings, watch


@pytest.mark.bubblewrap
async def test_every_request_is_rebuilt(tmp_path: Path) -> None:
    require("bubblewrap")

    def speak(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, CallDecided) and event.call == 2:
            run.message("a word from a person")

    wanted = demo_request(settings("bubblewrap"), speed=0, output=tmp_path / "out")
    seen, _, _ = await watch(wanted, tmp_path, speak)
    asked = [event for event in seen if isinstance(event, e.ModelAsked)]
    assert len(asked) >= 10
    for request in asked:
        messages = conversation(seen[: request.seq])
        assert len(messages) == request.messages
        assert messages_digest(messages) == request.digest
    assert any("a word from a person" in str(m["content"]) for m in conversation(seen))
