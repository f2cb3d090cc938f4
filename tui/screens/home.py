# pyright: reportUnknownMemberType=false
"""Where one arrives: the saved sessions, and the ways to start a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ...core.config import Settings
from ...core.errors import StoreError
from ...core.launch import RunRequest
from ...core.text import clean_line
from ...sessions import Worker, Workers
from ..demo import demo_request
from ..palette import Palette
from ..widgets.blocks import Blocks
from ..widgets.key_bar import KeyBar
from ..widgets.painted import Painted
from ..widgets.session_list import SessionList
from .confirm import Confirm
from .help import HelpScreen
from .live import LiveScreen
from .new_run import NewRun
from .replay import ReplayScreen
from .wall import Wall

PAGE = 100
"""Sessions read at a time."""


class Home(Screen[None]):
    """Lists sessions; starts, replays and deletes them."""

    CSS = """
    Home { background: $background; }
    Home #banner { height: auto; padding: 1 2 0 2; }
    Home SessionList {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "new run"),
        Binding("d", "demo", "demo"),
        Binding("enter", "replay", "open"),
        Binding("w", "wall", "wall"),
        Binding("x,delete", "delete", "delete"),
        Binding("f5", "reload", "Reload", show=False),
        Binding("question_mark,f1", "help", "help", key_display="?"),
        Binding("q", "app.quit", "quit"),
    ]

    def __init__(self, settings: Settings, workers: Workers) -> None:
        super().__init__()
        self._settings = settings
        self._run_workers = workers
        self._store = workers.store
        self._most = PAGE

    def compose(self) -> ComposeResult:
        """A line that says what this is, the sessions, the keys."""
        yield Painted(_banner, id="banner")
        yield SessionList(id="sessions")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill the screen."""
        self.reload()

    def on_screen_resume(self) -> None:
        """A run may have ended meanwhile."""
        self.reload()

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Read the sessions anew."""
        try:
            runs = await asyncio.to_thread(self._store.runs, limit=self._most)
            total = await asyncio.to_thread(self._store.count)
        except StoreError as error:
            self.notify(str(error), severity="error", markup=False, timeout=20)
            return
        self.query_one(SessionList).show(runs, total)

    @on(SessionList.MoreWanted)
    def _read_more(self) -> None:
        self._most += PAGE
        self.reload()

    def action_reload(self) -> None:
        """Read the sessions anew."""
        self.reload()

    def action_new(self) -> None:
        """Describe a new run, then start it."""

        def described(requests: Sequence[RunRequest] | None) -> None:
            if requests:
                self.call_later(self._begin, requests)

        self.app.push_screen(NewRun(self._settings), described)

    def action_demo(self) -> None:
        """Play the demo in a real sandbox."""
        self._begin([demo_request(self._settings)])

    def _begin(self, requests: Sequence[RunRequest]) -> None:
        workers = [self._run_workers.begin(request) for request in requests]
        if len(workers) == 1:
            self._open(workers[0])
        else:
            self.action_wall()

    def _open(self, worker: Worker) -> None:
        self.app.push_screen(LiveScreen(worker, self._store))

    def action_wall(self) -> None:
        """The runs of this program side by side."""
        if self._run_workers.all:
            self.app.push_screen(Wall(self._run_workers))
        else:
            self.notify("No run has been started yet; n starts one, or several.", markup=False)

    @on(Blocks.Chosen)
    def _chosen(self) -> None:
        self.action_replay()

    def action_replay(self) -> None:
        """Replay the session under the cursor, or watch it where it is still going here."""
        run = self.query_one(SessionList).current
        if run is None:
            return
        worker = self._run_workers.all.get(run.id)
        if worker is not None and not worker.ended.is_set():
            self._open(worker)
            return
        if run.outcome == "running":
            self.notify("This session is still running in another program.", markup=False)
            return
        self.app.push_screen(ReplayScreen(run, self._store))

    def action_delete(self) -> None:
        """Delete the session under the cursor, after asking."""
        run = self.query_one(SessionList).current
        if run is None:
            return
        if run.outcome == "running":
            self.notify("A session that is running cannot be deleted.", markup=False)
            return

        def sure(yes: bool | None) -> None:
            if yes:
                self._delete(run.id)

        task = clean_line(run.task.strip().split("\n", 1)[0])[:80]
        self.app.push_screen(Confirm(f"Delete “{task}”? This cannot be undone."), sure)

    @work(group="delete")
    async def _delete(self, run_id: str) -> None:
        try:
            await asyncio.to_thread(self._store.delete, run_id)
        except StoreError as error:
            self.notify(str(error), severity="error", markup=False)
        self.reload()

    def action_help(self) -> None:
        """All keys of this screen."""
        self.app.push_screen(HelpScreen(self))


def _banner(palette: Palette) -> Text:
    banner = Text()
    banner.append("sandbox-tui", style=palette.accent)
    banner.append("   watch, steer and replay a model at work in a sandbox", style=palette.dim)
    return banner
