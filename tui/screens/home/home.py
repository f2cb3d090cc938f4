"""Where one arrives: the saved sessions, and the ways to start a run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry, RunSummary, Store
from sandbox_tui.sessions.recording.awaiting_person import waiting_runs
from sandbox_tui.sessions.relations.fork_tree import Lineage, with_lineage
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.sessions.search.across_sessions import Hit
from sandbox_tui.sessions.store.tables.annotations import all_tags
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.home.search_sessions import FindSessions
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers, Offer, offers_of
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import SearchBar
from sandbox_tui.tui.widgets.themed_text import ThemedText

if TYPE_CHECKING:  # what is shown from here is imported when it is shown
    from sandbox_tui.core.run.run_request import RunRequest
    from sandbox_tui.sessions.remote.run_handle import RunHandle

PAGE = 100
"""Sessions read at a time."""

POLL_SECONDS = 1.0
"""Seconds between looks at the runs that go on."""


class Listed(NamedTuple):
    """What the list of sessions shows.

    Attributes:
        family: sessions with their places in their families.
        total: how many there are in all.
        tags: what people have put on them.
        waiting: those in which a call waits for a person.
    """

    family: list[tuple[RunSummary, Lineage]]
    total: int
    tags: dict[str, list[str]]
    waiting: frozenset[str]


class HomeScreen(FindSessions):
    """Lists sessions; starts, replays, finds and deletes them."""

    CSS = """
    HomeScreen { background: $background; }
    HomeScreen #banner { height: auto; padding: 1 2 0 2; }
    HomeScreen ModelOffers { display: none; height: auto; max-height: 10; margin: 1 1 0 1; }
    HomeScreen.-no-model ModelOffers { display: block; }
    HomeScreen SessionList, HomeScreen SearchResults {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    HomeScreen SearchResults { display: none; }
    HomeScreen.-low.-finding #banner, HomeScreen.-low.-finding ModelOffers { display: none; }
    HomeScreen.-hits SearchResults { display: block; }
    HomeScreen.-hits SessionList { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("home.new", "new"),
        binding("home.demo", "demo"),
        binding("home.open", "replay"),
        binding("home.find", "find"),
        binding("home.resume", "resume"),
        binding("home.model", "model"),
        binding("home.wall", "wall"),
        binding("home.mark", "mark", show=False),
        binding("home.compare", "compare"),
        binding("home.delete", "delete"),
        binding("home.rename", "rename", show=False),
        binding("home.tags", "tags", show=False),
        binding("home.settings", "app.settings"),
        binding("home.reload", "reload", show=False),
        binding("home.help", "help"),
        binding("home.quit", "app.quit"),
    ]

    AUTO_FOCUS = "#sessions"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    def __init__(self, settings: LiveSettings, workers: RunRegistry) -> None:
        super().__init__()
        self._settings = settings
        self._run_workers = workers
        self._store = workers.store
        self._most = PAGE
        self._draft: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """A line that says what this is, the sessions, the keys."""
        yield ThemedText(_banner, id="banner")
        offers = ModelOffers(id="offers")
        offers.border_title = "no model is chosen yet"
        offers.border_subtitle = f"{hint('home.model')} or a click chooses one"
        yield offers
        yield SearchBar(id="search")
        yield SessionList(id="sessions")
        yield SearchResults(id="hits")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill the screen."""
        self.reload()
        self._offer_models()
        self.set_interval(POLL_SECONDS, self._look_at_running)

    def on_screen_resume(self) -> None:
        """A run may have ended meanwhile."""
        self.reload()
        self.set_class(not self._settings.now.model.name, "-no-model")

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Read the sessions anew."""
        try:
            family, total, tags, waiting = await asyncio.to_thread(self._read)
        except StoreError as error:
            self.notify(str(error), severity="error", markup=False, timeout=20)
            return
        kin = {run.id: place for run, place in family}
        self.query_one(SessionList).show([run for run, _ in family], total, kin, tags, waiting)
        self.look_again()
        self.refresh_bindings()

    def _read(self) -> Listed:
        """What the list shows."""
        store, runs = self._store, self._store.runs(limit=self._most)
        going = [run.id for run in runs if run.outcome == "running"]
        waiting = waiting_runs(store, going)
        return Listed(with_lineage(store, runs), store.count(), all_tags(store), waiting)

    def _look_at_running(self) -> None:
        """Poll the running sessions while the list is on the screen."""
        if self.is_current and self.query_one(SessionList).running:
            self._reload_if_changed()

    @work(exclusive=True, group="look")
    async def _reload_if_changed(self) -> None:
        """Read all anew once one of them waits, waits no longer, or has ended."""
        sessions = self.query_one(SessionList)
        shown = sessions.running, sessions.waiting
        with contextlib.suppress(StoreError):  # the next reading says it
            now = await asyncio.to_thread(self._going_now, shown[0])
            if now != shown and (sessions.running, sessions.waiting) == shown:
                self.reload()

    def _going_now(self, known: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        runs = [self._store.run(run_id) for run_id in known]
        going = frozenset(run.id for run in runs if run.outcome == "running")
        return going, waiting_runs(self._store, going)

    # --- the session under the cursor

    @property
    @override
    def session_here(self) -> RunSummary | None:
        if self.is_finding:
            return self.query_one(SearchResults).current_run
        return self.query_one(SessionList).current

    @property
    @override
    def session_store(self) -> Store:
        return self._store

    @property
    @override
    def is_recording(self) -> bool:
        return bool(self._run_workers.unfinished)

    @on(SessionList.MoreRequested)
    def _read_more(self) -> None:
        self._most += PAGE
        self.reload()

    def action_reload(self) -> None:
        """Read the sessions anew."""
        self.reload()

    @property
    def unsaved(self) -> dict[str, str]:
        """What was typed into the form for a new run, and has not been started."""
        return self._draft

    def action_new(self) -> None:
        """Describe a new run, then start it."""
        from sandbox_tui.tui.screens.home.new_run import NewRunDialog

        def described(requests: Sequence[RunRequest] | None) -> None:
            if requests:
                self.call_later(self._begin, requests)

        app_of(self).push_screen(NewRunDialog(self._settings, self._draft), described)

    # --- a model

    @work(exclusive=True, group="offers")
    async def _offer_models(self) -> None:
        """Where none is chosen yet: what this machine has."""
        model = self._settings.now.model
        self.set_class(not model.name, "-no-model")
        if model.name:
            return
        from sandbox_tui.core.models.discovery import find_local_servers

        offers = self.query_one("#offers", ModelOffers)
        servers = await find_local_servers(model.local_ports)
        offers.show(offers_of(servers, model), model.local_ports)

    def action_model(self) -> None:
        """Choose a model among those this machine has."""
        from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog

        app_of(self).push_screen(ChooseModelDialog(self._settings.now.model), self._take)

    @on(ModelOffers.Selected, "#offers")
    def _offer_chosen(self, event: ModelOffers.Selected) -> None:
        event.stop()
        offer = self.query_one("#offers", ModelOffers).current
        if offer is not None and offer.model:
            self._take(offer)
        elif offer is not None:
            self.action_new()

    def _take(self, offer: Offer | None) -> None:
        """Work with this model from now on."""
        if offer is None:
            return
        try:
            path = self._settings.change(
                {"model.name": offer.model, "model.base_url": offer.base_url}
            )
        except ConfigError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=20)
            return
        self.remove_class("-no-model")
        self.query_one(SessionList).focus()
        words = sanitize_line(f"{offer.model} is the model now; it stands in {path}.")
        self.notify(words, markup=False)

    def action_demo(self) -> None:
        """Play the demo in a real sandbox."""
        from sandbox_tui.tui.screens.home.demo_request import demo_request

        self._begin([demo_request(self._settings.now)])

    def _begin(self, requests: Sequence[RunRequest]) -> None:
        workers = [self._run_workers.begin(request) for request in requests]
        if len(workers) == 1:
            self._open(workers[0])
        else:
            self.action_wall()

    def _open(self, worker: RunHandle, *, asks: bool = True) -> None:
        from sandbox_tui.tui.screens.cockpit.live import LiveScreen

        app_of(self).push_screen(LiveScreen(worker, self._store, asks=asks))

    def action_wall(self) -> None:
        """The runs of this program side by side."""
        if self._run_workers.all:
            from sandbox_tui.tui.screens.wall import WallScreen

            app_of(self).push_screen(WallScreen(self._run_workers))
        else:
            self.notify(
                f"No run has been started yet; {hint('home.new')} starts one, or several.",
                markup=False,
            )

    @on(BlockList.Selected, "#sessions")
    def _chosen(self) -> None:
        self.action_replay()

    def action_replay(self) -> None:
        """Replay the session under the cursor, or watch it where it is still going here."""
        run = self.session_here
        if self.is_finding:
            self.open_current_hit()
        elif run is not None:
            self._show_session(run)

    @override
    def open_hit(self, hit: Hit) -> None:
        """A replay that begins at what was found."""
        from sandbox_tui.tui.screens.cockpit.replay import ReplayScreen
        from sandbox_tui.tui.screens.cockpit.replay_position import position_of

        if hit.kind == "session" or hit.run.outcome == "running":
            self._show_session(hit.run)
            return
        app_of(self).push_screen(ReplayScreen(hit.run, self._store, at=position_of(hit)))

    def _show_session(self, run: RunSummary) -> None:
        from sandbox_tui.tui.screens.cockpit.replay import ReplayScreen

        worker = self._run_workers.all.get(run.id)
        if worker is not None and not worker.ended.is_set():
            self._open(worker)
            return
        if run.outcome == "running":
            self._watch_elsewhere(run)
            return
        app_of(self).push_screen(ReplayScreen(run, self._store))

    def _watch_elsewhere(self, run: RunSummary) -> None:
        """Watch a run of another program, where it lets itself be watched."""
        if not is_detached(run.id):
            self.notify("This session is still running in another program.", markup=False)
            return
        from sandbox_tui.sessions.remote.client import RunClient

        self._open(RunClient(run, self._store), asks=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only an interrupted session can be resumed."""
        if action == "mark":
            return not (self.is_mounted and self.is_finding)
        if action != "resume":
            return True
        run = self.session_here if self.is_mounted else None
        return run is not None and run.outcome == "interrupted"

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self.refresh_bindings()

    def action_resume(self) -> None:
        """Go on with the session under the cursor, whose program is gone."""
        run = self.session_here
        if run is None:
            return
        try:
            worker = self._run_workers.resume(run, self._settings.now)
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=10)
            return
        self._open(worker)

    def action_mark(self) -> None:
        """Mark the session under the cursor for a comparison."""
        self.query_one(SessionList).mark()

    def action_compare(self) -> None:
        """Compare the two sessions that are marked, or the marked one with the one here."""
        sessions = self.query_one(SessionList)
        chosen, here = sessions.marked, self.session_here
        if len(chosen) == 1 and here is not None and here.id != chosen[0].id:
            chosen = [*chosen, here]
        if len(chosen) != 2:
            key = hint("home.mark")
            self.notify(f"{key} marks a session; mark two to compare them.", markup=False)
            return
        from sandbox_tui.tui.screens.compare import CompareScreen

        left, right = sorted(chosen, key=lambda run: run.started_at)
        app_of(self).push_screen(CompareScreen(left, right, self._store))

    def action_help(self) -> None:
        """All keys of this screen."""
        from sandbox_tui.tui.screens.dialogs.help import HelpScreen

        app_of(self).push_screen(HelpScreen(self))


def _banner(palette: Palette) -> Text:
    banner = Text()
    banner.append("sandbox-tui", style=palette.accent)
    banner.append("   watch, steer and replay a model at work in a sandbox", style=palette.dim)
    return banner
