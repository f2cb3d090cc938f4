"""A program that ends while a screen is connected reports no error."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from sandbox_tui.sessions.remote.server import RunServer


def test_a_connection_that_the_end_of_the_program_cancels_is_no_error(tmp_path: Path) -> None:
    reported: list[dict[str, Any]] = []

    async def program() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reported.append(context))
        connected = asyncio.Event()
        worker = SimpleNamespace(
            observers=[], on_storage_error=[], run_id="r", ended=asyncio.Event()
        )
        server = RunServer(cast(Any, worker))
        server._notify_all = connected.set
        accepts = await asyncio.start_unix_server(server._connected, tmp_path / "s")
        screen.connect(str(tmp_path / "s"))
        await connected.wait()
        accepts.close()

    with socket.socket(socket.AF_UNIX) as screen:
        asyncio.run(program())
    assert not reported
