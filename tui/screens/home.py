# pyright: reportUnknownMemberType=false
"""Where one arrives: the saved sessions, and the ways to start a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...core.errors import ConfigError, SandboxTuiError, StoreError
from ...core.text import clean_line
from ...sessions import RunSummary, Store, Workers
from ...sessions.family import Kinship, kinship
from ...sessions.labels import all_tags
from ...sessions.search import Hit
from ...sessions.sockets import is_detached
from ..keymap import hint
from ..palette import Palette
from ..settings_in_force import SettingsInForce
from ..widgets.blocks import Blocks
from ..widgets.hit_list import HitList
from ..widgets.key_bar import KeyBar
from ..widgets.model_offers import ModelOffers, Offer, offers_of
from ..widgets.painted import Painted
from ..widgets.search_bar import SearchBar
from ..widgets.session_list import SessionList
from .find_sessions import FindSessions

if TYPE_CHECKING:  # what is shown from here is imported when it is shown
    from ...core.launch import RunRequest
    from ...sessions.watched import Watched

PAGE = 100
"""Sessions read at a time."""


class Home(FindSessions):
    """Lists sessions; starts, replays, finds and deletes them."""

    CSS = """
    Home { background: $background; }
    Home #banner { height: auto; padding: 1 2 0 2; }
    Home ModelOffers { display: none; height: auto; max-height: 10; margin: 1 1 0 1; }
    Home.-no-model ModelOffers { display: block; }
    Home SessionList, Home HitList {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    Home HitList { display: none; }
    Home.-low.-finding #banner, Home.-low.-finding ModelOffers { display: none; }
    Home.-hits HitList { display: block; }
    Home.-hits SessionList { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "new run", id="home.new"),
        Binding("d", "demo", "demo", id="home.demo"),
        Binding("enter", "replay", "open", id="home.open"),
        Binding("slash", "find", "find", key_display="/", id="home.find"),
        Binding("r", "resume", "resume", id="home.resume"),
        Binding("m", "model", "model", id="home.model"),
        Binding("w", "wall", "wall", id="home.wall"),
        Binding("space", "mark", "Mark", show=False, id="home.mark"),
        Binding("c", "compare", "compare", id="home.compare"),
        Binding("x,delete", "delete", "delete", id="home.delete"),
        Binding("R,f2", "rename", "Rename", show=False, id="home.rename"),
        Binding("t", "tags", "Tags", show=False, id="home.tags"),
        Binding("comma", "app.settings", "settings", key_display=",", id="home.settings"),
        Binding("f5", "reload", "Reload", show=False, id="home.reload"),
        Binding("question_mark,f1", "help", "help", key_display="?", id="home.help"),
        Binding("q", "app.quit", "quit", id="home.quit"),
    ]

    AUTO_FOCUS = "#sessions"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    def __init__(self, settings: SettingsInForce, workers: Workers) -> None:
        super().__init__()
        self._settings = settings
        self._run_workers = workers
        self._store = workers.store
        self._most = PAGE

    def compose(self) -> ComposeResult:
        """A line that says what this is, the sessions, the keys."""
        yield Painted(_banner, id="banner")
        offers = ModelOffers(id="offers")
        offers.border_title = "no model is chosen yet"
        offers.border_subtitle = f"{hint('home.model')} or a click chooses one"
        yield offers
        yield SearchBar(id="search")
        yield SessionList(id="sessions")
        yield HitList(id="hits")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill the screen."""
        self.reload()
        self._offer_models()

    def on_screen_resume(self) -> None:
        """A run may have ended meanwhile."""
        self.reload()
        self.set_class(not self._settings.now.model.name, "-no-model")

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Read the sessions anew."""
        try:
            family, total, tags = await asyncio.to_thread(self._read)
        except StoreError as error:
            self.notify(str(error), severity="error", markup=False, timeout=20)
            return
        kin = {run.id: place for run, place in family}
        self.query_one(SessionList).show([run for run, _ in family], total, kin, tags)
        self.look_again()
        self.refresh_bindings()

    def _read(self) -> tuple[list[tuple[RunSummary, Kinship]], int, dict[str, list[str]]]:
        """Sessions with their places in their families, how many there are in all, their tags."""
        runs = self._store.runs(limit=self._most)
        return kinship(self._store, runs), self._store.count(), all_tags(self._store)

    # --- the session under the cursor

    @property
    def session_here(self) -> RunSummary | None:
        """See `SessionActions`."""
        if self.is_finding:
            return self.query_one(HitList).current_run
        return self.query_one(SessionList).current

    @property
    def session_store(self) -> Store:
        """See `SessionActions`."""
        return self._store

    @property
    def is_recording(self) -> bool:
        """See `SessionActions`."""
        return bool(self._run_workers.alive)

    @on(SessionList.MoreWanted)
    def _read_more(self) -> None:
        self._most += PAGE
        self.reload()

    def action_reload(self) -> None:
        """Read the sessions anew."""
        self.reload()

    def action_new(self) -> None:
        """Describe a new run, then start it."""
        from .new_run import NewRun

        def described(requests: Sequence[RunRequest] | None) -> None:
            if requests:
                self.call_later(self._begin, requests)

        self.app.push_screen(NewRun(self._settings), described)

    # --- a model

    @work(exclusive=True, group="offers")
    async def _offer_models(self) -> None:
        """Where none is chosen yet: what this machine has."""
        model = self._settings.now.model
        self.set_class(not model.name, "-no-model")
        if model.name:
            return
        from ...core.models.local_servers import find_local_servers

        offers = self.query_one("#offers", ModelOffers)
        servers = await find_local_servers(model.local_ports)
        offers.show(offers_of(servers, model), model.local_ports)

    def action_model(self) -> None:
        """Choose a model among those this machine has."""
        from .choose_model import ChooseModel

        self.app.push_screen(ChooseModel(self._settings.now.model), self._take)

    @on(ModelOffers.Chosen, "#offers")
    def _offer_chosen(self, event: ModelOffers.Chosen) -> None:
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
            self.notify(clean_line(str(error)), severity="error", markup=False, timeout=20)
            return
        self.remove_class("-no-model")
        self.query_one(SessionList).focus()
        words = clean_line(f"{offer.model} is the model now; it stands in {path}.")
        self.notify(words, markup=False)

    def action_demo(self) -> None:
        """Play the demo in a real sandbox."""
        from ..demo import demo_request

        self._begin([demo_request(self._settings.now)])

    def _begin(self, requests: Sequence[RunRequest]) -> None:
        workers = [self._run_workers.begin(request) for request in requests]
        if len(workers) == 1:
            self._open(workers[0])
        else:
            self.action_wall()

    def _open(self, worker: Watched, *, asks: bool = True) -> None:
        from .live import LiveScreen

        self.app.push_screen(LiveScreen(worker, self._store, asks=asks))

    def action_wall(self) -> None:
        """The runs of this program side by side."""
        if self._run_workers.all:
            from .wall import Wall

            self.app.push_screen(Wall(self._run_workers))
        else:
            self.notify(
                f"No run has been started yet; {hint('home.new')} starts one, or several.",
                markup=False,
            )

    @on(Blocks.Chosen, "#sessions")
    def _chosen(self) -> None:
        self.action_replay()

    def action_replay(self) -> None:
        """Replay the session under the cursor, or watch it where it is still going here."""
        run = self.session_here
        if self.is_finding:
            self.open_current_hit()
        elif run is not None:
            self._show_session(run)

    def open_hit(self, hit: Hit) -> None:
        """See `FindSessions`: a replay that begins at what was found."""
        from .replay import ReplayScreen, place_of

        if hit.kind == "session" or hit.run.outcome == "running":
            self._show_session(hit.run)
            return
        self.app.push_screen(ReplayScreen(hit.run, self._store, at=place_of(hit)))

    def _show_session(self, run: RunSummary) -> None:
        from .replay import ReplayScreen

        worker = self._run_workers.all.get(run.id)
        if worker is not None and not worker.ended.is_set():
            self._open(worker)
            return
        if run.outcome == "running":
            self._watch_elsewhere(run)
            return
        self.app.push_screen(ReplayScreen(run, self._store))

    def _watch_elsewhere(self, run: RunSummary) -> None:
        """Watch a run of another program, where it lets itself be watched."""
        if not is_detached(run.id):
            self.notify("This session is still running in another program.", markup=False)
            return
        from ...sessions.remote import RemoteWorker

        self._open(RemoteWorker(run, self._store), asks=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what was interrupted can be taken up again."""
        if action == "mark":
            return not (self.is_mounted and self.is_finding)
        if action != "resume":
            return True
        run = self.session_here if self.is_mounted else None
        return run is not None and run.outcome == "interrupted"

    @on(Blocks.Moved)
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
            self.notify(clean_line(str(error)), severity="error", markup=False, timeout=10)
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
        from .compare import CompareScreen

        left, right = sorted(chosen, key=lambda run: run.started_at)
        self.app.push_screen(CompareScreen(left, right, self._store))

    def action_help(self) -> None:
        """All keys of this screen."""
        from .help import HelpScreen

        self.app.push_screen(HelpScreen(self))


def _banner(palette: Palette) -> Text:
    banner = Text()
    banner.append("sandbox-tui", style=palette.accent)
    banner.append("   watch, steer and replay a model at work in a sandbox", style=palette.dim)
    return banner
