"""Runs with models and servers without native tool calls, on real parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.store.tables.tool_formats import known_tool_format, last_tool_format
from tests import scripted_server as s
from tests.integration.test_fork import forked
from tests.integration.test_runs import only, request, watch

Start = Callable[..., s.ScriptedServer]


def as_text(name: str, arguments: str) -> s.Scripted:
    """A call that the model writes into its text, in a code fence."""
    return s.say(f'```json\n{{"name": "{name}", "arguments": {arguments}}}\n```')


SCRIPT = [
    as_text("execute_bash", '{"command": "echo \'it is 42\' | tee output/answer.txt"}'),
    as_text("submit", "{}"),
]


async def test_calls_written_as_text_solve_the_task(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(*SCRIPT)
    wanted = request(server)
    seen, store, run_id = await watch(wanted, tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    (chosen,) = only(e.ToolFormatChosen, seen)
    assert (chosen.format.mode, chosen.format.family) == ("text", "json")
    proposed = only(e.CallProposed, seen)
    assert [event.call.family for event in proposed] == ["json", "json"]
    assert "it is 42" in only(e.CallFinished, seen)[0].observation
    first, second = server.requests
    assert first["tools"]
    assert "tools" not in second
    assert [message["role"] for message in second["messages"]] == [
        *("system", "user", "assistant", "user")
    ]
    assert "it is 42" in second["messages"][-1]["content"]
    assert list(replay(store, run_id)) == seen
    assert last_tool_format(store, run_id) == chosen.format
    store.close()


async def test_the_next_run_begins_with_what_worked(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(*SCRIPT, *SCRIPT)
    _, store, _ = await watch(request(server), tmp_path)
    model = request(server).settings.model
    known = known_tool_format(store, model.name, model.base_url)
    assert known == e.ToolFormat(mode="text", family="json")
    assert known_tool_format(store, model.name, "http://127.0.0.1:9/v1") is None
    assert known_tool_format(store, "another", model.base_url) is None
    store.close()
    again = dataclasses.replace(request(server), tool_format=known)
    seen, store, _ = await watch(again, tmp_path / "again")
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert "tools" not in server.requests[2]
    store.close()


async def test_a_native_reply_after_a_switch_is_remembered_as_native(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(s.say("words"), s.say("words"), s.call("submit"))
    seen, store, _ = await watch(request(server), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    chosen = [event.format.mode for event in only(e.ToolFormatChosen, seen)]
    assert chosen == ["json_schema", "native"]
    assert known_tool_format(store, "scripted", server.url) == e.ToolFormat()
    store.close()


async def test_the_remembered_format_is_forgotten_when_native_calls_work(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(*SCRIPT, s.call("submit"))
    for more in ({}, {"model.tool_calls": "native"}):
        _, store, _ = await watch(request(server, **more), tmp_path)
        store.close()
    with Store(tmp_path / "s.db") as store:
        assert known_tool_format(store, "scripted", server.url) == e.ToolFormat()


async def test_a_choice_without_a_call_is_not_remembered(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(s.say("words"), s.say("words"), s.say("words"))
    wanted = request(server, **{"limits.max_steps": 3})
    seen, store, _ = await watch(wanted, tmp_path)
    assert only(e.ToolFormatChosen, seen)
    assert known_tool_format(store, "scripted", server.url) is None
    store.close()


async def test_a_server_that_refuses_tools_is_asked_by_schema(
    scripted_server: Start, tmp_path: Path
) -> None:
    refusal = s.failure(400, "This model does not support tools")
    by_schema = '{"thought": "At once.", "name": "submit", "arguments": {}}'
    server = scripted_server(refusal, s.say(by_schema))
    seen, store, _ = await watch(request(server), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert not only(e.ModelFailed, seen), "a refusal of tools is no failure"
    assert server.requests[1]["response_format"]["type"] == "json_schema"
    assert only(e.ModelReplied, seen)[0].text == "At once."
    store.close()


@pytest.mark.parametrize("mode", ["text", "json_schema"])
async def test_a_configured_format_is_used_from_the_first_request(
    scripted_server: Start, tmp_path: Path, mode: str
) -> None:
    server = scripted_server(s.say('{"name": "submit", "arguments": {}}'))
    seen, store, _ = await watch(request(server, **{"model.tool_calls": mode}), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    sent: dict[str, Any] = server.requests[0]
    assert "tools" not in sent
    assert ("response_format" in sent) == (mode == "json_schema")
    assert "HOW TO CALL A TOOL" in sent["messages"][0]["content"]
    store.close()


def test_a_session_without_a_choice_has_none(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        assert last_tool_format(store, "none") is None


async def test_a_fork_keeps_the_format_of_the_same_model_alone(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(*SCRIPT, as_text("submit", "{}"))
    wanted = request(server, **{"sandbox.snapshots": "off"})
    _, store, parent = await watch(wanted, tmp_path)
    second = scripted_server(s.call("submit"))
    other = {"model.name": "other", "model.base_url": second.url}
    again, fork = await forked(store, parent, "step:1", other)
    assert again[-1].reason == "submitted"  # type: ignore[union-attr]
    assert second.requests[0]["tools"]
    sent = [m for m in second.requests[0]["messages"] if m["role"] == "assistant"]
    assert sent[0]["tool_calls"]
    assert "```" not in str(sent[0]["content"])
    assert only(e.ToolFormatChosen, again)[-1].format == e.ToolFormat()
    assert last_tool_format(store, fork) == e.ToolFormat()
    same, _ = await forked(store, parent, "step:1")
    assert same[-1].reason == "submitted"  # type: ignore[union-attr]
    assert "tools" not in server.requests[-1]
    assert len(only(e.ToolFormatChosen, same)) == 1, "nothing new is said"
    store.close()
