"""A terminal widget flooded while keys are pressed; runs in the virtual environment of either
widget.

    python flood_app.py ours|theirs CORPUS MEGABYTES LOG

Writes JSON lines to LOG: each key with the time it was handled, then the cost of the flood. With no
megabytes it only handles keys until it is killed.
"""

import asyncio
import codecs
import json
import sys
import time
from pathlib import Path

import textual.app
from textual import events
from textual.app import App, ComposeResult

PIECE = 32 * 1024
COLUMNS, LINES = 120, 38


class Flooded(App[None]):
    """An app with only the widget."""

    CSS = "Screen { layout: vertical; } #terminal { width: 120; height: 38; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, data: bytes, total: int, log: Path) -> None:
        super().__init__()
        self.data = data
        self.total = total
        self.heard: set[float] = set()
        self.out = log.open("w", buffering=1)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and event.time not in self.heard:
            self.heard.add(event.time)  # the event arrives again when it bubbles up from the widget
            self.tell("key", event.key)
        await super().on_event(event)

    def tell(self, kind: str, what: object) -> None:
        self.out.write(json.dumps([kind, what, time.monotonic()]) + "\n")

    def on_mount(self) -> None:
        self.set_timer(1.0, self.begin)

    def begin(self) -> None:
        self.tell("begin", 0)
        if self.total:
            self.flooding = asyncio.create_task(self.run_flood())

    async def run_flood(self) -> None:
        cpu, wall = time.process_time(), time.monotonic()
        taken = await self.flood()
        self.tell(
            "end",
            {
                "cpu": time.process_time() - cpu,
                "wall": time.monotonic() - wall,
                "bytes": taken,
            },
        )
        await asyncio.sleep(0.3)
        self.exit()

    async def flood(self) -> int:
        raise NotImplementedError

    def pieces(self):
        done = 0
        while done < self.total:
            for at in range(0, len(self.data), PIECE):
                yield self.data[at : at + PIECE]
                done += len(self.data[at : at + PIECE])
                if done >= self.total:
                    return


class Ours(Flooded):
    """`TerminalView`, fed as in the cockpit."""

    def compose(self) -> ComposeResult:
        from sandbox_tui.core.terminal.emulator.screen import Screen
        from sandbox_tui.tui.widgets.terminal.view import TerminalView

        self.view = TerminalView(Screen(COLUMNS, LINES), fit=False, id="terminal")
        yield self.view

    def get_theme_variable_defaults(self) -> dict[str, str]:
        from sandbox_tui.tui.theming.derived_roles import derived_roles

        return derived_roles(self.current_theme)

    def on_mount(self) -> None:
        from sandbox_tui.tui.lifecycle.gc_tuning import tune_gc

        tune_gc()  # as the program does once it has started

    async def flood(self) -> int:
        done = 0
        for piece in self.pieces():
            self.view.feed(piece)
            done += len(piece)
            await self.view.drain()
        while self.view._pump.waiting:
            await asyncio.sleep(0.01)
        return done


class Theirs(Flooded):
    """textual-terminal's widget, whose own `recv` is fed through its own queue."""

    def compose(self) -> ComposeResult:
        vars(textual.app).setdefault("DEFAULT_COLORS", {})  # it was written for an older Textual
        import textual_terminal._terminal as theirs

        self.view = theirs.Terminal(command="true", id="terminal")
        yield self.view

    async def flood(self) -> int:
        view = self.view
        view._screen.resize(LINES, COLUMNS)
        view.nrow, view.ncol = LINES, COLUMNS
        view.send_queue, view.recv_queue = asyncio.Queue(), asyncio.Queue(maxsize=4)
        receiving = asyncio.create_task(view.recv())
        decoder, done = codecs.getincrementaldecoder("utf-8")("replace"), 0
        for piece in self.pieces():
            await view.recv_queue.put(["stdout", decoder.decode(piece)])
            done += len(piece)
            await asyncio.sleep(0)
        while not view.recv_queue.empty():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        receiving.cancel()
        return done


if __name__ == "__main__":
    which, corpus, megabytes, log = sys.argv[1:]
    kind = Ours if which == "ours" else Theirs
    kind(Path(corpus).read_bytes(), int(float(megabytes) * 1e6), Path(log)).run()
