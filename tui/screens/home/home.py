"""The home screen: the saved sessions, and the ways to start a run."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.relations.last_model import last_model
from sandbox_tui.sessions.relations.listing import EvalRow, SamplesRow, SessionRow, TrainingRow
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import follows_leaving
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.model_offering import ModelOffering
from sandbox_tui.tui.screens.home.row_updates import RowUpdates
from sandbox_tui.tui.screens.home.rows.row_commands import RowCommands
from sandbox_tui.tui.screens.home.rows.session_details import SessionDetails
from sandbox_tui.tui.screens.home.rows.session_opener import opening_word, opening_words
from sandbox_tui.tui.screens.home.rows.unavailable_here import NEED_SESSIONS, why_unavailable_here
from sandbox_tui.tui.screens.home.run_starts import RunStarts
from sandbox_tui.tui.screens.home.search_sessions import SessionFinder
from sandbox_tui.tui.screens.home.session_reading import Listed, read_sessions
from sandbox_tui.tui.screens.wall.open_wall import open_wall, why_no_wall
from sandbox_tui.tui.textual_support.toasts import (
    complain_here,
    passing_toasts,
    put_toasts_away,
)
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import SearchBar

if TYPE_CHECKING:  # screens opened from here are imported when first shown
    from sandbox_tui.tui.screens.dialogs.form import Texts

PAGE = 100
"""Number of sessions read at a time."""

SORTED = 5000
"""Number of sessions read to sort them by anything but their age."""

FIRST_READ_SECONDS = 0.2
"""Seconds for which the first frame waits for the sessions; after that it says that they are being
read."""


class HomeScreen(RowCommands):
    """Lists sessions; starts, replays, searches and deletes them."""

    CSS = """
    HomeScreen { background: $background; }
    HomeScreen ModelOffers { display: none; height: auto; max-height: 10; margin: 1 1 0 1; }
    HomeScreen.-no-model.-no-sessions ModelOffers { display: block; }
    HomeScreen SessionList, HomeScreen SearchResults {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    HomeScreen SearchResults { display: none; }
    HomeScreen.-low SessionDetailPane { display: none; }
    HomeScreen.-low.-finding #banner, HomeScreen.-low.-finding ModelOffers { display: none; }
    HomeScreen.-hits SearchResults { display: block; }
    HomeScreen.-hits SessionList { display: none; }
    """

    # leave: the hits of a search; resume: an interrupted run
    urgent_actions = ("leave", "resume", "new", "find")

    # the key bar drops the last ones first: the less often used ones
    BINDINGS: ClassVar[list[BindingType]] = [
        binding("home.new", "new"),
        binding("home.resume", "resume"),
        binding("home.find", "find"),
        binding("home.wall", "wall"),
        binding("home.fork", "fork"),
        binding("home.delete", "delete"),
        binding("home.run_again", "run_again"),
        binding("home.export", "export"),
        binding("home.tags", "tags"),
        binding("home.compare", "compare"),
        binding("home.evals", "evals"),
        binding("home.settings", "app.settings"),
        binding("home.rename", "rename"),
        binding("home.note", "note"),
        binding("home.model", "model"),
        binding("home.trainings", "trainings"),
        binding("home.demo", "demo"),
        binding("home.copy_id", "copy_id", show=False),
        binding("home.details", "details", show=False),
        binding("home.folder", "folder", show=False),
        binding("home.import", "import", show=False),
        binding("home.open", "replay", show=False),
        binding("home.mark", "mark", show=False),
        binding("home.back", "back", show=False),
        binding("home.order", "order", show=False),
        binding("home.reload", "reload", show=False),
        binding("home.quit", "quit"),
    ]

    AUTO_FOCUS = "#sessions"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    def __init__(
        self, settings: LiveSettings, workers: RunRegistry, evals: EvalRegistry | None = None
    ) -> None:
        super().__init__(settings, workers)
        self._evals = evals or EvalRegistry(workers)
        self._most = PAGE
        self._was_read = asyncio.Event()
        self._search = SessionFinder(self, self._store, self._opener.open_hit, self._moved)
        self._details = SessionDetails(self, self._store)
        self._row_updates = RowUpdates(self, self._store, self.reload, self._moved)
        self._models = ModelOffering(self, settings, self._model_chosen)
        self._starts = RunStarts(self, settings, workers, self._models)

    def compose(self) -> ComposeResult:
        """Yield banner, model offers, search, sessions, keys."""
        yield HomeBanner(self._settings)
        offers = ModelOffers(
            (
                f"· start one, such as ollama serve, then {hint('home.model')}",
                f"· for one elsewhere, enter its URL in {hint('home.new')} (new run)",
            ),
            id="offers",
        )
        offers.border_title = "no model is chosen yet"
        yield offers
        yield SearchBar(id="search")
        yield SessionList(id="sessions")
        yield SearchResults(id="hits")
        yield SessionDetailPane(id="detail")
        yield KeyBar()

    async def on_mount(self) -> None:
        """Load the sessions, look for models, and start the updates."""
        self._row_updates.begin()
        self.reload()
        self._models.find()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._was_read.wait(), FIRST_READ_SECONDS)

    def on_screen_resume(self) -> None:
        """Reload unless that has just begun: a run may have ended in the meantime."""
        reread_settings(app_of(self), self._settings)
        if self._was_read.is_set():
            self.reload()
        self.show_model()

    def on_resize(self) -> None:
        """Divide the lines between the list and the details again."""
        self.call_after_refresh(self._details.fit)

    def on_unmount(self) -> None:
        """Close the search's connection."""
        self._search.close()

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Reload the sessions."""
        is_sorted = self.query_one(SessionList).order != "newest"
        most = max(self._most, SORTED) if is_sorted else self._most
        try:
            listed = await asyncio.to_thread(read_sessions, self._store, most)
            self._show_listed(listed)
            self._models.last_model = await asyncio.to_thread(last_model, self._store)
        except StoreError as error:
            complain_here(self, str(error), seconds=20)
        finally:
            self._was_read.set()

    def _show_listed(self, listed: Listed) -> None:
        sessions = self.query_one(SessionList)
        sessions.show(*listed)
        self._models.show_sessions(any_session=sessions.current_row is not None)
        self._search.repeat_search()
        self._moved()

    @on(SessionList.MoreRequested)
    def _read_more(self) -> None:
        self._most *= 2
        self.reload()

    def action_reload(self) -> None:
        """Reload the sessions, and the settings."""
        reread_settings(app_of(self), self._settings)
        self.reload()
        self.notify("Reloaded the sessions and the settings.", timeout=2, markup=False)

    @property
    def unsaved(self) -> Texts:
        """What the user typed into the form for new runs and is kept nowhere else."""
        return self._starts.unsaved

    def action_new(self) -> None:
        """Open the form for new runs, then start them."""
        self._starts.open_form()

    # --- the model

    def action_model(self) -> None:
        """Choose a model that is available on this machine."""
        reread_settings(app_of(self), self._settings)
        self._models.ask()

    @on(ModelOffers.Selected, "#offers")
    def _offer_chosen(self, event: ModelOffers.Selected) -> None:
        event.stop()
        offer = self.query_one("#offers", ModelOffers).current
        if offer is not None and offer.model:
            self._models.take(offer)
        elif offer is not None:
            self.action_new()

    @on(ModelOffers.Looked)
    def _looked_for_models(self) -> None:
        self._models.name_key()

    def show_model(self) -> None:
        """Update the model in the banner, and offer models if none is chosen."""
        self._models.find_once()
        self.query_one(HomeBanner).refresh()

    def _model_chosen(self) -> None:
        self.query_one(HomeBanner).refresh()
        self.query_one(SessionList).focus()

    def action_demo(self) -> None:
        """Run the demo in a real sandbox; ask first unless the list is empty, since a single key
        that was typed ahead would start it."""
        if self.has_class("-no-sessions"):
            self._starts.play_demo()
            return

        def answered(sure: bool | None) -> None:
            if sure:
                self._starts.play_demo()

        question = "Play the demo? A scripted task in a sandbox: no API key, no network."
        app_of(self).push_screen(ConfirmDialog(question, "play", "cancel"), answered)

    def action_wall(self) -> None:
        """Show runs side by side: the chosen ones, those that are running, or those of this
        program."""
        open_wall(self, self.query_one(SessionList), self._run_workers)

    def action_import(self) -> None:
        """Import sessions from a file."""
        from sandbox_tui.tui.screens.home.import_sessions import ask_for_import

        ask_for_import(app_of(self), self._store, self.show_imported)

    def show_imported(self, run_id: str) -> None:
        """Show an imported session, with the cursor on it."""
        self.query_one(SessionList).go_to(run_id)
        self.reload()

    @on(BlockList.Selected, "#sessions")
    def action_replay(self) -> None:
        """Open the row under the cursor: replay its session, or watch it if it is still running."""
        sessions = self.query_one(SessionList)
        if self.is_finding:
            self._search.open_current()
            return
        match sessions.current_row:
            case SamplesRow() as row:
                sessions.unfold(row)
                self._moved()
            case EvalRow(summary=summary):
                self.eval_opener.open(summary)
            case TrainingRow(summary=training):
                self._opener.open_training(training)
            case SessionRow(run=run):
                self._opener.open(run)
            case None:
                pass

    def words_for(self, action: str) -> str | None:
        """Return what the key for a row does there; an empty text for the trainings key if there
        are none, which hides it."""
        if action == "quit":
            return "close" if self._search.is_open else None
        if action == "delete":
            return "end" if self._ender.can_end(self.sessions_chosen) else None
        sessions = self.query_one(SessionList)
        if action in ("resume", "export"):
            return self.words_on_evaluation(action)
        if action == "trainings" and not sessions.has_trainings:
            return ""
        return opening_words(sessions.current_row) if action == "replay" else None

    @property
    def choice_words(self) -> str:
        """What enter does, for the first place of the key bar."""
        if self.is_finding:
            return "" if self.session_here is None else "open"
        sessions = self.query_one(SessionList)
        own = sessions.waiting.keys() & self._run_workers.all.keys()
        return opening_word(sessions.current_row, own)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if not self.is_mounted:
            return ""
        shown = self.query_one(SessionList)
        if action == "back" and passing_toasts(app_of(self)):
            return ""
        if action in NEED_SESSIONS and not (shown.is_read or self._search.is_open):
            return "the sessions are still being read"
        if action == "wall":
            return why_no_wall(shown, self._run_workers)
        if action == "delete" and self._ender.can_end(self.sessions_chosen):
            return ""
        lost = self._details.without_sandbox
        return why_unavailable_here(action, shown, self.sessions_chosen, self._search, lost)

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self.refresh_bindings()
        if not self.is_finding:
            self._details.show_row(self.query_one(SessionList).current_row)
        else:
            self._details.show_session(self.session_here)

    def action_back(self) -> None:
        """Put notices away, otherwise unmark the sessions, otherwise end the search. The notice
        about a mark goes together with it."""
        marks = self.query_one(SessionList)
        is_done = (self.has_mark_notice and marks.unmark()) or put_toasts_away(app_of(self))
        if not (is_done or marks.unmark()):
            self._search.end()
        self.refresh_bindings()

    async def action_quit(self) -> None:
        """Close the search, otherwise quit, unless the key was pressed to leave the screen that was
        left just before."""
        if follows_leaving(self):
            return
        if self._search.is_open:
            self._search.end()
        else:
            await self.run_action("app.quit")

    def action_details(self) -> None:
        """Show everything that is known about the row under the cursor."""
        self._details.whole()

    # --- search

    def action_find(self) -> None:
        """Search all sessions."""
        self._search.begin()

    @on(SearchBar.QueryChanged)
    def _query_changed(self, event: SearchBar.QueryChanged) -> None:
        event.stop()
        self._search.start_search()

    @on(SearchBar.CursorMoved)
    def _cursor_moved(self, event: SearchBar.CursorMoved) -> None:
        event.stop()
        self._search.move(event.direction)

    @on(SearchBar.ResultsRequested)
    def _results_requested(self, event: SearchBar.ResultsRequested) -> None:
        event.stop()
        self._search.focus_list()

    @on(SearchBar.Submitted)
    def _query_submitted(self, event: SearchBar.Submitted) -> None:
        event.stop()
        self._search.submit()

    @on(SearchBar.Closed)
    @on(SearchResults.Closed)
    def _search_closed(self, event: SearchBar.Closed | SearchResults.Closed) -> None:
        event.stop()
        if not put_toasts_away(app_of(self)):
            self._search.end()

    @on(BlockList.Selected, "#hits")
    def _hit_chosen(self, event: BlockList.Selected) -> None:
        event.stop()
        self._search.open_current()
