"""The program on a terminal that records what it is sent, byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.keys import key_to_character
from textual.pilot import Pilot
from textual.screen import Screen

from sandbox_tui.tui.app import SandboxTui


class RecordingDriver(HeadlessDriver):
    """A driver that draws everything but shows it nowhere.

    Attributes:
        written: everything written so far.
    """

    written: list[str]

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        type(self).written = []

    @property
    def is_headless(self) -> bool:
        """False, since Textual draws nothing at all when headless."""
        return False

    def write(self, data: str) -> None:
        """See `Driver`."""
        type(self).written.append(data)


def taken() -> bytes:
    """The bytes written since the last call."""
    data = "".join(RecordingDriver.written).encode("utf-8", "surrogatepass")
    RecordingDriver.written.clear()
    return data


async def drive(
    app: SandboxTui, size: tuple[int, int], act: Callable[[Pilot[int]], Awaitable[None]]
) -> bytes:
    """Run the app on such a terminal while `act` operates it; returns all bytes written."""
    app.driver_class = RecordingDriver
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
"""Seconds between Textual's frames, rounded up."""

LONGEST_DRAW = 5.0
"""Seconds after which a screen that draws nothing is treated as having nothing to draw."""

MAX_FRAMES = 100
"""Half frames to wait for pending changes; a covered widget may never be drawn."""


async def tap(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, and wait after each until all its effects are drawn."""
    driver = pilot.app._driver
    assert driver is not None
    for key in keys:
        driver.send_message(events.Key(key, key_to_character(key)))
        await drawn(pilot)


async def drawn(pilot: Pilot[Any]) -> None:
    """Wait until no message is left to handle and the screen has been drawn after that."""
    await pilot._wait_for_screen()
    seen = asyncio.Event()
    pilot.app.screen.call_after_refresh(seen.set)
    with contextlib.suppress(TimeoutError):  # the screen may have been closed by the key
        async with asyncio.timeout(LONGEST_DRAW):
            await seen.wait()
    for _ in range(MAX_FRAMES):
        await asyncio.sleep(FRAME / 2)
        if not undrawn(pilot.app.screen):
            break


def undrawn(screen: Screen[Any]) -> bool:
    """Whether something on the screen has changed but is not yet drawn."""
    return bool(screen._dirty_widgets) or any(
        widget._repaint_required or widget._layout_required or widget._scroll_required
        for widget in (screen, *screen._compositor.visible_widgets)
    )
