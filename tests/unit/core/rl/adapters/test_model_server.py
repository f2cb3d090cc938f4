# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""A model in this process behind the OpenAI API: requests that it cannot answer."""

from __future__ import annotations

import json
import socket
import struct
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra trl")
pytest.importorskip("trl", reason="needs the extra trl")

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy
from sandbox_tui.core.rl.adapters.model_server import ModelServer
from tests.untrained_model import TEMPLATE, tokenizer, untrained_policy

STRICT = (
    "{%- if messages[0].role == 'system' -%}{{- raise_exception('System role not supported') -}}"
    "{%- endif -%}" + TEMPLATE
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    policy = LocalPolicy(untrained_policy().model, tokenizer(STRICT))
    with ModelServer(policy, "tiny") as served:
        yield served


def asked(server: ModelServer, body: Any) -> tuple[int, dict[str, Any]]:
    """Status and body of the answer to a request."""
    request = urllib.request.Request(
        f"{server.url}/chat/completions", data=json.dumps(body).encode(), method="POST"
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_request_that_the_template_refuses_gets_the_reason(server: ModelServer) -> None:
    status, body = asked(server, {"messages": [{"role": "system", "content": "x"}]})
    assert status == 400
    assert body["error"]["message"] == "System role not supported"


@pytest.mark.parametrize("body", [[], "x", 1, {}, {"messages": 1}])
def test_invalid_requests_are_refused(server: ModelServer, body: Any) -> None:
    assert asked(server, body)[0] == 400


def test_a_request_that_breaks_the_model_is_answered(server: ModelServer) -> None:
    ask = {"messages": [{"role": "user", "content": "x"}], "temperature": -1e-300}
    status, body = asked(server, ask)
    assert status == 500
    assert body["error"]["message"]


def test_a_port_in_use_is_refused(server: ModelServer) -> None:
    port = int(server.url.split(":")[2].split("/")[0])
    with pytest.raises(ConfigError, match=f"Cannot listen on 127.0.0.1:{port}: Address already"):
        ModelServer(server.policy, "tiny", port=port)


def test_a_client_that_leaves_is_no_error(
    server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, left, over = threading.Event(), threading.Event(), threading.Event()
    answer, handle = server.complete, server._http.handle_error

    def held(request: Any) -> dict[str, Any]:
        has_begun.set()
        left.wait()
        return {**answer(request), "long": "x" * 20_000_000}

    def handled(*args: Any) -> None:
        handle(*args)
        over.set()

    monkeypatch.setattr(server, "complete", held)
    monkeypatch.setattr(server._http, "handle_error", handled)
    body = json.dumps({"messages": [{"role": "user", "content": "x"}], "max_tokens": 1}).encode()
    client = socket.create_connection(("127.0.0.1", server._http.server_port))
    client.sendall(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body) + body
    )
    has_begun.wait()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    left.set()
    over.wait()
    assert "Traceback" not in capsys.readouterr().err
