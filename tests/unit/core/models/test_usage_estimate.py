"""Token estimates for servers that do not report usage."""

from __future__ import annotations

from sandbox_tui.core.models.base import RawToolCall, Reply, Request
from sandbox_tui.core.models.usage_estimate import estimated_usage


def test_an_estimate_grows_with_the_text_and_says_what_it_is() -> None:
    short = Request(messages=[{"role": "user", "content": "hi"}], tools=())
    long = Request(messages=[{"role": "user", "content": "hi" * 4000}], tools=())
    call = RawToolCall(id="a", name="execute_bash", arguments='{"command": "' + "x" * 400 + '"}')
    plain = Reply(message={}, text="ok")
    first, second = estimated_usage(short, plain), estimated_usage(long, plain)
    assert first.estimated
    assert first.output_tokens == 1
    assert second.input_tokens - first.input_tokens == 7998 // 4
    written = estimated_usage(short, Reply(message={}, text="ok", calls=(call,)))
    assert 100 <= written.output_tokens <= 110
    thought = estimated_usage(short, Reply(message={}, reasoning="é" * 40))
    assert (thought.reasoning_tokens, thought.output_tokens) == (20, 20)
