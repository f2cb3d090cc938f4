# pyright: reportUnknownMemberType=false
"""The main screen: calls, terminal and files of one run side by side, live or replayed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import DescendantFocus, Resize
from textual.timer import Timer

from ...core import events as e
from ...core.state import CallItem, HumanItem, ReplyItem, RunState
from ..keymap import hint
from ..widgets.blocks import Blocks
from ..widgets.call_text import whole_text
from ..widgets.calls import Calls
from ..widgets.files import Files
from ..widgets.find_bar import FindBar
from ..widgets.key_bar import KeyBar
from ..widgets.preview import Preview
from ..widgets.status_bar import StatusBar
from ..widgets.terminals import Terminals
from ..widgets.timeline import Timeline
from .help import HelpScreen
from .pager import Pager
from .step_notes import StepNotes

FRAME = 1 / 20
"""Seconds between two looks of the screen at the state, however many events come."""

FILES_REST = 5.0
"""Times as long as showing the files took until they are shown again."""


class Cockpit(StepNotes):
    """What live runs and replays share: the panes, and how events reach them.

    Args:
        task: for the header until the run says it.
        live: whether terminals follow the size of their pane.
        get_blob: file contents by digest.
    """

    CSS_PATH = "cockpit.tcss"
    AUTO_FOCUS = "#calls"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"),
        (90, "-medium"),
        (140, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-lowest"),
        (14, "-low"),
        (22, "-tall"),
    ]

    COMMON: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "zoom", id="cockpit.zoom"),
        Binding("1", "pane('calls')", "Calls", show=False, id="cockpit.calls"),
        Binding("2", "pane('terminals')", "Terminal", show=False, id="cockpit.terminal"),
        Binding("3", "pane('side')", "Files", show=False, id="cockpit.files"),
        Binding(
            "tab", "next_pane(1)", "Next pane", show=False, priority=True, id="cockpit.next_pane"
        ),
        Binding(
            "shift+tab",
            "next_pane(-1)",
            "Previous pane",
            show=False,
            priority=True,
            id="cockpit.previous_pane",
        ),
        Binding(
            "backslash", "next_terminal", "Next terminal", show=False, id="cockpit.next_terminal"
        ),
        Binding("o", "open_all", "whole", id="cockpit.whole"),
        Binding("w", "note", "Write a note on this step", show=False, id="cockpit.note"),
        Binding("question_mark,f1", "help", "help", key_display="?", id="cockpit.help"),
    ]

    PANES: ClassVar[dict[str, str]] = {
        "calls": "#calls",
        "terminals": "#terminals",
        "side": "#files",
    }

    def __init__(self, task: str, *, live: bool, get_blob: Callable[[str], bytes | None]) -> None:
        super().__init__()
        self.state = RunState()
        self._first_line = task.strip().split("\n", 1)[0]
        self._is_live = live
        self._is_left = False
        self._get_blob = get_blob
        self._flush_timer: Timer | None = None
        self._files_timer: Timer | None = None
        self._files_changed = False
        self._second_shown = -1
        self._clock_at = time.monotonic()

    def compose(self) -> ComposeResult:
        """Header, three panes, what stands below them, footer."""
        yield StatusBar(self.state, self._first_line, id="status")
        with Horizontal(id="panes"):
            yield Calls(self.state, id="calls")
            yield Terminals(live=self._is_live, id="terminals")
            with Vertical(id="side"):
                yield Files(self.state, id="files")
                yield Preview(self._get_blob, id="preview")
        yield FindBar(id="find")
        yield from self.compose_bottom()
        yield Timeline(id="timeline")
        yield KeyBar()

    def compose_bottom(self) -> ComposeResult:
        """What a subclass puts between panes and timeline."""
        yield from ()

    def on_mount(self) -> None:
        """Dress the panes and start the clock."""
        for selector in ("#calls", "#terminals", "#files", "#preview"):
            self.query_one(selector).add_class("pane")
        self.add_class("-on-calls")
        self.query_one(Preview).show("", None)
        self.set_interval(0.25, self._tick)
        self.read_notes()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leave: nothing is shown any more, for the panes go before the screen itself does."""
        self._is_left = True
        self.workers.cancel_node(self)
        return super().dismiss(result)

    # --- events in

    async def apply(self, event: e.AnyEvent) -> None:
        """Take one event in; the screen follows within a frame."""
        if self._is_left:
            return
        self._apply_state(event)
        terminals = self.query_one(Terminals)
        match event:
            case e.TerminalOutput(terminal=name, data=data):
                await terminals.feed(name, data)
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
                terminals.opened(name, cols, rows)
            case e.TerminalClosed(terminal=name):
                terminals.closed(name)
            case e.TerminalResized(terminal=name, cols=cols, rows=rows):
                terminals.resized(name, cols, rows)
            case _:
                pass

    def _apply_state(self, event: e.AnyEvent) -> None:
        self.state.apply(event)
        self._clock_at = time.monotonic()
        self.query_one(Timeline).mark(event)
        self._files_changed |= isinstance(event, e.FilesListed | e.FilesChanged)
        if not isinstance(event, e.TerminalOutput | e.TerminalInput):
            self.refresh_soon()

    def refresh_soon(self) -> None:
        """Bring the panes up to date within a frame."""
        if self._flush_timer is None:
            self._flush_timer = self.set_timer(FRAME, self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        if self._is_left or not self.is_attached:
            return
        self.query_one(Calls).sync(self.now)
        self._show_files()
        self.sync_bars()

    def _show_files(self) -> None:
        """Show what changed among the files; a hundred thousand take long, and must not hold up
        all else by being shown again at once."""
        if not self._files_changed or self._files_timer is not None:
            return
        self._files_changed = False
        began = time.monotonic()
        self.query_one(Files).show(self.state)
        took = time.monotonic() - began
        self._show_preview()
        if took > 2 * FRAME:
            self._files_timer = self.set_timer(FILES_REST * took, self._files_rested)

    def _files_rested(self) -> None:
        self._files_timer = None
        if self.is_attached:
            self._show_files()

    def sync_bars(self) -> None:
        """Bring header, timeline and what stands around the terminal up to date."""
        self.query_one(StatusBar).sync(self.state, self.now)
        self.query_one(Terminals).sync(self.state)
        timeline = self.query_one(Timeline)
        timeline.position = self.now
        if self._is_live:
            timeline.duration = self.now
            timeline.playing = self.state.status in ("running", "starting")

    def show_state(self, state: RunState) -> None:
        """Show another moment (replay)."""
        self.state = state
        self._clock_at = time.monotonic()
        self.query_one(Calls).show(state, self.now)
        self.query_one(Files).show(state)
        self._show_preview()
        self.sync_bars()

    @property
    def task_line(self) -> str:
        """The first line of the task, as it came from outside."""
        return self._first_line

    @property
    def is_live(self) -> bool:
        """Whether this run is going on, or could have been a moment ago; else it is a replay."""
        return self._is_live

    @property
    def now(self) -> float:
        """Seconds since the run began."""
        return self.state.t

    def _tick(self) -> None:
        """Let the clocks that are seen go on; nothing is drawn when none of them moved."""
        if self._is_left:
            return
        self.query_one(Calls).tick(self.now)
        if int(self.now) != self._second_shown:
            self._second_shown = int(self.now)
            self.sync_bars()

    # --- files

    def kept(self, blob: str) -> bytes | None:
        """A file's content by its digest."""
        return self._get_blob(blob)

    def on_blocks_moved(self, event: Blocks.Moved) -> None:
        """The preview shows what the cursor is on."""
        if isinstance(event.blocks, Files):
            self._show_preview()

    def _show_preview(self) -> None:
        row = self.query_one(Files).current
        if row is None:
            self._preview_latest()
            return
        self.query_one(Preview).show(row.path, row.file)

    def _preview_latest(self) -> None:
        """Until a person chooses one, the file that changed last is shown."""
        files = [f for f in self.state.files.values() if f.last.kind == "file" and f.run_mark]
        latest = max(files, key=lambda f: (f.step, f.last.mtime), default=None)
        self.query_one(Preview).show(latest.last.path if latest else "", latest)

    # --- panes

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Where there is room for one or two panes, the focused one is seen."""
        for name in self.PANES:
            if self.query_one(f"#{name}") in event.widget.ancestors_with_self:
                for other in self.PANES:
                    self.set_class(other == name, f"-on-{other}")

    def on_resize(self, event: Resize) -> None:
        """Widths decide which panes are seen; focus must stay on one of them."""
        self.call_after_refresh(self._keep_focus_seen)

    def _keep_focus_seen(self) -> None:
        focused = self.focused
        if focused is not None and not focused.display:
            self.action_pane("calls")

    def action_pane(self, name: str) -> None:
        """Focus a pane, showing it first where it is hidden."""
        for other in self.PANES:
            self.set_class(other == name, f"-on-{other}")
        target = (
            self.query_one(Terminals).view
            if name == "terminals"
            else self.query_one(f"#{'files' if name == 'side' else name}")
        )
        if target.focusable:  # the next key already belongs there
            self.set_focus(target)
        else:  # it appears with the next refresh
            self.call_after_refresh(target.focus)

    def action_next_pane(self, direction: int) -> None:
        """Go round the panes."""
        names = list(self.PANES)
        here = next((i for i, name in enumerate(names) if self.has_class(f"-on-{name}")), 0)
        self.action_pane(names[(here + direction) % len(names)])

    def action_next_terminal(self) -> None:
        """Show the next terminal of the run."""
        terminals = self.query_one(Terminals)
        names = terminals.names
        terminals.switch(names[(names.index(terminals.shown) + 1) % len(names)])
        self.action_pane("terminals")

    def action_zoom(self) -> None:
        """The focused pane fills the screen, or gives it back."""
        self.toggle_class("-zoomed")

    def action_help(self) -> None:
        """All keys of this screen."""
        self.app.push_screen(HelpScreen(self))

    # --- looking for something

    @on(Calls.FindAsked)
    def _ask_what_to_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self.look_for(event.words)

    @on(FindBar.Next)
    @on(Calls.HitAsked)
    def _find_next(self, event: FindBar.Next | Calls.HitAsked) -> None:
        self.next_hit(event.direction)

    def look_for(self, words: str) -> None:
        """Look for words in what happened."""
        self.query_one(FindBar).say(self.query_one(Calls).find(words))

    def next_hit(self, direction: int) -> None:
        """To the next place that holds them, or the one before (-1)."""
        self.query_one(FindBar).say(self.query_one(Calls).next_hit(direction))

    @on(FindBar.Left)
    def _left_find_bar(self) -> None:
        self.set_focus(self.query_one(Calls))

    def action_open_all(self) -> None:
        """Open the whole text of what the cursor is on."""
        item = self.query_one(Calls).current
        match item:
            case CallItem():
                self.app.push_screen(Pager(f"call {item.call.number}", whole_text(item)))
            case ReplyItem():
                prose = f"{item.reasoning}\n\n{item.text}".strip()
                self.app.push_screen(Pager(f"step {item.step}", prose))
            case HumanItem(file=e.HumanFile() as file):
                text = "\n".join([item.text, *file.left_behind, file.diff])
                self.app.push_screen(Pager("you", text))
            case HumanItem():
                text = item.finished.observation if item.finished else item.text
                self.app.push_screen(Pager("you", text))
            case _:
                words = f"Choose something first (↑ ↓), then {hint('cockpit.whole')} opens it."
                self.notify(words)
