"""Which answers of a server say that its model is still being loaded."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.base import Request
from sandbox_tui.core.models.error_mapping import inband_error
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from tests import scripted_server as s

Start = Callable[..., s.ScriptedServer]


async def error_of(server: s.ScriptedServer) -> ModelError:
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), None)
    question = Request(messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=50)
    try:
        with pytest.raises(ModelError) as raised:
            _ = [part async for part in model.ask(question)]
    finally:
        await model.close()
    return raised.value


def bare(message: str) -> s.Scripted:
    """An error that is only a sentence, as from text-generation-inference."""
    body = json.dumps({"error": message, "estimated_time": 20.0}).encode()
    return s.Scripted([body], status=503, content_type="application/json")


@pytest.mark.parametrize(
    "answer",
    [
        s.loading(),
        s.loading("Loading model."),
        s.loading("model is still loading"),
        s.loading("The model is currently being loaded, try again later"),
        bare("Model org/some-7B is currently loading"),
    ],
)
async def test_a_server_that_loads_its_model(scripted_server: Start, answer: s.Scripted) -> None:
    error = await error_of(scripted_server(answer))
    assert str(error) == "The server is loading its model."
    assert (error.is_loading, error.retryable, error.status) == (True, True, 503)


@pytest.mark.parametrize(
    "answer",
    [
        s.failure(503, "busy"),
        s.failure(503, "Loading model failed: out of memory"),
        s.failure(503, "error loading model: out of memory"),
        s.failure(500, "Loading model"),
        s.failure(400, "Loading model"),
    ],
)
async def test_other_failures_are_not_taken_for_it(
    scripted_server: Start, answer: s.Scripted
) -> None:
    error = await error_of(scripted_server(answer))
    assert not error.is_loading
    assert str(error) != "The server is loading its model."


def test_a_stream_may_say_it_too() -> None:
    said = {"message": "Loading model", "type": "unavailable_error", "code": 503}
    error = inband_error({"error": said}, "")
    assert error is not None
    assert (str(error), error.is_loading) == ("The server is loading its model.", True)
