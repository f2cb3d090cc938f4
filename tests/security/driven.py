"""The program with a terminal that writes down what it is sent, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.keys import key_to_character
from textual.pilot import Pilot

from sandbox_tui.tui.app import SandboxTui


class WritingDown(HeadlessDriver):
    """Draws everything, to nobody.

    Attributes:
        written: all that was said so far.
    """

    written: list[str]

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        type(self).written = []

    @property
    def is_headless(self) -> bool:
        """Else Textual draws nothing at all."""
        return False

    def write(self, data: str) -> None:
        """See `Driver`."""
        type(self).written.append(data)


def taken() -> bytes:
    """What was written since this was last asked."""
    data = "".join(WritingDown.written).encode("utf-8", "surrogatepass")
    WritingDown.written.clear()
    return data


async def drive(
    app: SandboxTui, size: tuple[int, int], act: Callable[[Pilot[int]], Awaitable[None]]
) -> bytes:
    """Run the app on such a terminal while `act` works it; all that was written."""
    app.driver_class = WritingDown
    failed: list[BaseException] = []

    async def work(pilot: Pilot[Any]) -> None:
        try:
            await act(pilot)
        except BaseException as error:
            failed.append(error)
        finally:
            app.exit()

    await app.run_async(size=size, auto_pilot=work)
    if app._exception is not None:
        raise app._exception
    if failed:
        raise failed[0]
    return taken()


FRAME = 0.02
"""Seconds between Textual's frames, or a little more."""


async def tap(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, and wait after each until something was drawn, if anything is."""
    driver = pilot.app._driver
    assert driver is not None
    for key in keys:
        before = len(WritingDown.written)
        driver.send_message(events.Key(key, key_to_character(key)))
        for _ in range(4):
            await asyncio.sleep(FRAME / 2)
            if len(WritingDown.written) > before:
                break
