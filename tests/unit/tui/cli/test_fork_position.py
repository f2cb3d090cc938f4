"""`sandbox-tui fork --edit-call`: what is said about a position without a call, and about the call."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

PARENT = "20261119-101112-paren"


def _step(number: int, seq: int) -> list[e.AnyEvent]:
    call = e.ToolCall(
        number=number, step=number, id=f"c{number}", name="execute_bash", arguments="{}"
    )
    function = {"name": call.name, "arguments": call.arguments}
    written = {"id": call.id, "type": "function", "function": function}
    message = {"role": "assistant", "content": "", "tool_calls": [written]}
    kinds: list[e.AnyEvent] = [
        e.ModelAsked(step=number, digest="", messages=0),
        e.ModelReplied(
            step=number,
            message=message,
            text="",
            reasoning="",
            usage=e.Usage(),
            finish_reason=None,
            latency=0.0,
        ),
        e.CallProposed(call=call),
        e.CallFinished(call=number, observation="", ok=True, duration=0.0),
    ]
    return [
        msgspec.structs.replace(event, seq=at, t=float(at)) for at, event in enumerate(kinds, seq)
    ]


def fork(*words: str) -> str:
    done = CliRunner().invoke(main, ["fork", PARENT, "--headless", *words])
    assert done.exit_code == 2
    return done.stderr


@pytest.fixture(autouse=True)
def parent(store: Store) -> None:
    store.append(PARENT, [started(PARENT), *_step(1, 2), *_step(2, 6)])


def test_a_position_between_steps_names_the_next_call() -> None:
    said = fork("--at", "1", "--edit-call", '{"command": "ls"}')
    assert "Name the call: --at call:2 changes the next one." in said


def test_after_the_last_call_there_is_none() -> None:
    said = fork("--at", "2", "--edit-call", '{"command": "ls"}')
    assert "There is no call after this position to change." in said


def test_json_is_checked_before_the_position() -> None:
    assert "it is not valid JSON" in fork("--at", "1", "--edit-call", "{command: ls")


def test_a_fork_continues_with_one_model() -> None:
    said = fork("--at", "1", "--model", "a,b")
    assert "A fork continues with one model: choose one of a, b." in said


def test_a_value_of_another_type_is_refused() -> None:
    said = fork("--at", "call:2", "--edit-call", '{"command": 5}')
    assert "command must be text, not 5." in said
