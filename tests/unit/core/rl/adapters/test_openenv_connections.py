"""Who may connect to the episode server, and what happens when a client disconnects."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandbox_tui.core.rl.adapters.client_disconnect import ClientLeft, unless_client_left
from sandbox_tui.core.rl.adapters.openenv_connections import GuardedConnections

Sent = list[dict[str, Any]]


def scope(kind: str, **headers: str) -> dict[str, Any]:
    named = {"host": "127.0.0.1:8766", **headers}
    return {"type": kind, "headers": [(k.encode(), v.encode()) for k, v in named.items()]}


async def spoken_to(guarded: GuardedConnections, of: dict[str, Any], *messages: Any) -> Sent:
    """Send these messages as a client and return the server's replies."""
    inbox: asyncio.Queue[Any] = asyncio.Queue()
    for message in messages:
        inbox.put_nowait(message)
    sent: Sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    await guarded(of, inbox.get, send)
    return sent


async def greeting(of: Any, receive: Any, send: Any) -> None:
    """An application that accepts every connection."""
    kind = "websocket.accept" if of["type"] == "websocket" else "http.response.start"
    await send({"type": kind, "status": 200})


CONNECT = {"type": "websocket.connect"}


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"host": "localhost"}, True),
        ({"host": "[::1]:8766"}, True),
        ({"host": "page.example"}, False),
        ({"host": "localhost.page.example"}, False),
        ({"origin": "http://page.example"}, False),
        ({"origin": "http://127.0.0.1:8766"}, False),
    ],
)
async def test_requests_to_this_machine_are_let_in_and_pages_are_not(
    kind: str, headers: dict[str, str], let_in: bool
) -> None:
    (first, *_) = await spoken_to(GuardedConnections(greeting), scope(kind, **headers), CONNECT)
    refused = first.get("status") == 403 or first["type"] == "websocket.close"
    assert refused != let_in


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, False),
        ({"authorization": "Bearer other"}, False),
        ({"authorization": "Bearer secret", "host": "node7:8766"}, True),
        ({"authorization": "Bearer secret", "origin": "http://node7:8766"}, False),
    ],
)
async def test_a_token_is_required_where_there_is_one(
    headers: dict[str, str], let_in: bool
) -> None:
    guarded = GuardedConnections(greeting, "secret")
    (first, *_) = await spoken_to(guarded, scope("http", **headers))
    assert (first["status"] == 200) == let_in


async def test_work_for_a_client_that_leaves_is_cancelled() -> None:
    cancelled = asyncio.Event()

    async def step() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def application(of: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "websocket.connect"
        with pytest.raises(ClientLeft):
            await unless_client_left(step())
        assert (await receive())["type"] == "websocket.disconnect"

    gone = {"type": "websocket.disconnect", "code": 1006}
    await spoken_to(GuardedConnections(application), scope("websocket"), CONNECT, gone)
    assert cancelled.is_set()


async def test_work_for_a_client_that_stays_has_its_result() -> None:
    async def application(of: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.send", "text": await unless_client_left(step())})

    async def step() -> str:
        await asyncio.sleep(0)
        return "done"

    sent = await spoken_to(GuardedConnections(application), scope("websocket"), CONNECT)
    assert sent == [{"type": "websocket.send", "text": "done"}]
