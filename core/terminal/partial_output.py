"""What calls had printed when their program was killed: they have no observation, but the terminal
that mirrors them was recorded."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.terminal.latest_lines import latest_lines

MAX_BYTES = 256 * 1024
"""Bytes that are read of each call's output, from its end."""

MAX_LINES = 2_000
"""Maximum number of lines returned of each call's output, from its end."""


def partial_outputs(events: Iterable[e.AnyEvent]) -> dict[int, str]:
    """Return the lines, without blank ones, that each started call without an observation has
    printed, by the call's number.

    Args:
        events: with terminal output, in order.
    """
    printed: dict[int, bytes] = {}
    running: int | None = None
    for event in events:
        match event:
            case e.CallStarted(call=running):
                printed[running] = b""
            case e.CallFinished(call=number):
                running = None
                printed.pop(number, None)
            case e.HumanCommandStarted():
                running = None
            case e.TerminalOutput(terminal=name, data=more) if name == MIRROR:
                if running is not None:
                    printed[running] = (printed[running] + more[-MAX_BYTES:])[-MAX_BYTES:]
            case _:
                pass
    return {call: "\n".join(latest_lines(data, MAX_LINES)) for call, data in printed.items()}
