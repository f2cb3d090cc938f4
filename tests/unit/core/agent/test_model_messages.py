"""Texts the model reads: sessions of earlier versions are rebuilt with the texts of their time."""

from __future__ import annotations

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.events import types as e
from tests.unit.event_streams import started


def replied(**more: str) -> e.ModelReplied:
    return e.ModelReplied(
        step=1,
        message={"role": "assistant", "content": "Words without a call."},
        text="Words without a call.",
        reasoning="",
        usage=e.Usage(),
        latency=0.0,
        **more,  # pyright: ignore[reportArgumentType]
    )


@pytest.mark.parametrize(
    ("finish_reason", "said"),
    [
        (
            "stop",
            "Your last message called no tool, so nothing happened. Call a tool in every message: "
            "execute_bash or str_replace_editor to go on, submit when the answer is written.",
        ),
        (
            "length",
            "Your last message was cut off by the token limit of one reply. Go on in smaller "
            "parts.",
        ),
    ],
)
def test_a_reminder_that_was_not_recorded_is_the_one_of_its_version(
    finish_reason: str, said: str
) -> None:
    messages = conversation([started(), replied(finish_reason=finish_reason)])
    assert messages[-1] == {"role": "user", "content": said}


def test_a_recorded_reminder_stays_as_it_was_said() -> None:
    messages = conversation([started(), replied(finish_reason="stop", reminder="Call a tool.")])
    assert messages[-1] == {"role": "user", "content": "Call a tool."}
