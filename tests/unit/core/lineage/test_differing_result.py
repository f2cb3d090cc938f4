"""The sentence about a call that gave another result when a fork ran it again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox_tui.core.agent.model_messages import edited
from sandbox_tui.core.lineage.differing_result import differing_result
from sandbox_tui.core.lineage.fork_point import CommandReplay
from sandbox_tui.core.tools.base import Observation

LONG = "for i in $(seq 100); do python3 -c 'import random; print(random.random())'; done"
FAR = "the same beginning of a long line, then "


def replayed(observation: str, command: str = "x", **facts: Any) -> CommandReplay:
    known: dict[str, Any] = {"number": 2, "by": "model", "exit_code": 0, "ended": False}
    return CommandReplay(
        tool="execute_bash",
        arguments=json.dumps({"command": command}),
        observation=observation,
        duration=1.0,
        **{**known, **facts},
    )


@pytest.mark.parametrize(
    ("recorded", "now", "how"),
    [
        ("a\nb\nc", "a\nX\nc", "“X” instead of “b”"),
        ("a", "a\nmore", "“more” was not recorded"),
        ("a\nb", "a", "“b” is missing"),
        ("y" * 100, "z" * 100, f"“{'z' * 39}…” instead of “{'y' * 39}…”"),
        (f"{FAR}1", f"{FAR}2", "“…ine, then 2” instead of “…ine, then 1”"),
        (edited('{"command": "y"}', "a\nb"), "a\nX", "“X” instead of “b”"),
    ],
)
def test_the_first_line_that_differs_is_named(recorded: str, now: str, how: str) -> None:
    words = differing_result(replayed(recorded), Observation(text=now, exit_code=0))
    assert words == f"Call 2 (x) gave a different result when it was run again: {how}."


def test_another_exit_code_is_named_and_a_long_call_is_cut() -> None:
    effect = replayed("a", LONG, exit_code=1, by="human")
    assert differing_result(effect, Observation(text="b", exit_code=3)) == (
        f"Your command ({LONG[:59]}…) gave a different result when it was run again: "
        "exit code 3, recorded 1."
    )


def test_the_same_result_is_not_mentioned() -> None:
    now = Observation(text="a", exit_code=0)
    assert differing_result(replayed("a"), now) == ""
    assert differing_result(replayed(edited("{}", "a")), now) == ""
