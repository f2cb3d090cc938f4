"""Token ids and log-probabilities of replies, in the forms that servers send."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.models.reply_builder import ReplyBuilder


def built(*chunks: dict[str, Any]) -> Reply:
    builder = ReplyBuilder()
    for chunk in chunks:
        builder.take(chunk)
    return builder.finish()


def choice(content: str, **more: Any) -> dict[str, Any]:
    return {"delta": {"content": content}, **more}


def logprobs(*values: float, ids: tuple[int, ...] = ()) -> dict[str, Any]:
    named = [{"id": token} for token in ids] or [{}] * len(values)
    entries = [
        {"token": "t", "logprob": value, **name} for value, name in zip(values, named, strict=True)
    ]
    return {"content": entries}


def test_vllm_streams_ids_with_the_choice_and_the_prompt_around_the_first() -> None:
    reply = built(
        {
            "prompt_token_ids": [1, 2],
            "choices": [choice("a", token_ids=[7], logprobs=logprobs(-0.5))],
        },
        {
            "choices": [
                choice("b", token_ids=[8, 9], logprobs=logprobs(-1, -2), finish_reason="stop")
            ]
        },
    )
    assert (reply.prompt_token_ids, reply.token_ids) == ((1, 2), (7, 8, 9))
    assert reply.logprobs == (-0.5, -1.0, -2.0)


def test_sglang_says_them_in_whole_replies() -> None:
    whole = {"message": {"role": "assistant", "content": "ab"}, "finish_reason": "stop"}
    reply = built({"choices": [{**whole, "prompt_token_ids": [1, 2], "token_ids": [7, 8]}]})
    assert (reply.prompt_token_ids, reply.token_ids, reply.logprobs) == ((1, 2), (7, 8), ())
    meta = {"output_token_logprobs": [[-0.5, 7, "a"], [-1.5, 8, None]]}
    reply = built({"choices": [{**whole, "meta_info": meta}]})
    assert (reply.token_ids, reply.logprobs) == ((7, 8), (-0.5, -1.5))


def test_llama_cpp_says_an_id_with_each_log_probability() -> None:
    sent = choice("ab", logprobs=logprobs(-0.5, -1, ids=(7, 8)), finish_reason="stop")
    assert built({"choices": [sent]}).token_ids == (7, 8)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"token_ids": None, "logprobs": None},
        {"token_ids": ["7"], "logprobs": {"content": None}},
        {"logprobs": {"content": [{"token": "a", "logprob": None}]}, "meta_info": {}},
        {"meta_info": {"output_token_logprobs": [None, 3, [], [1], ["x", 7]]}},
        {"token_ids": True, "logprobs": [], "meta_info": {"output_token_logprobs": None}},
    ],
)
def test_a_server_that_says_none(more: dict[str, Any]) -> None:
    reply = built({"choices": [choice("a", finish_reason="stop", **more)]})
    assert (reply.text, reply.token_ids, reply.prompt_token_ids, reply.logprobs) == (
        "a",
        (),
        (),
        (),
    )
