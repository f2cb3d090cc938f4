"""A saved session on the main screen: play it, step through it, jump to any event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR, RunState
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.playback.playback_state import PlaybackState
from sandbox_tui.sessions.store.run_summary import NO_CONVERSATION
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.keys.leaving_word import leave_by_escape, leaving_word
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.interrupted_calls import InterruptedCalls
from sandbox_tui.tui.screens.cockpit.replay.replay_actions import ReplayActions
from sandbox_tui.tui.screens.cockpit.replay.replay_bar import ReplayBar
from sandbox_tui.tui.screens.cockpit.replay.replay_end_card import replay_end_card
from sandbox_tui.tui.screens.cockpit.replay.replay_index import ReplayIndex
from sandbox_tui.tui.screens.cockpit.replay.replay_limits import ReplayLimits
from sandbox_tui.tui.screens.cockpit.replay.replay_loop import ReplayLoop
from sandbox_tui.tui.screens.cockpit.replay.replay_moves import ReplayMoves
from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
from sandbox_tui.tui.screens.cockpit.replay.save_screenshot import (
    save_screenshot,
    screenshot_of,
)
from sandbox_tui.tui.screens.cockpit.replay.session_search import SessionSearch
from sandbox_tui.tui.textual_support.toasts import complain_here, put_toasts_away
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.calls.search.find_bar import FindBar
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.timeline import Timeline

WIDE_ONLY = (
    *("step(-1)", "speed(1)", "speed(-1)", "failure(1)", "sample(1)"),
    *("fork", "run_again", "open_all"),
)
"""Actions that leave their room in a narrow key bar to those used most."""

NO_SAMPLE = "this session was not opened from an evaluation"


class ReplayScreen(ReplayActions):
    """Replays a session.

    Args:
        summary: the session.
        store: the store that contains it.
        playing: whether playback starts immediately; otherwise the end is displayed.
        at: the initial position; if given, playback does not start.
        in_film: whether it is drawn for a film: without keys, and as if it played.
        eval_id: the evaluation whose score of a sample is meant; empty: its own.
        to_sample: shows the next wrong or failed sample of the evaluation (1) or the previous one
            (-1) instead; None if it was not opened from one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("replay.play", "play"),
        binding("replay.step_back", "step(-1)"),
        binding("replay.step", "step(1)"),
        binding("replay.event_back", "event(-1)", show=False),
        binding("replay.event", "event(1)", show=False),
        binding("replay.second_back", "second(-1)", show=False),
        binding("replay.second", "second(1)", show=False),
        binding("replay.go_to_step", "go_to_step"),
        binding("replay.failure", "failure(1)"),
        binding("replay.failure_before", "failure(-1)", show=False),
        binding("replay.sample", "sample(1)"),
        binding("replay.sample_before", "sample(-1)"),
        binding("replay.faster", "speed(1)"),
        binding("replay.slower", "speed(-1)"),
        binding("replay.start", "go_start", show=False),
        binding("replay.end", "go_end", show=False),
        binding("replay.fork", "fork"),
        binding("replay.run_again", "run_again"),
        binding("replay.screenshot", "screenshot", show=False),
        binding("replay.export", "export", show=False),
        binding("replay.leave", "leave"),
        binding("replay.back", "back"),
        *Cockpit.COMMON,
    ]

    DEFAULT_CSS = """
    ReplayScreen.-low ReplayBar, ReplayScreen.-lowest ReplayBar { display: none; }
    ReplayScreen.-film KeyBar { display: none; }
    """

    def __init__(
        self,
        summary: RunSummary,
        store: Store,
        *,
        playing: bool = True,
        at: ReplayPosition | None = None,
        in_film: bool = False,
        eval_id: str = "",
        to_sample: Callable[[int], None] | None = None,
    ) -> None:
        blobs = store.blobs(summary.id)
        super().__init__(task_title(summary), task=summary.task, live=False, get_blob=blobs.get)
        self._summary = summary
        self._store = store
        plays = playing and at is None
        self._begins_at = at
        self._in_film = in_film
        self._eval_id = eval_id
        self._to_sample = to_sample
        self._index = ReplayIndex(
            self,
            store,
            summary.id,
            on_markers=self._show_markers,
            on_progress=self._index_grew,
        )
        self._replay = ReplayLoop(
            self,
            store,
            summary,
            self._index,
            plays=plays,
            first=None if playing or at is not None else summary.last_seq,
        )
        self._moves = ReplayMoves(self, self, self._replay, self._index, store, summary)
        self._limits = ReplayLimits(self._replay, self._index, summary.last_seq)
        self._moves_for: tuple[object, ...] = ()
        self._interrupted_calls = InterruptedCalls(self, store, summary.id)
        self._found = SessionSearch(store, summary.id)
        if not summary.has_conversation:  # the terminal is all there is
            self.first_pane = "terminals"
            self.AUTO_FOCUS = "TerminalView.-shown"  # pyright: ignore[reportAttributeAccessIssue]

    def compose_bottom(self) -> ComposeResult:
        """Yield the end card, and the bar with position and speed."""
        yield replay_end_card(
            self._summary, self._store, in_film=self._in_film, eval_id=self._eval_id
        )
        yield ReplayBar(self._summary, self._replay, self._index, in_film=self._in_film)

    def on_mount(self) -> None:
        """Start the loop and the index."""
        self.query_one(StatusBar).prefix = "replay"
        self.query_one(Calls).failures_later = self._limits.failures_later
        self.set_class(self._in_film, "-film")
        timeline = self.query_one(Timeline)
        timeline.duration, timeline.playing = self._summary.seconds, self._replay.plays
        if self._begins_at is not None:
            self._begin_at(self._begins_at)
        self._index.build()
        self.run_worker(self._replay.run(), group="replay")

    def on_unmount(self) -> None:
        """Stop building keyframes."""
        self._index.stop()

    def _begin_at(self, place: ReplayPosition) -> None:
        """Show the initial position as soon as its event is known."""
        seq = place.seq or self._moves.event_of_step(place.step)
        if seq is None:
            return
        self._begins_at = None
        if self._replay.acts:  # the user has gone elsewhere in the meantime
            return
        self.seek(seq)
        if place.words:
            self.look_for(place.words)

    @property
    @override
    def session(self) -> tuple[Store, str]:
        return self._store, self._summary.id

    @override
    def time_of_step(self, step: int) -> float | None:
        """Return the time of a step, even if it is later than the displayed event."""
        return self._index.markers.time_of_step(step)

    @property
    def position(self) -> int:
        """Number of the last displayed event."""
        return self.state.seq

    def shows(self, seq: int) -> bool:
        """Return whether an event is displayed, and the index is complete."""
        return self.position == seq and self.is_settled

    @property
    def is_settled(self) -> bool:
        """Whether the requested position is displayed, and the index is complete."""
        return self._replay.is_there and self._index.is_complete

    @property
    def now(self) -> float:
        """Seconds since the run started; they advance between two events."""
        return self.state.t + self._replay.idle

    # --- what the loop shows

    def show_moment(self, moment: PlaybackState) -> None:
        """Show the panes at another event."""
        terminals = self.query_one(TerminalPane)
        terminals.replace(moment.screens.by_name)
        for name in moment.screens.by_name:
            if name != MIRROR and name not in moment.state.terminals:
                terminals.closed(name)
        self.show_state(moment.state)
        if self._found.words:
            self._show_hit()

    def adopt(self, state: RunState) -> None:
        """Switch to another object that holds the same state."""
        self.state = state
        self.query_one(Calls).adopt(state)

    def show_error(self, error: SandboxTuiError) -> None:
        """Show why nothing more can be displayed."""
        complain_here(self, str(error), seconds=20)

    @override
    def _apply_state(self, event: e.AnyEvent) -> None:
        """Apply an event without a mark: the timeline already has the whole session's markers."""
        self.state.apply(event)
        self._file_panes.note(event)
        self.refresh_soon()

    def seek(self, seq: int) -> None:
        """Show the session after event `seq`."""
        self._replay.seek(seq)

    # --- the index

    def _show_markers(self) -> None:
        if not self._has_panes:
            return
        self.query_one(Timeline).show_marks(self._index.markers.all)
        self.query_one(Calls).refresh()
        self.step_notes.show()
        if self._begins_at is not None:
            self._begin_at(self._begins_at)

    def _index_grew(self) -> None:
        if not self._has_panes:
            return
        self._replay.index_grew()
        if self._index.is_complete:
            self.sync_bars()  # all steps and failures are known
        if self._index.is_complete and self._begins_at is not None:  # a step without a reply
            self._begin_at(ReplayPosition(self._summary.last_seq))

    # --- bars

    def sync_bars(self) -> None:
        """Also update the bar of the replay."""
        status = self.query_one(StatusBar)
        status.replayed_steps = max(self._index.markers.steps, self.state.step)
        self._show_interrupted(status)
        super().sync_bars()
        timeline = self.query_one(Timeline)
        is_before_end = self.position < self._summary.last_seq
        timeline.playing = is_before_end if self._in_film else self._replay.plays
        is_bar_hidden = self.has_class("-low")
        timeline.speed = self._replay.speed if is_bar_hidden else 1.0
        self.query_one(EndCard).sync(self.state)
        self.query_one(ReplayBar).show(self.state)
        moves_for = (self._replay.plays, *self._limits.now)
        if moves_for != self._moves_for:
            self._moves_for = moves_for
            self.refresh_bindings()

    def _show_interrupted(self, status: StatusBar) -> None:
        """Show what was cut off if the position is the end of a session that was interrupted."""
        is_end = self.position >= self._summary.last_seq
        status.interrupted = is_end and self._summary.outcome == "interrupted"
        self._interrupted_calls.show(self.state, is_interrupted=status.interrupted)

    def _tick(self) -> None:
        """Advance the timeline during a pause as well."""
        if not self._has_panes:
            return
        super()._tick()
        self.query_one(Timeline).position = self.now

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action in ("fork", "run_again") and not self._summary.has_conversation:
            return NO_CONVERSATION
        if action == "sample" and self._to_sample is None:
            return NO_SAMPLE
        direction = -1 if parameters == (-1,) else 1
        reason = self._limits.why_unavailable(action, direction)
        return reason or super().why_unavailable(action, parameters)

    @property
    @override
    def urgent_actions(self) -> Sequence[str]:
        """The way out of a search comes first in the key bar."""
        return (*(("back",) if self._found.words else ()), *super().urgent_actions)

    @override
    def words_for(self, action: str) -> str | None:
        if action == "back":
            return self.words_of_escape(is_search=bool(self._found.words))
        leaves_room = (*WIDE_ONLY, "leave") if self._found.words else WIDE_ONLY
        if self.has_class("-narrow") and action in (*leaves_room, "step(1)"):
            return "call" if action == "step(1)" else ""
        if action == "play" and self._replay.plays:
            return "pause"
        return leaving_word(self) if action == "leave" else super().words_for(action)

    def title_for(self, action: str) -> str | None:
        """Return the words of the help for the action that the narrow key bar shortens."""
        return "next call" if action == "step(1)" else None

    def action_screenshot(self) -> None:
        """Save a screenshot, with secrets redacted."""
        path = self.copies_folder / f"{self._summary.id}-{self.position}.svg"
        drawn = screenshot_of(self, self.task_line)
        saving = save_screenshot(self, path, drawn, self._store, self._summary, self.position)
        self.run_worker(saving, group="screenshot")

    def action_leave(self) -> None:
        """Leave the replay."""
        self.dismiss(None)

    def action_back(self) -> None:
        """Put notices away, or end the search or the filter of the calls; otherwise leave."""
        if put_toasts_away(app_of(self)):
            return
        if self._found.words:
            self.look_for("")
            self.query_one(FindBar).end()
        elif self.query_one(Calls).show_all():
            return
        else:
            leave_by_escape(self, self.action_leave)

    @on(Timeline.SeekRequested)
    def _to_moment(self, event: Timeline.SeekRequested) -> None:
        self._moves.to_time(event.t)

    # --- search through the session

    @override
    def look_for(self, words: str) -> None:
        """Search the whole session; go to the first match from here on, or back here."""
        self._replay.hold()
        if not self._found.words:
            self._search_from_here()
        self._found.clear(words)
        if words:
            self._show_hit()
            self._search(words, self._replay.acts)
            return
        self.workers.cancel_group(self, "find")  # pyright: ignore[reportUnknownMemberType]
        self._show_hit()

    @on(Calls.FindRequested)
    def _search_from_here(self) -> None:
        self._found.origin = self._replay.next_position

    @work(exclusive=True, group="find")
    async def _search(self, words: str, acts: int) -> None:
        try:
            await self._found.look_for(words)
        except SandboxTuiError as error:
            self.notify(str(error), severity="error", markup=False)
        hit = self._found.first_hit_from(self._found.origin)
        if hit is None and words:  # shorter words may have had a match elsewhere
            hit = self._found.origin
        if hit is None or acts != self._replay.acts:  # not if the user has gone elsewhere
            self._show_hit()
        else:
            self.seek(hit)

    @override
    def next_hit(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping at the ends."""
        hit = self._found.next(self._replay.next_position, direction)
        if hit is not None:
            self._replay.hold()
            self.seek(hit)

    def _show_hit(self) -> None:
        """Highlight the match, and show its position among all matches."""
        found = self._found.sentence(self.position)
        here, is_only = self._found.is_hit(self.position), self._found.is_only_hit(self.position)
        calls = self.query_one(Calls)
        calls.show_hit(self._found.words, found, is_here=here, is_only=is_only)
        self.query_one(FindBar).say(found)
