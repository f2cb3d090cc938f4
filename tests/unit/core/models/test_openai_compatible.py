"""The model client against an HTTP server that reproduces the behaviour of real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import aclosing

import pytest

from sandbox_tui.core.agent.request_with_retries import RequestWithRetries
from sandbox_tui.core.base.errors import ContextOverflow, ModelError, ModelIncomplete
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from tests import scripted_server as s

KEY = "sk-verysecretkey123456"
Start = Callable[..., s.ScriptedServer]
QUESTION = Request(messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=50)


async def ask(server: s.ScriptedServer, **settings: object) -> tuple[list[Delta], Reply]:
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url, **settings), KEY)
    try:
        parts = [part async for part in model.ask(QUESTION)]
    finally:
        await model.close()
    assert isinstance(parts[-1], Reply)
    return [part for part in parts[:-1] if isinstance(part, Delta)], parts[-1]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
async def test_text_and_reasoning_stream(scripted_server: Start, key: str) -> None:
    server = scripted_server(s.say("hello world", reasoning="let me think", key=key))
    deltas, reply = await ask(server, temperature=0.5, extra_body={"top_k": 20})
    assert reply.text == "hello world"
    assert reply.reasoning == "let me think"
    assert "".join(d.text for d in deltas if d.channel == "text") == "hello world"
    assert reply.usage.input_tokens == 100
    assert reply.message["role"] == "assistant"
    sent = server.requests[0]
    assert (sent["temperature"], sent["top_k"], sent["max_tokens"]) == (0.5, 20, 50)
    assert server.authorizations == [f"Bearer {KEY}"]


async def test_calls_arrive_in_fragments(scripted_server: Start) -> None:
    wanted = [("execute_bash", '{"command": "ls -la /"}'), ("submit", "{}")]
    deltas, reply = await ask(scripted_server(s.calls(*wanted)))
    assert [(c.name, c.arguments) for c in reply.calls] == wanted
    assert [d.name for d in deltas if d.name] == ["execute_bash", "submit"]
    assert reply.message["tool_calls"][1]["function"]["name"] == "submit"


async def test_ten_calls_at_once(scripted_server: Start) -> None:
    wanted = [("execute_bash", json.dumps({"command": f"echo {n}"})) for n in range(10)]
    _, reply = await ask(scripted_server(s.calls(*wanted)))
    assert [(c.name, c.arguments) for c in reply.calls] == wanted


async def test_a_call_cut_by_the_token_limit_is_marked(scripted_server: Start) -> None:
    pieces = [*s.fragments(0, "execute_bash", '{"command": "ls', "a"), s.chunk({}, "length")]
    _, reply = await ask(scripted_server(s.Scripted([*pieces, s.DONE])))
    assert reply.calls[0].truncated
    json.loads(reply.message["tool_calls"][0]["function"]["arguments"])


async def test_no_done_after_the_finish_reason_is_fine(scripted_server: Start) -> None:
    _, reply = await ask(
        scripted_server(s.Scripted([s.chunk({"content": "x"}), s.chunk({}, "stop")]))
    )
    assert reply.text == "x"


async def test_a_server_that_answers_json(scripted_server: Start) -> None:
    used = {"prompt_tokens": 3, "completion_tokens": 1}
    _, got = await ask(scripted_server(s.whole({"content": "whole"}, usage=used)))
    assert (got.text, got.usage.input_tokens) == ("whole", 3)


async def test_calls_of_a_whole_reply_are_kept_apart(scripted_server: Start) -> None:
    one = {"id": "same", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    _, got = await ask(scripted_server(s.whole({"content": None, "tool_calls": [one, one]})))
    assert [(c.id, c.arguments) for c in got.calls] == [("same", "{}"), ("same_1", "{}")]
    assert got.message["content"] is None


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "text/html"])
async def test_a_stream_is_one_whatever_it_is_called(
    scripted_server: Start, content_type: str
) -> None:
    reply = s.say("hello")
    reply.content_type = content_type
    assert (await ask(scripted_server(reply)))[1].text == "hello"


async def test_events_in_every_shape(scripted_server: Start) -> None:
    pieces = [
        b": waiting\r\n\r\n\r\n",
        b'event: x\r\nid: 1\r\ndata:{"choices":\r\ndata: [{"delta":{"content":"a"}}]}\r\n\r\n',
        b'data: [1]\n\ndata: "x"\n\ndata: {"choices": ["x", {}]}\n\n',
        'data: {"choices": [{"delta": {"content": "\u2028é"}}]}\n\n'.encode()[:-4],
        'data: {"choices": [{"delta": {"content": "\u2028é"}}]}\n\n'.encode()[-4:],
        b'data: {"choices": [{"delta": null, "finish_reason": "stop"}]}',
    ]
    _, reply = await ask(scripted_server(s.stream(*pieces)))
    assert (reply.text, reply.finish_reason) == ("a\u2028é", "stop")


@pytest.mark.parametrize(
    ("refusal", "gone"),
    [
        (s.failure(400, "Unknown field: stream_options"), "stream_options"),
        (s.failure(422, "body.stream_options: extra fields not permitted"), "stream_options"),
        (s.failure(400, "Streaming is not supported by this backend"), "stream"),
        (s.failure(501, "cannot stream"), "stream"),
        (s.failure(400, "'max_tokens' is unsupported. Use 'max_completion_tokens'"), "max_tokens"),
    ],
)
async def test_a_refused_parameter_is_left_out_from_then_on(
    scripted_server: Start, refusal: s.Scripted, gone: str
) -> None:
    server = scripted_server(refusal, s.say("fine"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    for _ in range(2):
        parts = [part async for part in model.ask(QUESTION)]
        assert isinstance(parts[-1], Reply)
        assert parts[-1].text == "fine"
    await model.close()
    assert [gone in request for request in server.requests] == [True, False, False]
    if gone == "max_tokens":
        assert server.requests[2]["max_completion_tokens"] == 50


async def test_a_server_that_refuses_one_thing_after_the_other(scripted_server: Start) -> None:
    server = scripted_server(
        s.failure(400, "stream_options is not known"),
        s.failure(400, "stream not supported"),
        s.whole({"content": "whole"}),
    )
    _, reply = await ask(server)
    assert reply.text == "whole"
    assert "stream" not in server.requests[2]


async def test_a_template_that_refuses_a_system_message(scripted_server: Start) -> None:
    refusal = s.failure(500, "Error rendering template: System role not supported")
    server = scripted_server(refusal, s.say("fine"))
    question = Request(
        messages=[{"role": "system", "content": "Work."}, {"role": "user", "content": "Hi."}],
        tools=(),
    )
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    parts = [part async for part in model.ask(question)]
    await model.close()
    assert isinstance(parts[-1], Reply)
    assert server.requests[1]["messages"] == [{"role": "user", "content": "Work.\n\nHi."}]


async def test_an_upstream_is_not_a_stream(scripted_server: Start) -> None:
    server = scripted_server(s.failure(400, "the upstream did not like it"))
    with pytest.raises(ModelError, match="did not like it"):
        await ask(server)
    assert len(server.requests) == 1


async def test_a_request_without_tools_names_none(scripted_server: Start) -> None:
    server = scripted_server(s.say("x"))
    await ask(server)
    assert "tools" not in server.requests[0]


def piece(**sent: object) -> bytes:
    return s.chunk({"tool_calls": [sent]})


def part(name: str | None, arguments: object) -> dict[str, object]:
    return {"arguments": arguments, **({"name": name} if name else {})}


ODD_CALLS = {
    "no index, no id": [
        piece(function=part("one", '{"x"')),
        piece(function=part(None, ": 1}")),
        piece(function=part("two", "{}")),
    ],
    "no index, the same id": [
        piece(id="a", function=part("one", '{"x": 1}')),
        piece(id="a", function=part("two", "{}")),
    ],
    "an index, the same id": [
        piece(index=0, id="a", function=part("one", '{"x": 1}')),
        piece(index=1, id="a", function=part("two", "{}")),
    ],
    "always index 0, no id": [
        piece(index=0, function=part("one", '{"x": 1}')),
        piece(index=0, function=part("two", "{}")),
    ],
    "name repeated, id empty": [
        piece(index=0, id="a", function=part("one", '{"x"')),
        piece(index=0, id="", function=part("one", ": 1}")),
        piece(index=0, id="", function=part("one", "")),
        piece(index=1, id="b", function=part("two", "{}")),
    ],
    "a new id with every fragment": [
        piece(index=0, id="a", function=part("one", '{"x"')),
        piece(index=0, id="b", function=part(None, ": 1}")),
        piece(index=1, id="c", function=part("two", "{}")),
    ],
    "arguments as an object": [
        piece(index=0, id="a", function=part("one", {"x": 1})),
        piece(index=1, id="b", function=part("two", {})),
    ],
    "the name again, with a line break": [
        piece(index=0, id="a", function=part("one", '{"x": 1}')),
        piece(index=0, function=part("one\n", "")),
        piece(index=0, function=part("\n", "")),
        piece(index=1, id="b", function=part("two", "{}")),
    ],
    "fragments in turns": [
        piece(index=0, id="a", function=part("one", '{"x"')),
        piece(index=1, id="b", function=part("two", "{")),
        piece(index=0, function=part(None, ": 1}")),
        piece(index=1, function=part(None, "}")),
    ],
}


@pytest.mark.parametrize("name", ODD_CALLS)
async def test_calls_are_kept_apart_however_they_are_sent(
    scripted_server: Start, name: str
) -> None:
    pieces = [*ODD_CALLS[name], s.chunk({}, "tool_calls"), s.DONE]
    deltas, reply = await ask(scripted_server(s.stream(*pieces)))
    assert [(c.name, c.arguments) for c in reply.calls] == [("one", '{"x": 1}'), ("two", "{}")]
    assert len({c.id for c in reply.calls}) == 2
    assert [call["id"] for call in reply.message["tool_calls"]] == [c.id for c in reply.calls]
    for index, call in enumerate(reply.calls):
        assert "".join(d.text for d in deltas if d.index == index) == call.arguments


async def test_the_same_call_twice_is_two_calls(scripted_server: Start) -> None:
    one = piece(index=0, function=part("one", '{"x": 1}'))
    _, reply = await ask(scripted_server(s.stream(one, one, s.chunk({}, "tool_calls"))))
    assert len(reply.calls) == 2


@pytest.mark.parametrize(
    ("written", "sent_back"),
    [
        ('{"a": "1\\n2"}', '{"a": "1\\n2"}'),
        ('{"a": "1\n2"}', '{"a": "1\\n2"}'),
        ("{oops", "{}"),
        ("[1]", "{}"),
        ("", "{}"),
    ],
)
async def test_servers_can_parse_what_is_sent_back(
    scripted_server: Start, written: str, sent_back: str
) -> None:
    _, reply = await ask(scripted_server(s.calls(("a tool!", written))))
    assert (reply.calls[0].name, reply.calls[0].arguments) == ("a tool!", written)
    function = reply.message["tool_calls"][0]["function"]
    assert function == {"name": "a_tool_", "arguments": sent_back}


async def test_reasoning_is_sent_back_as_it_came(scripted_server: Start) -> None:
    _, reply = await ask(scripted_server(s.say("x", reasoning="hm", key="reasoning")))
    assert reply.message == {"role": "assistant", "content": "x", "reasoning": "hm"}


async def test_lone_surrogates_are_not_sent(scripted_server: Start) -> None:
    server = scripted_server(s.say("x"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    odd = Request(messages=[{"role": "user", "content": "a\udcff"}], tools=[])
    assert [part async for part in model.ask(odd)]
    await model.close()
    assert server.requests[0]["messages"][0]["content"] == "a\ufffd"


async def test_lone_surrogates_do_not_survive(scripted_server: Start) -> None:
    piece = (
        b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud800b"},"finish_reason":null}]}\n\n'
    )
    _, reply = await ask(scripted_server(s.Scripted([piece, s.chunk({}, "stop"), s.DONE])))
    assert reply.text == "a\ufffdb"


async def test_a_reply_may_end_with_done_alone(scripted_server: Start) -> None:
    _, reply = await ask(scripted_server(s.stream(s.chunk({"content": "x"}), s.DONE)))
    assert reply.text == "x"


@pytest.mark.parametrize("name", ["length", "max_tokens", "model_length"])
async def test_a_reply_at_its_limit_is_called_so(scripted_server: Start, name: str) -> None:
    _, reply = await ask(scripted_server(s.stream(s.chunk({"content": "x"}), s.chunk({}, name))))
    assert reply.finish_reason == "length"


BROKEN_OFF = {
    "ends in mid-call": s.stream(*s.fragments(0, "execute_bash", '{"command": "ls"}', "a")[:2]),
    "ends in mid-event": s.stream(s.chunk({"content": "x"}), s.chunk({"content": "y"})[:20]),
    "hangs up": s.MISBEHAVIOURS["hangs up in mid-call"](),
}


@pytest.mark.parametrize("name", BROKEN_OFF)
async def test_a_reply_whose_connection_breaks_is_an_unavailable_server(
    scripted_server: Start, name: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(scripted_server(BROKEN_OFF[name]))
    assert caught.value.retryable
    assert RequestWithRetries.finish_reason(caught.value) == "model_unavailable"


BROKEN = {
    "done in mid-call": s.stream(*s.fragments(0, "a", '{"b": "123456789"}', "a")[:2], s.DONE),
    "nothing at all": s.stream(),
    "only done": s.stream(s.DONE),
    "only comments": s.stream(b": one\n\n: two\n\n"),
    "null choices": s.stream(b'data: {"choices": null}\n\n', s.DONE),
    "bad json": s.stream(s.chunk({"content": "x"}), b"data: {oops\n\n", s.DONE),
    "deep json": s.stream(b"data: " + b"[" * 100_000 + b"\n\n"),
    "empty reply": s.stream(s.chunk({}, "stop"), s.DONE),
    "no choices in json": s.stream(b"{}", content_type="application/json"),
    "half an object": s.stream(b'{"choices": [', content_type="application/json"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_incomplete_reply_is_an_error_of_its_own(
    scripted_server: Start, name: str
) -> None:
    with pytest.raises(ModelIncomplete) as caught:
        await ask(scripted_server(BROKEN[name]))
    assert caught.value.retryable
    assert RequestWithRetries.finish_reason(caught.value) == "model_error"


@pytest.mark.parametrize(
    ("code", "retryable"), [(500, True), ("429", True), (400, False), (None, True), ("oom", True)]
)
@pytest.mark.parametrize("shape", ["nested", "flat", "whole"])
async def test_an_error_inside_of_an_answer(
    scripted_server: Start, code: object, retryable: bool, shape: str
) -> None:
    error = {"message": f"boom {KEY}", "code": code}
    body = json.dumps({"object": "error", **error} if shape == "flat" else {"error": error})
    before = [] if shape == "whole" else [s.chunk({"content": "x"}), b"data: "]
    with pytest.raises(ModelError, match="boom …") as caught:
        await ask(scripted_server(s.stream(*before, body.encode())))
    assert caught.value.retryable == retryable


async def test_an_overflow_inside_of_a_stream(scripted_server: Start) -> None:
    body = b'data: {"error": {"message": "too long", "type": "exceed_context_size_error"}}\n\n'
    with pytest.raises(ContextOverflow):
        await ask(scripted_server(s.stream(body)))


async def test_a_withheld_reply_is_not_asked_for_again(scripted_server: Start) -> None:
    with pytest.raises(ModelError, match="content filter") as caught:
        await ask(scripted_server(s.MISBEHAVIOURS["filters"]()))
    assert not caught.value.retryable


async def test_a_huge_reply_arrives_whole(scripted_server: Start) -> None:
    _, reply = await ask(scripted_server(s.MISBEHAVIOURS["floods"]()))
    assert len(reply.text) == 3_000_000


@pytest.mark.parametrize("content_type", ["text/html", "text/event-stream"])
async def test_a_web_page_instead_of_a_reply(scripted_server: Start, content_type: str) -> None:
    page = s.stream(b"\n<html><body>login</body></html>", content_type=content_type)
    with pytest.raises(ModelError, match="web page") as caught:
        await ask(scripted_server(page))
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable", "words"),
    [
        (400, False, "400"),
        (401, False, "OPENAI_API_KEY"),
        (403, False, "denied access"),
        (404, False, "'m'"),
        (429, True, "Too many requests"),
        (500, True, "500"),
        (503, True, "503"),
    ],
)
async def test_each_status_says_what_to_do(
    scripted_server: Start, status: int, retryable: bool, words: str
) -> None:
    server = scripted_server(s.failure(status, f"your key {KEY} is bad"))
    with pytest.raises(ModelError, match=words) as caught:
        await ask(server)
    assert (caught.value.status, caught.value.retryable) == (status, retryable)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(("value", "low", "high"), [("7", 7, 7), ("3600", 3600, 3600)])
async def test_retry_after_in_seconds(
    scripted_server: Start, value: str, low: float, high: float
) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(scripted_server(s.failure(429, retry_after=value)))
    assert caught.value.retry_after is not None
    assert low <= caught.value.retry_after <= high


async def test_retry_after_as_a_date(scripted_server: Start) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(scripted_server(s.failure(503, retry_after="Fri, 31 Dec 1999 23:59:59 GMT")))
    assert caught.value.retry_after == 0


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "The input (70000 tokens) is longer than the model's context length (65536 tokens).",
        "the request exceeds the available context size. try increasing the context size",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Requested token count exceeds the model's maximum context length of 4096 tokens.",
        "`inputs` tokens + `max_new_tokens` must be <= 4097",
        "max_tokens is too large: 65536. This model supports at most 16384 completion tokens",
    ],
)
async def test_context_overflow_in_the_words_of_each_server(
    scripted_server: Start, words: str
) -> None:
    with pytest.raises(ContextOverflow):
        await ask(scripted_server(s.failure(400, words)))


async def test_a_stalled_server_is_given_up_in_the_time_we_set(scripted_server: Start) -> None:
    with pytest.raises(ModelError, match=r"within 0\.3 s") as caught:
        await ask(scripted_server(s.Scripted([30.0])), stall_timeout=0.3)
    assert caught.value.retryable


async def test_a_dripping_server_meets_the_deadline(scripted_server: Start) -> None:
    drip = [piece for _ in range(200) for piece in (s.chunk({"content": "."}), 0.1)]
    with pytest.raises(ModelError, match=r"within 0\.6 s"):
        await ask(scripted_server(s.Scripted(drip)), request_timeout=0.6, stall_timeout=5)


async def test_a_server_that_cannot_stream_may_take_its_time(scripted_server: Start) -> None:
    slow = s.whole({"content": "whole"})
    slow.pieces = [0.4, *slow.pieces]
    server = scripted_server(s.failure(400, "stream is not supported"), slow)
    _, reply = await ask(server, stall_timeout=0.2)
    assert reply.text == "whole"


async def test_the_models_a_server_has_are_named(scripted_server: Start) -> None:
    server = scripted_server(s.failure(404, "no model m"))
    server.models = ["qwen3", *(f"other-{n}" for n in range(20))]
    with pytest.raises(ModelError, match=r"has no model 'm'. It has: qwen3, .*\.\.\."):
        await ask(server)


@pytest.mark.parametrize(
    ("words", "named"), [("model `m` does not exist", True), ("messages must not be empty", False)]
)
async def test_a_400_may_be_about_the_model_too(
    scripted_server: Start, words: str, named: bool
) -> None:
    server = scripted_server(s.failure(400, words))
    server.models = ["qwen3"]
    with pytest.raises(ModelError) as caught:
        await ask(server)
    assert ("It has: qwen3." in str(caught.value)) == named
    assert not caught.value.retryable


async def fails(base_url: str, key: str = KEY) -> ModelError:
    model = OpenAIModel(ModelSettings(name="m", base_url=base_url), key)
    with pytest.raises(ModelError) as caught:
        async for _ in model.ask(QUESTION):
            pass
    await model.close()
    return caught.value


async def test_nobody_listens() -> None:
    error = await fails("http://127.0.0.1:9/v1")
    assert "cannot be reached" in str(error)
    assert error.retryable


@pytest.mark.parametrize("url", ["localhost:9/v1", "http://[::1/v1", "nonsense"])
async def test_an_invalid_address(url: str) -> None:
    error = await fails(url)
    assert "http://localhost:8000/v1" in str(error)
    assert not error.retryable


async def test_no_secret_is_revealed() -> None:
    url = "http://me:hunter2@127.0.0.1:9/v1?token=hunter2"
    assert "hunter2" not in str(await fails(url))
    model = OpenAIModel(ModelSettings(name="m", base_url=url), KEY)
    assert model.params["base_url"] == "http://127.0.0.1:9/v1"
    assert "OPENAI_API_KEY" in str(await fails("http://127.0.0.1:9/v1", "sk-…"))


async def test_blanks_around_a_key_are_stripped(scripted_server: Start) -> None:
    server = scripted_server(s.say("x"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), f" {KEY}\n")
    assert [part async for part in model.ask(QUESTION)]
    await model.close()
    assert server.authorizations == [f"Bearer {KEY}"]


async def test_leaving_a_reply_in_the_middle(scripted_server: Start) -> None:
    server = scripted_server(s.stream(s.chunk({"content": "x"}), 30.0), s.say("again"))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), KEY)
    async with aclosing(model.ask(QUESTION)) as parts:
        assert await anext(parts) == Delta("text", "x")
    assert isinstance([part async for part in model.ask(QUESTION)][-1], Reply)
    await model.close()
