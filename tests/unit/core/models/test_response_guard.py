"""Misleading responses: what their headers say, where they redirect, how they end."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import ssl
from collections.abc import Callable

import pytest

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.base import Reply, Request
from sandbox_tui.core.models.http import header_limit
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from tests import scripted_server as s

KEY = "sk-verysecretkey123456"
Start = Callable[..., s.ScriptedServer]
QUESTION = Request(messages=[{"role": "user", "content": "a secret"}], tools=[], max_tokens=50)


async def ask(model: OpenAIModel) -> Reply:
    parts = [part async for part in model.ask(QUESTION)]
    assert isinstance(parts[-1], Reply)
    return parts[-1]


async def failure_of(server: s.ScriptedServer, **settings: object) -> ModelError:
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url, **settings), KEY)
    try:
        with pytest.raises(ModelError) as caught:
            await ask(model)
    finally:
        await model.close()
    return caught.value


async def test_answers_are_asked_for_as_they_are(scripted_server: Start) -> None:
    server = scripted_server(s.say("x"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    await ask(model)
    await model.close()
    assert server.headers[0]["accept-encoding"] == "identity"


async def test_a_text_that_looks_like_small_objects_is_a_text(scripted_server: Start) -> None:
    text = '[{"a": "b\\"", "c": [[], {}]},' * 60_000
    model = OpenAIModel(
        ModelSettings(name="m", base_url=scripted_server(s.whole({"content": text})).url), KEY
    )
    assert (await ask(model)).text == text
    await model.close()


# --- before the response


HINT = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"


@pytest.mark.parametrize("promise", [HINT, b"HTTP/1.1 100 Continue\r\n\r\n"])
async def test_endless_informational_responses_are_cut_off(
    scripted_server: Start, promise: bytes
) -> None:
    """Endless informational responses would keep a core busy until the timeout, here a day."""
    flood = s.Scripted(itertools.repeat(promise * 100), raw=True)
    day: dict[str, object] = {"stall_timeout": 86400.0, "request_timeout": 86400.0}
    error = await failure_of(scripted_server(flood), **day)
    assert "keeps sending headers" in str(error)
    assert not error.retryable


async def test_slow_informational_responses_do_not_count_as_an_answer(
    scripted_server: Start,
) -> None:
    """Informational responses do not satisfy the timeouts; only the actual response does."""
    trickle = itertools.chain.from_iterable(itertools.repeat((HINT, 0.05)))
    error = await failure_of(scripted_server(s.Scripted(trickle, raw=True)), stall_timeout=1.0)
    assert "sent nothing within 1 s" in str(error)
    trickle = itertools.chain.from_iterable(itertools.repeat((HINT, 0.05)))
    error = await failure_of(scripted_server(s.Scripted(trickle, raw=True)), request_timeout=1.0)
    assert "did not finish its reply within 1 s" in str(error)


async def test_informational_responses_are_limited_per_answer(
    scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit covers what precedes a reply; the reply itself may be any length."""
    monkeypatch.setattr(header_limit, "MAX_HEADER_BYTES", 100_000)
    server = scripted_server(s.say("x" * 20_000), s.say("y"), s.say("z" * 9_000))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    assert [len((await ask(model)).text) for _ in range(3)] == [20_000, 1, 9_000]
    await model.close()


# --- response headers


@pytest.mark.parametrize("value", ["inf", "nan", "1e308", "-5", "soon", "1e999", "", "٣"])
async def test_a_wait_that_is_no_number_is_ours_to_choose(
    scripted_server: Start, value: str
) -> None:
    reply = s.failure(429)
    reply.headers["retry-after"] = value.encode().decode("latin-1")
    assert (await failure_of(scripted_server(reply))).retry_after is None


@pytest.mark.parametrize("value", ["9" * 400, "1" + "0" * 20, "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_an_absurd_wait_is_limited_to_a_year(scripted_server: Start, value: str) -> None:
    error = await failure_of(scripted_server(s.failure(503, retry_after=value)))
    assert error.retry_after == 366 * 86400


CHARSETS = (
    *("idna", "zlib", "hex", "base64", "rot13", "uu", "punycode", "undefined", "utf-7", "utf-16"),
    *("unicode_escape", "mbcs", "no-such", "bz2", "quopri"),
)


@pytest.mark.parametrize("name", CHARSETS)
async def test_the_encoding_of_an_error_page_is_not_chosen_there(
    scripted_server: Start, name: str
) -> None:
    page = s.failure(400, "what is wrong")
    page.content_type = f"application/json; charset={name}"
    assert "what is wrong" in str(await failure_of(scripted_server(page)))


# --- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_the_conversation_is_not_redirected_to_another_server(
    scripted_server: Start, status: int
) -> None:
    elsewhere = scripted_server(s.say("thanks for that"))
    there = elsewhere.url.replace("http://", "http://me:hunter2@") + "/x?token=hunter2"
    server = scripted_server(s.Scripted(status=status, headers={"location": there}))
    error = await failure_of(server)
    assert f"to {elsewhere.url}/x" in str(error)
    assert "hunter2" not in str(error)
    assert not error.retryable
    assert elsewhere.connections == 0


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "https://127.0.0.1/v1", "http://[", "//other.example/v1"]
)
async def test_the_conversation_is_not_redirected_to_an_invalid_address(
    scripted_server: Start, location: str
) -> None:
    server = scripted_server(s.Scripted(status=307, headers={"location": location}))
    assert "redirects the conversation" in str(await failure_of(server))


