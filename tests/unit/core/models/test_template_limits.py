"""Chat templates that reject parts of a conversation."""

from __future__ import annotations

import pytest

from sandbox_tui.core.models.base import Message
from sandbox_tui.core.models.template_limits import NO_TEXT, TemplateLimits, fitted

CONVERSATION: list[Message] = [
    {"role": "system", "content": "You work."},
    {"role": "user", "content": "Do it."},
    {"role": "assistant", "content": ""},
    {"role": "user", "content": "Go on."},
    {"role": "user", "content": "Now."},
]


@pytest.mark.parametrize(
    ("words", "updated"),
    [
        ("jinja exception: system role not supported", TemplateLimits(system=False)),
        ("only user and assistant roles are supported!", TemplateLimits(system=False)),
        (
            "conversation roles must alternate user/assistant/user/assistant/...",
            TemplateLimits(same_role=False),
        ),
        (
            "after the optional system message, conversation roles must alternate",
            TemplateLimits(same_role=False),
        ),
        ("messages: text content blocks must be non-empty", TemplateLimits(empty=False)),
        ("the content of a message cannot be empty", TemplateLimits(empty=False)),
        ("max_tokens is too large", None),
        ("unknown field: stream_options", None),
    ],
)
def test_what_an_error_teaches(words: str, updated: TemplateLimits | None) -> None:
    assert TemplateLimits().updated(words) == updated
    if updated is not None:
        assert updated.updated(words) is None or updated.updated(words) != updated


def test_a_template_that_takes_everything_gets_the_same_messages() -> None:
    assert fitted(CONVERSATION, TemplateLimits()) is CONVERSATION


def test_without_a_system_role() -> None:
    messages = fitted(CONVERSATION, TemplateLimits(system=False))
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[0]["content"] == "You work.\n\nDo it."


def test_in_turns() -> None:
    messages = fitted(CONVERSATION, TemplateLimits(same_role=False))
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[-1]["content"] == "Go on.\n\nNow."


def test_without_empty_messages() -> None:
    messages = fitted(CONVERSATION, TemplateLimits(empty=False))
    assert messages[2]["content"] == NO_TEXT
    calls: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]}
    assert fitted([calls], TemplateLimits(empty=False)) == [calls]


def test_parts_of_a_message_are_kept() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    messages = fitted(
        [{"role": "user", "content": [picture]}, {"role": "user", "content": "What is it?"}],
        TemplateLimits(same_role=False),
    )
    assert messages == [
        {"role": "user", "content": [picture, {"type": "text", "text": "What is it?"}]}
    ]
