"""Exports each terminal as an asciicast v3 recording (docs.asciinema.org/manual/asciicast/v3).

Typed input is left out, since it may be a password. Input that the terminal echoed is included.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable

from sandbox_tui.core.base.defaults import TERMINAL_SIZE
from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording, shortened
from sandbox_tui.sessions.interchange.exports.run_story import call_title, decision, was_interrupted

IDLE_SECONDS = 2.0
"""Longest pause that players keep; they shorten longer ones."""

_OTHER_SCREEN = re.compile(r"\x1b\[\?1049([hl])")

MAX_COLUMNS_OR_ROWS = 1000
"""Maximum number of columns or rows; players refuse larger screens."""


def write(recording: Recording) -> Iterable[Part]:
    """Write the model's terminal as a recording."""
    sizes = _sizes(recording.events)
    if not sizes:
        raise RequestRefused(f"The session {recording.summary.id} has no terminal to export.")
    for terminal in sorted(sizes, key=lambda name: (name != MIRROR, name)):
        text = "\n".join(_lines(recording, terminal, sizes[terminal])) + "\n"
        yield Part(f".{_file_part(terminal)}.cast", text.encode())


def _sizes(events: Iterable[e.AnyEvent]) -> dict[str, tuple[int, int]]:
    """Return the initial size of every terminal."""
    sizes: dict[str, tuple[int, int]] = {}
    for event in events:
        if isinstance(event, e.TerminalOpened | e.TerminalResized):
            sizes.setdefault(event.terminal, (_bound(event.cols), _bound(event.rows)))
        elif isinstance(event, e.TerminalOutput):
            sizes.setdefault(event.terminal, TERMINAL_SIZE)
    return sizes


def _bound(number: int) -> int:
    return min(max(1, number), MAX_COLUMNS_OR_ROWS)


def _file_part(terminal: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", terminal)[:40] or "terminal"


def _lines(recording: Recording, terminal: str, size: tuple[int, int]) -> Iterable[str]:
    header = {
        "version": 3,
        "term": {"cols": size[0], "rows": size[1], "type": "xterm-256color"},
        "timestamp": int(recording.summary.started_at),
        "idle_time_limit": IDLE_SECONDS,
        "title": shortened(recording.summary.title or recording.started.task, 200),
    }
    yield json.dumps(header, ensure_ascii=False)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    if terminal == MIRROR:
        decode = _Portable(decode)
    written = 0.0  # sum of the rounded intervals, so that rounding errors do not add up
    for event in recording.events_with_output:
        found = _entry(event, terminal, decode, recording)
        if found is None:
            continue
        interval = round(max(0.0, event.t - written), 6)
        written += interval
        yield json.dumps([interval, *found], ensure_ascii=False)


class _Portable:
    """Decodes the mirror's output so that other emulators show it as ours does.

    The mirror leaves the alternate screen at every prompt, even if it is not on it. xterm and most
    other emulators then restore the cursor (DECRC) regardless; ours does not.
    """

    def __init__(self, decode: Callable[[bytes], str]) -> None:
        self._decode = decode
        self._other_screen = False

    def __call__(self, data: bytes) -> str:
        return _OTHER_SCREEN.sub(self._kept, self._decode(data))

    def _kept(self, match: re.Match[str]) -> str:
        needless = match[1] == "l" and not self._other_screen
        self._other_screen = match[1] == "h"
        return "" if needless else match[0]


def _entry(
    event: e.AnyEvent, terminal: str, decode: Callable[[bytes], str], recording: Recording
) -> tuple[str, str] | None:
    """Return the code and the data of the line for an event; None if the event has no line."""
    match event:
        case e.TerminalOutput(terminal=name, data=data) if name == terminal:
            text = decode(data)
            return ("o", text) if text else None
        case e.TerminalResized(terminal=name, cols=cols, rows=rows) if name == terminal:
            return "r", f"{_bound(cols)}x{_bound(rows)}"
        case e.TerminalClosed(terminal=name, exit_code=code) if name == terminal:
            return None if code is None else ("x", str(code))
        case e.CallProposed(call=call) if terminal == MIRROR:
            item = recording.state.calls[call.number]  # to show how it ended: it may not have run
            is_cut_off = was_interrupted(item, is_running=recording.is_running)
            words = ", ".join(filter(None, (decision(item), "interrupted" if is_cut_off else "")))
            return "m", sanitize_line(call_title(item))[:120] + (f" ({words})" if words else "")
        case _:
            return None


EXPORTER = Exporter("asciicast", "each terminal, for asciinema", ".model.cast", write)
