"""The program with a terminal that writes down what it is sent, byte for byte."""

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

LONGEST_DRAW = 5.0
"""Seconds after which a screen that draws nothing is taken for one that has nothing to draw."""

MAX_FRAMES = 100
"""Half frames to wait for what has changed; a widget that is covered may never be drawn."""


async def tap(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, and wait after each until all that came of it has been drawn."""
    driver = pilot.app._driver
    assert driver is not None
    for key in keys:
        driver.send_message(events.Key(key, key_to_character(key)))
        await drawn(pilot)


async def drawn(pilot: Pilot[Any]) -> None:
    """Until nothing waits to be handled, and the screen has been drawn after that."""
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
    """Whether something on the screen has changed and the terminal has not been told."""
    return bool(screen._dirty_widgets) or any(
        widget._repaint_required or widget._layout_required or widget._scroll_required
        for widget in (screen, *screen._compositor.visible_widgets)
    )
