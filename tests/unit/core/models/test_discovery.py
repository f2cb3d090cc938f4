"""Discovery on loopback: model servers of every kind are found, anything else is survived."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.models.discovery import (
    MAX_ANSWER_BYTES,
    LocalServer,
    _read,
    find_local_servers,
)
from tests.scripted_server import ScriptedServer, say


@contextmanager
def answers(*pieces: bytes | float) -> Iterator[int]:
    """A loopback port that sends these pieces to one client; a number is a pause in seconds."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(4096)
            for piece in pieces:
                if isinstance(piece, bytes):
                    try:
                        connection.sendall(piece)
                    except OSError:
                        return
                elif over.wait(piece):
                    return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def http_answer(body: bytes, status: str = "200 OK", kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def models(*names: object, owner: str = "me") -> bytes:
    return json.dumps({"data": [{"id": name, "owned_by": owner} for name in names]}).encode()


async def test_real_servers_are_found_with_their_models(
    scripted_server: Callable[..., ScriptedServer],
) -> None:
    one, other = scripted_server(say("x")), scripted_server(say("x"))
    one.models, other.models = ["qwen3-coder", "tiny"], []
    ports = [int(server.url.split(":")[2].split("/")[0]) for server in (one, other)]
    assert await find_local_servers([ports[0], 1, ports[1], ports[0]]) == [
        LocalServer("a server", one.url, ("qwen3-coder", "tiny")),
        LocalServer("a server", other.url, ()),
    ]
    assert one.authorizations == []


@pytest.mark.parametrize(
    "pieces",
    [
        (http_answer(b"<html>hello</html>", kind="text/html"),),
        (http_answer(b'{"detail": "Not Found"}', "404 Not Found"),),
        (http_answer(b"", "302 Found\r\nLocation: http://127.0.0.1:1/v1/models"),),
        (http_answer(b"log in", "401 Unauthorized", "text/html"),),
        (http_answer(b'["a"]'),),
        (http_answer(b'{"data": 3}'),),
        (http_answer(b"{" * 100_000),),
        (b"SSH-2.0-OpenSSH_9.2\r\n",),
        (b"\x00\xff" * 100,),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n{}",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{",),
        (http_answer(b" " * (MAX_ANSWER_BYTES + 10)),),
        (60.0,),
        (),
        tuple(p for _ in range(9999) for p in (b"H", 0.05)),
    ],
)
async def test_other_servers_are_ignored(pieces: tuple[bytes | float, ...]) -> None:
    with answers(*pieces) as port:
        began = time.monotonic()
        assert await find_local_servers([port], wait=0.4) == []
        assert time.monotonic() - began < 30  # no answer is awaited to its end


async def test_a_server_that_floods_without_end_is_left() -> None:
    with answers(b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 65536] * 4000) as port:
        assert await find_local_servers([port], wait=3) == []


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((http_answer(models("a", owner="vllm")),), ("vLLM", ("a",), False)),
        ((http_answer(models("a")), 60.0), ("a server", ("a",), False)),
        (
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                b"%x\r\n%s\r\n0\r\n\r\n" % (len(models("a")), models("a")),
            ),
            ("a server", ("a",), False),
        ),
        ((http_answer(b'{"error": "key"}', "401 Unauthorized"),), ("a server", (), True)),
        (
            (http_answer(models("ok", "", 3, None, "x\x1b]0;y\x07", "\u202e", "n" * 300, "ok")),),
            ("a server", ("ok",), False),
        ),
    ],
)
async def test_usable_parts_of_an_answer_are_used(
    pieces: tuple[bytes | float, ...], expected: tuple[str, tuple[str, ...], bool]
) -> None:
    with answers(*pieces) as port:
        (server,) = await find_local_servers([port], wait=0.6)
        assert (server.kind, server.models, server.wants_key) == expected
        assert server.base_url == f"http://127.0.0.1:{port}/v1"


@pytest.mark.parametrize("port", config.ModelSettings().local_ports)
@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        ("vllm", "vLLM"),
        ("sglang", "SGLang"),
        ("llamacpp", "llama.cpp"),
        ("library", "Ollama"),
        ("organization_owner", "LM Studio"),
        ("me", "a server"),
    ],
)
def test_a_server_is_known_by_what_it_says_not_by_its_port(
    port: int, owner: str, kind: str
) -> None:
    server = _read(port, http_answer(models("a", owner=owner)))
    assert server is not None
    assert server.kind == kind


def test_a_server_without_models_may_still_name_itself() -> None:
    answer = http_answer(models()).replace(b"\r\n", b"\r\nServer: llama.cpp\r\n", 1)
    server = _read(8000, answer)
    assert server is not None
    assert server.kind == "llama.cpp"


async def test_slow_ones_do_not_hold_up_the_others() -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(answers(60.0)) for _ in range(4)]
        good = stack.enter_context(answers(http_answer(models("a"))))
        began = time.monotonic()
        assert len(await find_local_servers([*slow, good], wait=2.0)) == 1
        assert time.monotonic() - began < 30


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=300), st.binary(max_size=200).map(http_answer)))
def test_no_answer_breaks_the_reading_of_it(raw: bytes) -> None:
    server = _read(1, raw)
    assert server is None or server.base_url.endswith(":1/v1")


def test_ports_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[8001, 9000]")
    assert config.load().model.local_ports == (8001, 9000)
    assert asyncio.run(find_local_servers([])) == []
