"""What a call had printed when its program was killed: it has no observation, but the terminal
that mirrors it was recorded."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.terminal.latest_lines import latest_lines

MAX_BYTES = 256 * 1024
"""Bytes that are read, from the end."""

MAX_LINES = 2_000
"""Maximum number of lines returned, from the end."""


def partial_output(events: Iterable[e.AnyEvent], call: int) -> str:
    """Return the lines that a call has printed, without blank ones; empty if it has not started.

    Args:
        events: with terminal output; those before the call are skipped.
        call: its number.
    """
    data, is_running = b"", False
    for event in events:
        match event:
            case e.CallStarted(call=number):
                is_running = number == call
            case e.HumanCommandStarted() | e.CallFinished():
                is_running = False
            case e.TerminalOutput(terminal=name, data=more) if is_running and name == MIRROR:
                data = (data + more[-MAX_BYTES:])[-MAX_BYTES:]
            case _:
                pass
    return "\n".join(latest_lines(data, MAX_LINES))
