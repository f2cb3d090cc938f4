# pyright: reportUnknownMemberType=false
"""A saved session on the same screen: play it, step through it, jump to any moment."""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_left, bisect_right
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ...core import events as e
from ...core.errors import SandboxTuiError
from ...core.state import MIRROR
from ...core.text import clean_line
from ...sessions import Player, RunSummary, Store
from ...sessions.keyframes import HEAVY, catch_up, landmarks_of, last_keyframe, moment_at
from ...sessions.landmarks import CALL_ENDS, FAILURES, Landmarks
from ...sessions.moments import Moment
from ...sessions.occurrences import occurrences
from ...sessions.pace import Pace
from ...sessions.replay import position_at
from ...sessions.search import Hit
from .. import figures
from ..fork_wanted import ForkWanted
from ..svg import self_contained
from ..widgets.calls import Calls
from ..widgets.find_bar import FindBar
from ..widgets.status_bar import StatusBar
from ..widgets.terminals import Terminals
from ..widgets.timeline import Timeline
from .cockpit import Cockpit
from .go_to_step import GoToStep

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)

FAR = 4 * HEAVY
"""Events that are rather waited for than folded, while keyframes are being made."""

LET_GO = 2000
"""Events played after which the state is taken from the database anew, so that it stays small."""


class Place(NamedTuple):
    """Where in a session a replay begins.

    Attributes:
        seq: the event; 0: the reply of `step`.
        step: the step.
        words: what was found there, marked in the calls; empty for none.
    """

    seq: int
    step: int = 0
    words: str = ""


def place_of(hit: Hit) -> Place:
    """The place of a hit; the words are marked where the list of calls shows them."""
    words = ""
    if hit.marks and hit.kind in _IN_CALLS:
        start, end = hit.marks[0]
        words = hit.snippet[start:end].casefold()
    seq = hit.seq if hit.seq or hit.step else hit.run.last_seq
    return Place(seq, hit.step, words)


_IN_CALLS = ("reply", "call", "observation", "message", "command")
"""Kinds of hits that stand in the list of calls."""


