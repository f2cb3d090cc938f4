"""Where an agent and its environment write events: to a journal, or nowhere."""

from __future__ import annotations

from typing import Protocol

from typing_extensions import override

from sandbox_tui.core.events.types import AnyEvent, ModelDelta


class EventSink(Protocol):
    """Receives the events of a run, in order; `Journal` records and shows them."""

    def post(self, event: AnyEvent) -> AnyEvent:
        """Write an event; returns it with number and time if the sink adds them."""
        ...

    def post_delta(self, delta: ModelDelta) -> None:
        """Write a fragment of a reply."""
        ...

    async def output(self, terminal: str, data: bytes) -> None:
        """Write terminal output; waits while the reader is far behind."""
        ...

    async def wait_for_room(self) -> None:
        """Wait while the reader is far behind."""
        ...

    async def wait_durable(self) -> None:
        """Wait until everything written so far is stored, if it is stored at all."""
        ...


class NullEventSink(EventSink):
    """Drops every event, for an agent without a record or a screen."""

    @override
    def post(self, event: AnyEvent) -> AnyEvent:
        return event

    @override
    def post_delta(self, delta: ModelDelta) -> None:
        pass

    @override
    async def output(self, terminal: str, data: bytes) -> None:
        pass

    @override
    async def wait_for_room(self) -> None:
        pass

    @override
    async def wait_durable(self) -> None:
        pass