async def test_redirects_within_the_server_are_followed(scripted_server: Start) -> None:
    moved = s.Scripted(status=307, headers={"location": "/v1/chat/completions/"})
    server = scripted_server(moved, s.say("here"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    assert (await ask(model)).text == "here"
    await model.close()
    assert server.requests[0] == server.requests[1]


# --- connections


def kept(reply: s.Scripted) -> s.Scripted:
    return dataclasses.replace(reply, keep=True)


async def test_one_connection_carries_many_requests(scripted_server: Start) -> None:
    replies = [kept(s.say("x")), kept(s.call("submit")), kept(s.failure(503)), kept(s.say("y"))]
    server = scripted_server(*replies)
    settings = ModelSettings(name="m", base_url=server.url, context_length=8192)  # not queried
    model = OpenAIModel(settings, KEY)
    await ask(model)
    await ask(model)
    with pytest.raises(ModelError):
        await ask(model)
    assert (await ask(model)).text == "y"
    await model.close()
    assert server.connections == 1


async def test_a_server_that_does_not_end_its_answer_is_not_waited_for(
    scripted_server: Start,
) -> None:
    lingering = kept(s.say("x"))
    lingering.pieces = [*lingering.pieces, 3600.0]
    server = scripted_server(lingering, kept(s.say("y")))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url, context_length=8192), KEY)
    assert (await ask(model)).text == "x"
    assert (await ask(model)).text == "y"
    await model.close()
    assert server.connections == 2


async def test_data_after_the_end_is_not_part_of_the_reply(scripted_server: Start) -> None:
    more = s.say("x")
    more.pieces = itertools.chain(more.pieces, itertools.repeat(s.chunk({"content": "z"})))
    model = OpenAIModel(ModelSettings(name="m", base_url=scripted_server(more).url), KEY)
    assert (await ask(model)).text == "x"
    await model.close()


async def test_a_closed_keep_alive_connection_is_no_failure(scripted_server: Start) -> None:
    """A server may close a kept connection just as it is reused."""
    closed = s.Scripted([], raw=True)
    server = scripted_server(kept(s.say("x")), closed, kept(s.say("y")))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url, context_length=9000), KEY)
    assert (await ask(model)).text == "x"
    assert (await ask(model)).text == "y"
    await model.close()
    assert len(server.requests) == 3


async def test_a_closed_new_connection_is_a_failure(scripted_server: Start) -> None:
    server = scripted_server(s.Scripted([], raw=True))
    error = await failure_of(server)
    assert "cannot be reached" in str(error)
    assert len(server.requests) == 1


# --- timeouts


async def test_a_reply_may_take_as_long_as_the_settings_say(
    scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, until = asyncio.get_running_loop().time(), list[float | None]()
    real = asyncio.timeout_at

    def noted(when: float | None) -> asyncio.Timeout:
        until.append(when)
        return real(when)

    monkeypatch.setattr(asyncio, "timeout_at", noted)
    url = scripted_server(s.say("at last")).url
    model = OpenAIModel(ModelSettings(name="m", base_url=url, request_timeout=7200.0), KEY)
    assert (await ask(model)).text == "at last"
    await model.close()
    assert until
    assert all(when is not None and when >= began + 7200 for when in until)


async def test_clients_share_the_certificates_they_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the certificates takes longer than the rest of creating a client."""
    read: list[object] = []
    load = ssl.SSLContext.load_verify_locations

    def counted(context: ssl.SSLContext, *places: object, **more: object) -> None:
        read.append(context)
        load(context, *places, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", counted)
    for _ in range(3):
        model = OpenAIModel(ModelSettings(name="m", base_url="http://127.0.0.1:9/v1"), KEY)
        with pytest.raises(ModelError):
            await ask(model)
        await model.close()
    assert len(read) <= 1