class ReplayScreen(Cockpit):
    """Replays a session.

    One loop shows things, so that nothing is shown out of order: the moment somebody wants to see,
    else the next events while it plays, else nothing.

    Args:
        summary: which one.
        store: where it is kept.
        playing: whether it begins by itself; otherwise it shows the end.
        at: the moment it shows at first; it does not begin by itself then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "play", id="replay.play"),
        Binding("left,h", "step(-1)", "step back", key_display="←", id="replay.step_back"),
        Binding("right,l", "step(1)", "step", key_display="→", id="replay.step"),
        Binding("comma", "event(-1)", "Event back", show=False, id="replay.event_back"),
        Binding("full_stop", "event(1)", "Event", show=False, id="replay.event"),
        Binding("shift+left,H", "second(-1)", "Second back", show=False, id="replay.second_back"),
        Binding("shift+right,L", "second(1)", "Second", show=False, id="replay.second"),
        Binding("colon", "go_to_step", "to step", key_display=":", id="replay.go_to_step"),
        Binding("n", "failure(1)", "failure", id="replay.failure"),
        Binding("N", "failure(-1)", "Failure before", show=False, id="replay.failure_before"),
        Binding("plus,equals_sign", "speed(1)", "faster", key_display="+", id="replay.faster"),
        Binding("minus", "speed(-1)", "slower", key_display="-", id="replay.slower"),
        Binding("0", "go_start", "Start", show=False, id="replay.start"),
        Binding("dollar_sign", "go_end", "End", show=False, id="replay.end"),
        Binding("F", "fork", "fork", id="replay.fork"),
        Binding("C", "picture", "Save a picture", show=False, id="replay.picture"),
        Binding("q,escape", "leave", "back", id="replay.leave"),
        *Cockpit.COMMON,
    ]

    DEFAULT_CSS = """
    ReplayScreen #replay-bar {
        height: 3; border: round $border-blurred; padding: 0 1; color: $role-dim;
    }
    ReplayScreen.-low #replay-bar, ReplayScreen.-lowest #replay-bar { display: none; }
    """

    def __init__(
        self,
        summary: RunSummary,
        store: Store,
        *,
        playing: bool = True,
        at: Place | None = None,
    ) -> None:
        super().__init__(summary.task, live=False, get_blob=store.blobs(summary.id).get)
        self._summary = summary
        self._store = store
        self._player = Player(store, summary.id)
        self._plays = playing and at is None
        self._wanted: int | None = None if self._plays else summary.last_seq
        self._begins_at = at
        self._going: int | None = None
        self._something = asyncio.Event()
        self._landmarks = Landmarks()
        self._pace = Pace(rest=0.5)
        self._prepared = 0
        self._preparing = True
        self._words = ""
        self._hits: list[int] = []

    def compose_bottom(self) -> ComposeResult:
        """What is being replayed and how fast."""
        yield Static(id="replay-bar", markup=False)

    def on_mount(self) -> None:
        """Show the session."""
        self.query_one(StatusBar).prefix = "replay"
        timeline = self.query_one(Timeline)
        timeline.duration, timeline.playing = self._summary.seconds, self._plays
        if self._begins_at is not None:
            self._begin_at(self._begins_at)
        self._prepare()
        self._show_all()

    def on_unmount(self) -> None:
        """Let the keyframes be."""
        self._pace.stop()

    def _begin_at(self, place: Place) -> None:
        """Show this place, once it is known where it is."""
        seq = place.seq or self._landmarks.of_step(place.step)
        self._wanted = seq
        if seq is None:
            return
        self._begins_at = None
        self.seek(seq)
        if place.words:
            self.look_for(place.words)

    @property
    def noted(self) -> tuple[Store, str]:
        """See `StepNotes`."""
        return self._store, self._summary.id

    def time_of_step(self, step: int) -> float | None:
        """See `StepNotes`: it may be later than what is shown."""
        return self._landmarks.time_of_step(step)

    @property
    def position(self) -> int:
        """Number of the last event that is shown."""
        return self.state.seq

    def shows(self, seq: int) -> bool:
        """Whether a moment is on the screen, and everything is known about the session."""
        there = self.position == seq and self._wanted is None and self._going is None
        return there and not self._preparing

    @property
    def now(self) -> float:
        """Seconds since the run began, going on between two events."""
        return self.state.t + self._player.idle

    def action_fork(self) -> None:
        """Go on from the moment that is shown."""
        self._plays = False
        self.post_message(ForkWanted(self._summary.id, self.position))

    # --- the loop

    @work(group="replay")
    async def _show_all(self) -> None:
        while True:
            try:
                if self._wanted is not None:
                    await self._go()
                elif self._plays:
                    await self._play()
                else:
                    self._something.clear()
                    await self._something.wait()
            except SandboxTuiError as error:
                self._plays, self._wanted, self._going = False, None, None
                self.notify(str(error), severity="error", markup=False, timeout=20)

    async def _go(self) -> None:
        """Show the moment that is wanted; while one drags, the last one."""
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            return
        self._going = wanted
        while self._preparing and wanted - self._prepared > FAR and self._wanted is None:
            self._say_what_is_shown()
            self._something.clear()
            await self._something.wait()
        if self._wanted is None:
            self._show(await asyncio.to_thread(self._moment, wanted))
        self._going = None

    async def _play(self) -> None:
        """Apply events at their times until something else is wanted."""
        if self.position >= self._summary.last_seq:
            self._show(await asyncio.to_thread(self._moment, 0))
        if self._wanted is not None or not self._plays:
            return
        self._player.seek(self.position)
        fresh = 0
        async with contextlib.aclosing(self._player.play()) as events:
            async for event in events:
                await self.apply(event)
                fresh += 1
                if fresh >= LET_GO:
                    fresh = 0
                    await self._let_go()
                if self._wanted is not None or not self._plays:
                    return
        if self._wanted is None:
            self._plays = False
            self.sync_bars()

    async def _let_go(self) -> None:
        """The same state, without what is in the database."""
        moment = await asyncio.to_thread(self._moment, self.position)
        self.state = moment.state
        self.query_one(Calls).adopt(moment.state)

    def _moment(self, seq: int) -> Moment:
        return moment_at(self._store, self._summary.id, seq)

    def _show(self, moment: Moment) -> None:
        self._player.seek(moment.seq)
        terminals = self.query_one(Terminals)
        terminals.replace(moment.screens.by_name)
        for name in moment.screens.by_name:
            if name != MIRROR and name not in moment.state.terminals:
                terminals.closed(name)
        self.query_one(Calls).following = True
        self.show_state(moment.state)
        if self._words:
            self._show_hit()

    def _apply_state(self, event: e.AnyEvent) -> None:
        """The marks of the timeline are known from the beginning here."""
        self.state.apply(event)
        self._files_changed |= isinstance(event, e.FilesListed | e.FilesChanged)
        self.refresh_soon()

    def seek(self, seq: int) -> None:
        """Show the moment after event `seq`."""
        self._wanted = min(max(seq, 0), self._summary.last_seq)
        self._wake()

    def _hold(self) -> None:
        self._plays = False
        self._wake()

    def _wake(self) -> None:
        self._player.hold()
        self._something.set()

    # --- keyframes

    @work(group="keyframes")
    async def _prepare(self) -> None:
        """Make the keyframes a session lacks, and learn where its landmarks are."""
        loop = asyncio.get_running_loop()
        run_id = self._summary.id
        try:
            self._prepared = await asyncio.to_thread(last_keyframe, self._store, run_id)
            await self._read_landmarks()

            def made(seq: int) -> None:
                loop.call_soon_threadsafe(self._made, seq)

            await asyncio.to_thread(catch_up, self._store, run_id, rest=self._pace, made=made)
            await self._read_landmarks()
        except SandboxTuiError as error:
            self.log.warning(f"no keyframes: {error}")
        finally:
            self._preparing = False
            self._something.set()
            if self._begins_at is not None:  # a step without a reply
                self._begin_at(Place(self._summary.last_seq))

    def _made(self, seq: int) -> None:
        self._prepared = seq
        self._something.set()
        if seq - self._landmarks.last > FAR:
            self._read_more_landmarks()

    @work(exclusive=True, group="landmarks")
    async def _read_more_landmarks(self) -> None:
        with contextlib.suppress(SandboxTuiError):
            await self._read_landmarks()

    async def _read_landmarks(self) -> None:
        found = await asyncio.to_thread(landmarks_of, self._store, self._summary.id)
        self._landmarks = found
        self.query_one(Timeline).show_marks(found.all)
        self.show_notes()
        if self._begins_at is not None:
            self._begin_at(self._begins_at)

    # --- what is said

    def sync_bars(self) -> None:
        """Also what is being replayed."""
        super().sync_bars()
        self.query_one(Timeline).playing = self._plays
        self._say_what_is_shown()

    def _tick(self) -> None:
        """The timeline goes on in a pause too."""
        if self._is_left:
            return
        super()._tick()
        self.query_one(Timeline).position = self.now

    def _say_what_is_shown(self) -> None:
        last = self._summary.last_seq
        parts = [
            f"{'playing' if self._plays else 'held'} ×{self._player.speed:g}",
            f"step {self.state.step}/{max(self._landmarks.steps, self.state.step)}",
            f"event {self.position}/{last}",
            figures.clock(self.state.t),
            clean_line(self._summary.id),
        ]
        if self._preparing and self._wanted is None and last - self._prepared > FAR:
            parts.append(f"preparing {100 * self._prepared // max(1, last)} %")
        self.query_one("#replay-bar", Static).update(" · ".join(parts))

    # --- keys

    def action_play(self) -> None:
        """Play or hold."""
        self._plays = not self._plays
        self._wake()
        self.sync_bars()

    def action_speed(self, direction: int) -> None:
        """Play faster or slower."""
        index = SPEEDS.index(self._player.speed) + direction
        self._player.speed = SPEEDS[min(max(index, 0), len(SPEEDS) - 1)]
        self.sync_bars()

    def action_step(self, direction: int) -> None:
        """To the end of the next call, or of the one before; to the edge when there is none."""
        self._to(direction, CALL_ENDS)

    def action_failure(self, direction: int) -> None:
        """To the next failure, or the one before."""
        if not self._to(direction, FAILURES):
            self.notify("No further failure in this direction.", timeout=2)

    def action_event(self, direction: int) -> None:
        """One event on or back."""
        self._hold()
        self.seek(self._aim + direction)

    def action_second(self, direction: int) -> None:
        """One second on or back."""
        self._to_time(self.state.t + direction)

    def action_go_to_step(self) -> None:
        """Ask for a step, and go to its reply."""
        self._hold()

        def answered(step: int | None) -> None:
            seq = None if step is None else self._landmarks.of_step(max(1, step))
            if seq is not None:
                self.seek(seq)
            elif step is not None:
                self.notify(f"There is no step {step}.", timeout=3)

        steps = max(self._landmarks.steps, self.state.step)
        self.app.push_screen(GoToStep(self.state.step, steps), answered)

    def action_go_start(self) -> None:
        """To the first moment."""
        self._hold()
        self.seek(0)

    def action_go_end(self) -> None:
        """To the last moment."""
        self._hold()
        self.seek(self._summary.last_seq)

    def action_picture(self) -> None:
        """Save what is on the screen as a picture, as it is: secrets too."""
        name = f"{self._summary.id}-{self.position}.svg"
        path = self.results_folder / name
        try:
            drawn = self.app.export_screenshot(title=self.task_line)
            path.write_bytes(self_contained(drawn))
        except OSError as error:
            words = f"{path} cannot be written: {error.strerror}."
            self.notify(clean_line(words), severity="error", markup=False)
            return
        words = f"Saved as it is on the screen, nothing blanked: {path}"
        self.notify(clean_line(words), markup=False)

    def action_leave(self) -> None:
        """Back to where one came from."""
        self.dismiss(None)

    @on(Timeline.Sought)
    def _to_moment(self, event: Timeline.Sought) -> None:
        self.seek(position_at(self._store, self._summary.id, event.t))

    @property
    def _aim(self) -> int:
        """The event that will be shown: keys pressed faster than it is shown add up."""
        aims = (self._wanted, self._going, self.position)
        return next(aim for aim in aims if aim is not None)

    def _to(self, direction: int, kinds: frozenset[str]) -> bool:
        """To the next landmark of these kinds; whether there was one."""
        self._hold()
        seq = self._landmarks.next(self._aim, direction, kinds)
        if seq is not None:
            self.seek(seq)
        elif self._preparing and direction > 0:
            self.notify("The session is still being looked through.", timeout=2)
            return True
        elif kinds == CALL_ENDS:
            self.seek(self._summary.last_seq if direction > 0 else 0)
        return seq is not None

    def _to_time(self, t: float) -> None:
        self._hold()
        self.seek(position_at(self._store, self._summary.id, max(0.0, t)))

    # --- looking for something, at any moment of the session

    def look_for(self, words: str) -> None:
        """Look for words in the whole session; go to the first place from here on."""
        self._hold()
        self._words, self._hits = words, []
        self._search(words)

    @work(exclusive=True, group="find")
    async def _search(self, words: str) -> None:
        pace = Pace(rest=0.2)
        try:
            search = asyncio.to_thread(occurrences, self._store, self._summary.id, words, rest=pace)
            self._hits = await search
        except SandboxTuiError as error:
            self.notify(str(error), severity="error", markup=False)
        finally:
            pace.stop()
        at = bisect_left(self._hits, self._aim)
        if self._hits:
            self.seek(self._hits[at % len(self._hits)])
        else:
            self._show_hit()

    def next_hit(self, direction: int) -> None:
        """To the next place that holds the words, or the one before, round the end."""
        if not self._hits:
            return
        self._hold()
        here = self._aim
        at = bisect_right(self._hits, here) if direction > 0 else bisect_left(self._hits, here) - 1
        self.seek(self._hits[at % len(self._hits)])

    def _show_hit(self) -> None:
        """Mark what is looked for, and say where one is among all places."""
        said = ""
        if self._words:
            said = f"{len(self._hits)} found" if self._hits else "nothing like that"
            at = bisect_left(self._hits, self.position)
            if self._hits[at : at + 1] == [self.position]:
                said = f"{at + 1} of {said}"
        self.query_one(Calls).show_hit(self._words, said)
        self.query_one(FindBar).say(said)
