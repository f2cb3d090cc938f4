"""Runs the sandboxes' blocking calls in a dedicated thread pool, and handles their cancellation.

A thread cannot be stopped, so its result is undone instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_THREADS = 32
"""Maximum concurrent calls, so that a dead engine cannot block the rest of the program."""

_threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="sandbox")
_undoing: set[asyncio.Task[None]] = set()


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a call in a thread. If this is cancelled, the call still runs to its end."""
    return await asyncio.get_running_loop().run_in_executor(_threads, lambda: call(*args, **kwargs))


async def in_thread_with_undo(call: Callable[[], T], undo: Callable[[T], object]) -> T:
    """Run a call in a thread. If this is cancelled, its result is undone in that thread.

    The thread does it because at exit the program waits for threads, not for tasks.
    """
    lock, unwanted, results = threading.Lock(), threading.Event(), list[T]()

    def work() -> T:
        result = call()
        with lock:
            results.append(result)
            is_wanted = not unwanted.is_set()
        if not is_wanted:
            _undo(undo, result)
        return result

    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, work)
    except asyncio.CancelledError:
        with lock:
            unwanted.set()
            done = list(results)
        for result in done:  # the caller never received it
            _threads.submit(_undo, undo, result)
        raise


def _undo(undo: Callable[[T], object], result: T) -> None:
    with contextlib.suppress(Exception):
        undo(result)


async def run_shielded(
    work: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[object]] | None = None
) -> T:
    """Run work that must not stop halfway: if cancelled, it completes and is then undone."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        after = asyncio.create_task(_after(task, undo))
        _undoing.add(after)
        after.add_done_callback(_undoing.discard)
        raise


async def _after(task: asyncio.Task[T], undo: Callable[[T], Awaitable[object]] | None) -> None:
    with contextlib.suppress(Exception):
        result = await task
        if undo is not None:
            await undo(result)
