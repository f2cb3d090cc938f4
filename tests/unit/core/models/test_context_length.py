"""A model's context length, from servers that report it in different places."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.types import ContextLength
from sandbox_tui.core.models import context_length
from sandbox_tui.core.models.base import Request
from sandbox_tui.core.models.context_length import MAX_ANSWER_BYTES, find_context_length
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from tests import scripted_server as s

Answers = Mapping[str, Any]
Serve = Callable[[Answers], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers with these answers by path; any other path is not found.

    An answer is JSON, raw bytes, or a number of seconds to wait without responding.
    """
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []
    over = threading.Event()

    def start(answers: Answers) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = answers.get(self.path)
                if isinstance(answer, float):
                    over.wait(answer)
                    return
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(404 if answer is None else 200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.do_GET()

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    over.set()
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


async def found(base_url: str, name: str = "m", **more: Any) -> ContextLength | None:
    return await find_context_length(ModelSettings(name=name, base_url=base_url, **more), None)


def listed(*rows: Mapping[str, Any]) -> dict[str, Any]:
    return {"object": "list", "data": list(rows)}


VLLM = listed(
    {"id": "other", "object": "model", "owned_by": "vllm", "max_model_len": 1000},
    {"id": "m", "object": "model", "owned_by": "vllm", "root": "m", "max_model_len": 32768},
)
SGLANG = listed({"id": "m", "object": "model", "owned_by": "sglang", "max_model_len": 40960})
OPENROUTER = listed(
    {"id": "a/b", "context_length": 4096},
    {
        "id": "m",
        "context_length": 131072,
        "top_provider": {"context_length": 65536, "max_completion_tokens": None},
    },
)
GROQ = listed({"id": "m", "owned_by": "Meta", "active": True, "context_window": 8192})
LLAMA_CPP = listed(
    {"id": "/models/m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768, "n_vocab": 9}}
)
OLLAMA = listed({"id": "m:latest", "object": "model", "owned_by": "library"})
LM_STUDIO = listed({"id": "m", "object": "model", "owned_by": "organization_owner"})
SHOWN = {
    "parameters": 'stop "<|im_end|>"\nnum_ctx                        16384\ntemperature 0.7',
    "model_info": {"general.architecture": "qwen2", "qwen2.context_length": 32768},
}

CASES: dict[str, tuple[Answers, ContextLength | None]] = {
    "vLLM": ({"/v1/models": VLLM}, ContextLength(tokens=32768, source="/models")),
    "SGLang": ({"/v1/models": SGLANG}, ContextLength(tokens=40960, source="/models")),
    "OpenRouter": ({"/v1/models": OPENROUTER}, ContextLength(tokens=65536, source="/models")),
    "another gateway": ({"/v1/models": GROQ}, ContextLength(tokens=8192, source="/models")),
    "llama.cpp": (
        {"/v1/models": LLAMA_CPP, "/props": {"default_generation_settings": {"n_ctx": 16384}}},
        ContextLength(tokens=16384, source="/props"),
    ),
    "llama.cpp without props": (
        {"/v1/models": LLAMA_CPP},
        ContextLength(tokens=32768, at_most=True, source="/models"),
    ),
    "Ollama, loaded": (
        {
            "/v1/models": OLLAMA,
            "/api/ps": {"models": [{"name": "m:latest", "model": "m", "context_length": 4096}]},
            "/api/show": SHOWN,
        },
        ContextLength(tokens=4096, source="/api/ps"),
    ),
    "Ollama, set in its file": (
        {"/v1/models": OLLAMA, "/api/ps": {"models": []}, "/api/show": SHOWN},
        ContextLength(tokens=16384, source="/api/show"),
    ),
    "Ollama, not loaded": (
        {
            "/v1/models": OLLAMA,
            "/api/ps": {"models": []},
            "/api/show": {"model_info": SHOWN["model_info"]},
        },
        ContextLength(tokens=32768, at_most=True, source="/api/show"),
    ),
    "LM Studio, loaded": (
        {
            "/v1/models": LM_STUDIO,
            "/api/v0/models": listed(
                {"id": "m", "max_context_length": 131072, "loaded_context_length": 4096}
            ),
        },
        ContextLength(tokens=4096, source="/api/v0/models"),
    ),
    "LM Studio, not loaded": (
        {
            "/v1/models": LM_STUDIO,
            "/api/v0/models": listed({"id": "m", "max_context_length": 131072}),
        },
        ContextLength(tokens=131072, at_most=True, source="/api/v0/models"),
    ),
    "a server that does not say": ({"/v1/models": listed({"id": "m"})}, None),
    "a server without this model": ({"/v1/models": listed({"id": "x"}, {"id": "y"})}, None),
    "a server that knows no list": ({}, None),
    "a web page": ({"/v1/models": b"<html>log in</html>"}, None),
    "a list of another shape": ({"/v1/models": {"data": {"m": [3]}}}, None),
    "rows of another shape": ({"/v1/models": {"data": [1, None, "m", {"id": ["m"]}]}}, None),
    "numbers that are none": (
        {
            "/v1/models": listed(
                {
                    "id": "m",
                    "max_model_len": True,
                    "context_length": -5,
                    "context_window": "8192",
                    "top_provider": {"context_length": 10**40},
                }
            )
        },
        None,
    ),
    "depth without end": ({"/v1/models": b'{"data":' + b"[" * 200_000}, None),
    "a flood": ({"/v1/models": b"[" + b" " * MAX_ANSWER_BYTES + b"]"}, None),
}


@pytest.mark.parametrize("case", CASES)
async def test_servers_are_understood(serve: Serve, case: str) -> None:
    answers, expected = CASES[case]
    assert await found(serve(answers)) == expected


async def test_a_server_that_never_answers_is_given_up(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_length, "MAX_SEARCH_SECONDS", 0.2)
    assert await found(serve({"/v1/models": 60.0})) is None


async def test_nobody_listens() -> None:
    assert await found("http://127.0.0.1:1/v1") is None
    assert await found("no address") is None
    assert await found("") is None


async def test_a_configured_length_overrides_the_servers(serve: Serve) -> None:
    expected = ContextLength(tokens=9000, source="model.context_length")
    assert await found(serve({"/v1/models": VLLM}), context_length=9000) == expected


class Asked:
    """A model on a scripted server, turn by turn."""

    def __init__(self, server: s.ScriptedServer, **more: Any) -> None:
        settings = ModelSettings(name="m", base_url=server.url, **more)
        self.model = OpenAIModel(settings, None)

    async def turn(self) -> list[ContextLength]:
        request = Request(messages=[{"role": "user", "content": "hi"}], tools=[])
        parts = [part async for part in self.model.ask(request)]
        return [part for part in parts if isinstance(part, ContextLength)]

    async def searched(self) -> None:
        """Wait for the background search."""
        task = self.model._context._task  # pyright: ignore[reportPrivateUsage]
        assert task is not None
        await task


async def test_a_model_tells_it_once_it_has_been_found(
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    server = scripted_server(s.say("hello"))
    server.models = ["m"]
    server.model_fields = {"max_model_len": 2048}
    asked = Asked(server)
    assert await asked.turn() == []
    await asked.searched()
    assert await asked.turn() == [ContextLength(tokens=2048, source="/models")]
    assert await asked.turn() == []
    await asked.model.close()


async def test_a_model_tells_at_once_what_is_set(
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    asked = Asked(scripted_server(s.say("hello")), context_length=5)
    assert [one.tokens for one in await asked.turn()] == [5]
    assert await asked.turn() == []
    await asked.model.close()


async def test_a_search_under_way_ends_with_the_model(serve: Serve) -> None:
    address = serve({"/v1/models": 60.0, "/v1/chat/completions": b""})
    settings = ModelSettings(name="m", base_url=address)
    search = context_length.ContextSearch(settings, None)
    search.begin()
    assert search.take() is None
    await search.close()
