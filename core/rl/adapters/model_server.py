# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""Serves a model on this machine through the OpenAI API, so that a trained model can be evaluated
and used like any other. For small models: it generates on this process's device and batches
concurrent requests.

Needs the extra `trl`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from jinja2 import TemplateError
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.models.tool_formats.reader import read_reply
from sandbox_tui.core.rl.adapters.local_conversations import LocalConversations
from sandbox_tui.core.rl.adapters.local_policy import Completion, LocalPolicy

MAX_REPLY_TOKENS = 1024
"""Maximum number of tokens per reply; a request may ask for fewer."""

_call_numbers = itertools.count(1)


class ModelServer:
    """Serves `/v1/models` and `/v1/chat/completions`. As a context manager, it serves until the
    context exits.

    Args:
        policy: the model.
        name: model name to serve it under.
        host, port: address to listen on; port 0: any free port.
        temperature: sampling temperature of requests that set none.

    Attributes:
        url: base URL, including `/v1`.

    Raises:
        ConfigError: the address is not available.
    """

    def __init__(
        self,
        policy: LocalPolicy,
        name: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        temperature: float = 1.0,
    ) -> None:
        self.policy = policy
        self.name = name
        self.temperature = temperature
        try:
            self._http = _Server((host, port), self)
        except OSError as error:
            raise ConfigError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
        self._loop = asyncio.new_event_loop()
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._loop.run_forever, self._http.serve_forever)
        ]
        self._conversations: dict[tuple[int, float], LocalConversations] = {}
        self.url = f"http://{host}:{self._http.server_port}/v1"

    def __enter__(self) -> ModelServer:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        for thread in self._threads:
            thread.join()
        self._loop.close()

    def complete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a chat completion request.

        Raises:
            AttributeError, KeyError, TypeError, ValueError: the request is invalid.
            TemplateError: the model's chat template refuses it.
        """
        tools: list[dict[str, Any]] = list(request.get("tools") or ())
        prompt = self.policy.prompt_ids(request["messages"], tools)
        seed = request.get("seed")
        limit = request.get("max_completion_tokens") or request.get("max_tokens")
        room = self.policy.context_length - len(prompt)
        if room < 1:
            raise ValueError(
                f"This model's maximum context length is {self.policy.context_length} tokens, and "
                f"the messages have {len(prompt)}."
            )
        tokens = max(1, min(int(limit or MAX_REPLY_TOKENS), MAX_REPLY_TOKENS, room))
        temperature = request.get("temperature")
        answered = asyncio.run_coroutine_threadsafe(
            self._complete(
                prompt,
                random.getrandbits(31) if seed is None else int(seed),
                tokens,
                self.temperature if temperature is None else float(temperature),
            ),
            self._loop,
        ).result()
        return _response(self.name, answered, len(prompt), tools)

    async def _complete(
        self, prompt: list[int], seed: int, tokens: int, temperature: float
    ) -> Completion:
        kind = (tokens, temperature)
        if kind not in self._conversations:
            self._conversations[kind] = LocalConversations(
                self.policy, reply_tokens=tokens, temperature=temperature
            )
        return await self._conversations[kind].complete(prompt, seed)


def _response(
    name: str, completion: Completion, prompt_tokens: int, tools: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a completion in the API's format, with tool calls in their own fields."""
    text = without_surrogates(completion.text)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish_reason = completion.finish_reason
    calls = read_reply(text, tools, finish_reason).calls if tools else ()
    if calls:
        finish_reason = "tool_calls"
        message["content"] = None
        message["tool_calls"] = [
            {
                "id": f"call{next(_call_numbers):05d}",
                "type": "function",
                "function": {"name": call.tool, "arguments": call.json},
            }
            for call in calls
        ]
    written = len(completion.token_ids)
    return {
        "id": "completion",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": written,
            "total_tokens": prompt_tokens + written,
        },
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: ModelServer) -> None:
        super().__init__(address, _Handler)
        self.owner = owner

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # the client has disconnected
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            self._send(HTTPStatus.NOT_FOUND, _error(f"There is no {self.path}."))
            return
        owner = self.server.owner
        entry = {"id": owner.name, "object": "model", "owned_by": "sandbox-tui"}
        entry["max_model_len"] = owner.policy.context_length  # type: ignore[assignment]
        self._send(HTTPStatus.OK, {"object": "list", "data": [entry]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send(HTTPStatus.NOT_FOUND, _error(f"There is no {self.path}."))
            return
        try:
            request = json.loads(body)
            answer = self.server.owner.complete(request)
        except (AttributeError, KeyError, TypeError, ValueError, TemplateError) as error:
            self._send(HTTPStatus.BAD_REQUEST, _error(str(error)))
            return
        except Exception as error:  # noqa: BLE001 - the client must not wait for an answer that never comes
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, _error(repr(error)))
            return
        if request.get("stream"):
            self._stream(answer)
        else:
            self._send(HTTPStatus.OK, answer)

    def _stream(self, answer: dict[str, Any]) -> None:
        """Send the whole answer as one event: streaming gains nothing for so small a model."""
        choice = answer["choices"][0]
        delta = dict(choice["message"])
        for index, call in enumerate(delta.get("tool_calls", ())):
            call["index"] = index
        chunk = {
            **answer,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": choice["finish_reason"]}],
        }
        self._write(
            HTTPStatus.OK,
            "text/event-stream",
            f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(),
        )

    def _send(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(answer).encode())

    def _write(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass


def _error(words: str) -> dict[str, Any]:
    return {"error": {"message": words, "type": "invalid_request_error"}}
