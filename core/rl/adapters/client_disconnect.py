"""Tells an episode that its client has disconnected."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

from sandbox_tui.core.base.errors import SandboxTuiError

T = TypeVar("T")

CLIENT_LEFT: ContextVar[asyncio.Event | None] = ContextVar("client_left", default=None)
"""Event of the current connection, set when its client disconnects; None outside connections."""


class ClientLeft(SandboxTuiError):
    """The client disconnected while an episode worked for it."""


async def unless_client_left(work: Coroutine[Any, Any, T]) -> T:
    """Run an episode's work, and cancel it if the client disconnects.

    Raises:
        ClientLeft: the client disconnected before the work was done.
    """
    left = CLIENT_LEFT.get()
    if left is None:
        return await work
    task, disconnected = asyncio.ensure_future(work), asyncio.ensure_future(left.wait())
    try:
        await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientLeft("The client disconnected.")
    finally:
        disconnected.cancel()
        task.cancel()
        await asyncio.wait({task})
