"""The main screen: calls, terminal and files of one run side by side, live or replayed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.timer import Timer

from sandbox_tui.core.base.typed_path import working_directory
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import Item, RunState
from sandbox_tui.core.run.human.run_controls import FileControls
from sandbox_tui.sessions import Store
from sandbox_tui.tui.format.status import reply_progress, unfinished_reply
from sandbox_tui.tui.format.titles import task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.cockpit.file_actions import FileActions
from sandbox_tui.tui.screens.cockpit.file_panes import FilePanes
from sandbox_tui.tui.screens.cockpit.has_files import HasFiles
from sandbox_tui.tui.screens.cockpit.item_pager import pager_of
from sandbox_tui.tui.screens.cockpit.panes import CALLS_ACTION, FILES_ACTION, TERMINALS_ACTION
from sandbox_tui.tui.screens.cockpit.step_notes import StepNotes
from sandbox_tui.tui.textual_support.private_api import is_closing
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.search.find_bar import FindBar
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.preview import Preview
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.timeline import Timeline

FRAME_SECONDS = 1 / 20
"""Seconds between updates of the screen, however many events arrive."""


class Cockpit(ExplainsUnavailable, HasFiles):
    """The common base of live runs and replays: the panes, and how events reach them.

    Args:
        title: the task, or the title of the session, whose first line the header shows.
        task: the task.
        live: whether terminals follow the size of their pane.
        get_blob: returns file contents by digest.

    Attributes:
        state: the run as of the displayed event.
        step_notes: the notes on its steps.
    """

    CSS_PATH = Path(__file__).with_name("cockpit.tcss")  # subclasses are in other folders
    AUTO_FOCUS = "#calls"

    first_pane = "calls"
    """The pane that is shown on a narrow screen, until the user goes to another."""

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"),
        (90, "-medium"),
        (140, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-lowest"),
        (14, "-low"),
        (22, "-short"),
        (36, "-tall"),
    ]

    COMMON: ClassVar[list[BindingType]] = [
        binding("cockpit.zoom", "zoom"),
        binding("cockpit.calls", CALLS_ACTION),
        binding("cockpit.terminal", TERMINALS_ACTION),
        binding("cockpit.files", FILES_ACTION, show=False),
        binding("cockpit.next_pane", "next_pane(1)", show=False, priority=True),
        binding("cockpit.previous_pane", "next_pane(-1)", show=False, priority=True),
        binding("cockpit.next_terminal", "next_terminal", show=False),
        binding("cockpit.whole", "open_all"),
        binding("cockpit.note", "note", show=False),
    ]

    def __init__(
        self, title: str, *, task: str, live: bool, get_blob: Callable[[str], bytes | None]
    ) -> None:
        super().__init__()
        self.state = RunState()
        self._whole_task, self._task_line = task, task_line(title)
        self._is_live = live
        self._is_left = False
        self._get_blob = get_blob
        self.step_notes = StepNotes(self, self)
        self._file_actions = FileActions(self, self)
        self._file_panes = FilePanes(self, self)
        self._flush_timer: Timer | None = None
        self._clocks_shown = (-1, "")
        self._keys_for = (False, True, "")
        self._clock_at = time.monotonic()

    def compose(self) -> ComposeResult:
        """Yield header, three panes, the widgets below them, footer."""
        self._fit_at_once()
        yield StatusBar(self.state, self._task_line, id="status")
        with Horizontal(id="panes"):
            yield Calls(
                self.state,
                task=self._whole_task,
                autoselect=self._is_live,
                get_blob=self._get_blob,
                id="calls",
            )
            yield TerminalPane(live=self._is_live, id="terminals")
            with Vertical(id="side"):
                yield FileTree(self.state, id="files")
                yield Preview(self._get_blob, id="preview")
        yield FindBar(id="find")
        yield from self.compose_bottom()
        yield Timeline(gives_way=self._is_live, id="timeline")
        yield KeyBar()

    def _fit_at_once(self) -> None:
        """Set the classes for this size: Textual sets them only after the first layout, which would
        show all panes on a narrow screen."""
        both = (self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or [])
        for side, breakpoints in zip(app_of(self).size, both, strict=True):
            self.add_class(max(one for one in breakpoints if one[0] <= side)[1])
        self.add_class(f"-on-{self.first_pane}")

    def compose_bottom(self) -> ComposeResult:
        """Yield the widgets that a subclass puts between the panes and the timeline."""
        yield from ()

    def on_mount(self) -> None:
        """Style the panes and start the clock."""
        for selector in ("#calls", "#terminals", "#files", "#preview"):
            self.query_one(selector).add_class("pane")
        self.query_one(Preview).show("", None)
        self.set_interval(0.25, self._tick)
        self.step_notes.read()

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leave and stop all updates, because the panes are removed before the screen itself."""
        self._is_left = True
        self.workers.cancel_node(self)  # pyright: ignore[reportUnknownMemberType]
        return super().dismiss(result)

    # --- incoming events

    async def apply(self, event: e.AnyEvent) -> None:
        """Process one event; the screen is updated within a frame."""
        if self._is_left:
            return
        self._apply_state(event)
        terminals = self.query_one(TerminalPane)
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
        self._file_panes.note(event)
        if not isinstance(event, e.TerminalOutput | e.TerminalInput):
            self.refresh_soon()

    def refresh_soon(self) -> None:
        """Update the panes within a frame."""
        if self._flush_timer is None:
            self._flush_timer = self.set_timer(FRAME_SECONDS, self._flush)

    def refresh_now(self) -> None:
        """Update the panes now, for example before a dialog covers them."""
        if self._flush_timer is not None:
            self._flush_timer.stop()
        self._flush()

    def _flush(self) -> None:
        self._flush_timer = None
        if not self._has_panes:
            return
        self.query_one(Calls).sync(self.now)
        self._file_panes.show_changes()
        self.sync_bars()
        no_diff = self.query_one(Preview).why_no_diff
        keys_for = (bool(self.state.items), self.live_files is None, no_diff)
        if keys_for != self._keys_for:
            self._keys_for = keys_for
            self.refresh_bindings()

    @property
    def _has_panes(self) -> bool:
        """Whether the panes exist: a closing screen loses them first, one after the other."""
        if self._is_left or not self.is_attached:
            return False
        calls = self.query_one_optional(Calls)
        return calls is not None and not is_closing(calls)

    def sync_bars(self) -> None:
        """Update the header, the timeline and the bars around the terminal."""
        self.query_one(StatusBar).sync(self.state, self.now)
        self.query_one(TerminalPane).sync(self.state)
        timeline = self.query_one(Timeline)
        timeline.position = self.now
        if self._is_live:
            timeline.duration = self.now
            timeline.growing = self.state.finished is None
            timeline.playing = self.state.status in ("running", "starting", "awaiting_input")

    def show_other_waiting(self, count: int) -> None:
        """Show how many other runs wait for the user."""
        if self._has_panes:
            self.query_one(StatusBar).others_waiting = count

    def show_state(self, state: RunState) -> None:
        """Show the state at another event (replay)."""
        self.state = state
        self._clock_at = time.monotonic()
        self.query_one(Calls).show(state, self.now)
        self._file_panes.show()
        self.sync_bars()

    @property
    def task_line(self) -> str:
        """The first line of the task, or the title that the user gave the session."""
        return self._task_line

    @property
    def is_live(self) -> bool:
        """Whether this is a live run, active or just ended; otherwise it is a replay."""
        return self._is_live

    @property
    def now(self) -> float:
        """Seconds since the run started."""
        return self.state.t

    def _tick(self) -> None:
        """Advance the visible clocks; nothing is redrawn if none has changed."""
        if not self._has_panes:
            return
        now, reply = self.now, unfinished_reply(self.state)
        self.query_one(Calls).tick(now)
        # what the model does has its own seconds, which do not change with those of the run
        clocks = int(now), "" if reply is None else reply_progress(reply, now)
        if clocks != self._clocks_shown:
            self._clocks_shown = clocks
            self.sync_bars()

    # --- the session

    @property
    def session(self) -> tuple[Store, str]:
        """The store of the session, and its id."""
        raise NotImplementedError

    def time_of_step(self, step: int) -> float | None:
        """Return when the reply of a step arrived, in seconds since the run started, or None."""
        return self.state.reply_arrived(step)

    def action_note(self) -> None:
        """Write a note on a step."""
        self.step_notes.ask()

    # --- files

    @property
    def live_files(self) -> FileControls | None:
        """The files of an active run; None if only kept contents are left."""
        return None

    @property
    def copies_folder(self) -> Path:
        """Default destination for files that are copied out: not the folder of a run's results,
        which holds what the model made."""
        return working_directory()

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Files can be changed only in an active run."""
        if action == "zoom" and self.has_class("-narrow"):
            return "there is room for one pane alone"
        if not self._has_panes:
            return ""
        if action == "open_all":
            return self._why_nothing_to_open
        return self._file_actions.why_unavailable(action)

    def kept(self, blob: str) -> bytes | None:
        """Return the content of a file by its digest."""
        return self._get_blob(blob)

    def on_block_list_highlighted(self, event: BlockList.Highlighted) -> None:
        """Preview the file under the cursor; offer what can be done with the item under it."""
        if isinstance(event.block_list, Calls):
            self.refresh_bindings()
        if isinstance(event.block_list, FileTree):
            preview = self.query_one(Preview)
            before = preview.why_no_diff
            self._file_panes.show_preview()
            if preview.why_no_diff != before:
                self.refresh_bindings()

    # --- panes

    def on_resize(self, event: Resize) -> None:
        """Keep the focus on a visible pane after a resize."""
        self.call_after_refresh(self._panes.keep_focus_seen)
        self.refresh_bindings()
        self.refresh_soon()

    def action_next_terminal(self) -> None:
        """Show the next terminal of the run."""
        terminals = self.query_one(TerminalPane)
        names = terminals.names
        terminals.switch(names[(names.index(terminals.shown) + 1) % len(names)])
        self._panes.focus("terminals")

    # --- search

    @on(Calls.FindRequested)
    def _ask_what_to_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self.look_for(event.words)

    @on(FindBar.Next)
    @on(Calls.HitRequested)
    def _find_next(self, event: FindBar.Next | Calls.HitRequested) -> None:
        self.next_hit(event.direction)

    def look_for(self, words: str) -> None:
        """Search for words in the items of the run."""
        self.query_one(FindBar).say(self.query_one(Calls).find(words))

    def next_hit(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self.query_one(FindBar).say(self.query_one(Calls).next_hit(direction))

    @on(FindBar.Closed)
    def _left_find_bar(self) -> None:
        calls = self.query_one(Calls)
        if calls.finds_nothing:
            self.notify("No call, reply or message contains these words.")
            self.query_one(FindBar).end()
        self.set_focus(calls)

    @property
    def _why_nothing_to_open(self) -> str:
        if self._to_open is None:
            return "nothing has happened yet"
        return "all of it is shown" if self.query_one(Calls).shows_all_of_it else ""

    @property
    def _to_open(self) -> Item | None:
        """The item under the cursor, otherwise the waiting call, otherwise the last shown item."""
        calls = self.query_one(Calls)
        return calls.current or self.state.pending or calls.last_shown

    def action_open_all(self) -> None:
        """Open the whole text of the item under the cursor, the waiting call or the last item."""
        self.open_whole(self._to_open)

    def open_whole(self, item: Item | None) -> None:
        """Open the whole text of an item."""
        calls = self.query_one(Calls)
        words = "" if item is None else calls.words_in(item)
        pager = pager_of(item, self.state, calls.edited_files, words)
        if pager is not None:
            app_of(self).push_screen(pager)
        else:
            words = f"Select something first (↑ ↓), then {hint('cockpit.whole')} opens it."
            self.notify(words)
