"""The context length of a run's model: detected, recorded and shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.agent.request_with_retries import MIN_CONTEXT_TOKENS
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions import replay
from sandbox_tui.tui.cli.sessions.format_sessions import print_session
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests import scripted_server as s
from tests.integration.test_runs import only, request, watch

Start = Callable[..., s.ScriptedServer]


async def test_a_configured_length_is_recorded_shown_and_warned_about(
    scripted_server: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = scripted_server(s.call("execute_bash", command="true"), s.call("submit"))
    short: dict[str, Any] = {"model.context_length": MIN_CONTEXT_TOKENS - 1}
    wanted = request(server, **short)
    seen, store, run_id = await watch(wanted, tmp_path)
    (found,) = only(e.ContextLengthFound, seen)
    assert found.context == e.ContextLength(
        tokens=MIN_CONTEXT_TOKENS - 1, source="model.context_length"
    )
    (warned,) = only(e.Warned, seen)
    assert "context holds 7999 tokens" in warned.text
    state = fold(seen)
    header = StatusBar(state, "task")._parts()  # pyright: ignore[reportPrivateUsage]
    assert header["context"] == "ctx 120 of 8.0k"
    assert list(replay(store, run_id)) == seen
    print_session(store, store.run(run_id))
    assert "context   8.0k tokens (model.context_length)" in capsys.readouterr().out
    store.close()


async def test_a_server_that_does_not_say_changes_nothing(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(s.call("execute_bash", command="true"), s.call("submit"))
    seen, store, _ = await watch(request(server), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert not only(e.ContextLengthFound, seen)
    assert not only(e.Warned, seen)
    assert len(server.requests) == 2, "nothing but the run's own requests is posted"
    store.close()
