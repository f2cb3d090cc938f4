"""Work that runs to completion even when it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


async def to_completion(work: Coroutine[Any, Any, _T]) -> _T:
    """Run work to its end: if the caller is cancelled, it first waits until the work is done.

    Raises:
        asyncio.CancelledError: the caller was cancelled; the work is done. An exception of the
            work takes precedence.
    """
    task = asyncio.create_task(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:  # possibly a second cancellation
            cancellation = error
    result = task.result()
    if cancellation is not None:
        raise cancellation
    return result
