"""Messages that wait for the next request to the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

PROGRAM = 0
"""Id of a message that the program wrote, not the user."""


@dataclass(slots=True)
class QueuedMessage:
    """A message that waits for the model.

    Attributes:
        id: id of the HumanMessage, HumanCommand or HumanFile it comes from, or `PROGRAM`.
        text: the text the model will read.
        blocks_submit: whether a submit is refused until the model has read it.
    """

    id: int
    text: str
    blocks_submit: bool


class MessageQueue:
    """The messages of one run that the model has not seen yet, in order."""

    def __init__(self) -> None:
        self._waiting: list[QueuedMessage] = []
        self._writers: set[asyncio.Task[None]] = set()

    @property
    def blocks_submit(self) -> bool:
        """Whether a queued message must be read before the model may submit."""
        return any(message.blocks_submit for message in self._waiting)

    def add(self, item: int, text: str, *, blocks_submit: bool = False) -> None:
        """Append a message; see `QueuedMessage`."""
        self._waiting.append(QueuedMessage(item, text, blocks_submit))

    def expect(self, writer: asyncio.Task[None]) -> None:
        """Let the next request wait for a task that adds a message before it ends."""
        self._writers.add(writer)
        writer.add_done_callback(self._writers.discard)

    async def wait_complete(self, wait_until_resumed: Callable[[], Awaitable[None]]) -> None:
        """Wait while the run is paused and until every expected message has been added."""
        await wait_until_resumed()
        while self._writers:
            await asyncio.wait(self._writers)
            await wait_until_resumed()

    def restore(self, messages: Iterable[QueuedMessage]) -> None:
        """Append messages that were waiting when the run was resumed or forked."""
        self._waiting += messages

    def drain(self) -> list[QueuedMessage]:
        """Remove and return all messages."""
        drained, self._waiting = self._waiting, []
        return drained

    def edit(self, item: int, text: str) -> bool:
        """Change a queued message; False if the model has already seen it."""
        for message in self._waiting:
            if message.id == item:
                message.text = text
                return True
        return False

    def cancel(self, item: int) -> bool:
        """Remove a queued message; False if the model has already seen it."""
        for message in self._waiting:
            if message.id == item:
                self._waiting.remove(message)
                return True
        return False
