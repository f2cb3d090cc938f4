"""Waits for file descriptors that may be closed meanwhile."""

from __future__ import annotations

import asyncio


class Readiness:
    """Waits for the descriptors of one connection.

    After `close`, no descriptor is removed from the event loop, because its number may have been
    reused.
    """

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()
        self._closed = False

    async def wait(self, reading: list[int], writing: list[int]) -> None:
        """Wait until one of the descriptors is ready, or all are closed."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not done.done():
                done.set_result(None)

        for descriptor in reading:
            loop.add_reader(descriptor, wake)
        for descriptor in writing:
            loop.add_writer(descriptor, wake)
        self._waiting.add(done)
        try:
            await done
        finally:
            self._waiting.discard(done)
            if not self._closed:
                for descriptor in reading:
                    loop.remove_reader(descriptor)
                for descriptor in writing:
                    loop.remove_writer(descriptor)

    def close(self, descriptors: list[int]) -> None:
        """Stop watching the descriptors, which are about to be closed, and wake all waiters."""
        self._closed = True
        loop = asyncio.get_running_loop()
        for descriptor in descriptors:
            loop.remove_reader(descriptor)
            loop.remove_writer(descriptor)
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
