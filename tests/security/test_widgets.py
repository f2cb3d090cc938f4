"""20,000 hostile streams through every widget: only our own sequences reach the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import Static

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import ModelSettings, load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import FileState, RunState, fold
from sandbox_tui.core.models.discovery import LocalServer
from sandbox_tui.core.policy.rules import BASH, EDITOR
from sandbox_tui.core.policy.session_rules import OpenPart
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.approving.allowed_rules import AllowedRulesDialog
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog
from sandbox_tui.tui.screens.files.choose_version import ChooseVersionDialog
from sandbox_tui.tui.screens.files.copy_files import CopyInDialog, CopyOutDialog
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.files.file_view import FileViewScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.missing_image import MissingImageDialog
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.terminal_io.notifications import Notice, cut
from sandbox_tui.tui.theming.live_themes import LiveThemes
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers, offers_of
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.terminal.view import TerminalView
from tests.security import hostile_run as made_up
from tests.security.driven import FRAME, drive, tap
from tests.security.escapes import BELL, CLIPBOARD, NOTICE, SETS_UP, TITLE, parse_output
from tests.security.hostile import SURROGATES, TERMINAL, UNSEEN, Streams, marks
from tests.waiting import until

Act = Callable[[SandboxTui, Pilot[int], Store, Streams], Awaitable[None]]
SIZE = (200, 60)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


def app_of(store: Store, begin: Any = None, **settings: Any) -> SandboxTui:
    quiet = {"ui.animations": False, "ui.images": "blocks", "model.local_ports": []}
    return SandboxTui(load({**quiet, "model.name": "m", **settings}), store, begin)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until everything that is drawn with a delay has been drawn."""
    await asyncio.sleep(FRAME)
    for view in pilot.app.screen.query(TerminalView):
        for _ in range(500):
            if not view._pump.waiting and view._frame is None:
                break
            await asyncio.sleep(0.01)
    await asyncio.sleep(FRAME)


class _HostileThemes:
    """Themes with hostile names and mistakes."""

    def __init__(self, made: Streams) -> None:
        self._made = made

    def look_again(self) -> list[str]:
        return ["lamplight", self._made.one()]

    def why_not_in_use(self, name: str) -> str:
        return self._made.one()

    @property
    def broken_files(self) -> list[str]:
        return [self._made.one()]


async def a_replay(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Calls, conversation, status, tree and timeline, step by step, in wide and narrow layouts."""
    made_up.hostile_run("20260101-100000-evils", made, STEPS, store)
    screen = ReplayScreen(store.run("20260101-100000-evils"), store)
    await app.push_screen(screen)
    await tap(pilot, "0", *["l"] * STEPS, "dollar_sign", "1", "z", "home")
    for _ in range(STEPS * 4):
        await tap(pilot, "enter", "down")
    await tap(pilot, "home", *["pagedown"] * 12, "end", "z")
    await tap(pilot, "o", *["pagedown"] * 3, "q", "slash", *"owned", "enter", "n", "f", "f", "f")
    await tap(pilot, "2", "z", "backslash", *["pageup"] * 6, "backslash", *["pageup"] * 6, "z")
    await tap(pilot, "3", "z", "home", *["down"] * 30, "z", "colon", "1", "enter")
    await tap(pilot, "question_mark", "escape", "ctrl+o", "escape", "ctrl+p", *"st", "escape")


async def files(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Every kind of preview: complete, as source, as a diff."""
    for suffix in made_up.PREVIEWED:
        data, before = (made_up.content(made, suffix, 60) for _ in range(2))
        path = f"/testbed/{made.name()}.{suffix}"
        blob = store.put_blob("r", data)
        change = e.FileChange(path=path, change="modified", kind="file", size=len(data), blob=blob)
        file = FileState(last=change, run_mark="modified", step=1, by="model")
        for against in (None, before):
            await a_file(app, pilot, FileViewScreen(path, file, store.get_blob, nothing, against))


async def nothing(*_: Any) -> None:
    """Stands in for contents that were not stored."""


async def a_file(app: SandboxTui, pilot: Pilot[int], view: FileViewScreen) -> None:
    await app.push_screen(view)
    for _ in range(2 if view._preview.against is None else 1):
        await tap(pilot, "home", *["pagedown"] * 3, "v")
    await tap(pilot, "slash", *"owned", "enter")
    while app.screen is not view:
        await tap(pilot, "escape")
    app.pop_screen()


async def pager(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    await app.push_screen(PagerScreen(made.one(), made.text(4_500)))
    await tap(pilot, "home", *["pagedown"] * 92)


async def terminal(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Bytes for the mirror, split anywhere; a screenful at a time, each after a reset."""
    screen = LiveScreen(RunWorker(RunRequest(task="x", settings=load()), store), store)
    await app.push_screen(screen)
    first = (made_up.task("t", made), e.TerminalOpened(terminal="model", cols=180, rows=50))
    for seq, event in enumerate(first, 1):
        await screen.apply(msgspec.structs.replace(event, seq=seq))
    await tap(pilot, "2", "z")
    for round_ in range(60):
        data = b"\x18\x1b\\\x1bc" + made_up.output(made, 75)
        for at in range(0, len(data), 97):
            piece = e.TerminalOutput(terminal="model", data=data[at : at + 97])
            await screen.apply(msgspec.structs.replace(piece, seq=3 + round_, t=1.0))
        await settle(pilot)
    await tap(pilot, *["pageup"] * 9, "slash", *"owned", "enter", "n", "n")


async def wall(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Tiles, including runs whose text was never sanitized by a database."""
    for round_ in range(3):
        workers = RunRegistry(store)
        for number in range(16):
            worker = RunWorker(RunRequest(task=made.one(surrogates=True), settings=load()), store)
            worker.run_id = f"{round_}-{number}"
            worker.state = fold(live_events(number, made))
            if number % 7 == 6:
                worker.failure = SandboxTuiError(made.one(surrogates=True))
            workers.all[worker.run_id] = worker
        screen = WallScreen(workers)
        await app.push_screen(screen)
        await pilot.pause(0.3)
        await tap(pilot, "o", "f", "f", "slash", *"q0", "enter")
        while app.screen is not screen:
            await tap(pilot, "escape")
        app.pop_screen()


def live_events(number: int, made: Streams) -> list[e.AnyEvent]:
    """The events of an unfinished run, whose state depends on the number."""
    some = made.one(surrogates=True)
    call = made_up.hostile_call(1, made, surrogates=True)
    call = msgspec.structs.replace(call, name=made.one(surrogates=True))
    events: list[e.AnyEvent] = [
        made_up.task("x", made),
        e.TerminalOpened(terminal="model", cols=80, rows=24),
        e.ModelAsked(step=1, digest="", messages=1),
        e.ModelDelta(step=1, channel="text", text=some),
    ]
    if number % 4:
        events += [
            e.CallProposed(call=call),
            e.CallHeld(call=1, rule=made.one(), reason=made.one()),
        ]
    if number % 4 == 2:
        events += [e.CallDecided(call=1, verdict="approve", by="human"), e.CallStarted(call=1)]
        events += [e.InputAwaited(program=made.one(), answerable=True)]
    if number % 4 == 3:
        totals = e.Totals(steps=1)
        events += [
            e.RunFinished(
                reason="submitted",
                error=made.one(),
                totals=totals,
                answer=made.one(surrogates=True),
            )
        ]
    return events


async def live(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """A waiting call with its bar, messages queued for the model, a run that could not start."""
    for number in (1, 2, 3, 0):
        worker = RunWorker(RunRequest(task=made.one(surrogates=True), settings=load()), store)
        screen = LiveScreen(worker, store)
        await app.push_screen(screen)
        for seq, event in enumerate(live_events(number, made), 1):
            await screen.apply(msgspec.structs.replace(event, seq=seq, t=seq * 0.1))
        for at in range(4):
            await screen.apply(
                e.HumanMessage(seq=50 + at, t=9.0, id=at + 1, text=made.one(surrogates=True))
            )
        await screen.apply(e.Warned(seq=60, t=9.0, text=made.one(surrogates=True)))
        await settle(pilot)
        await tap(pilot, "u", "escape", "1", "enter", "up", "enter", "up", "enter")
        while app.screen is not screen:
            await tap(pilot, "escape")
        app.pop_screen()


async def home(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    for number in range(240):
        first = msgspec.structs.replace(made_up.task("x", made), run_id=f"s{number:03}")
        totals = e.Totals(steps=1)
        error = made.one()
        last = e.RunFinished(
            seq=2, t=1.0, reason="model_error", error=error, totals=totals, answer=made.one()
        )
        store.append(f"s{number:03}", [first, last])
        store.rename(f"s{number:03}", made.one()) if number % 3 == 0 else None
    screen = HomeScreen(app.settings, RunRegistry(store))
    await app.push_screen(screen)
    sessions = screen.query_one(SessionList)
    while sessions.block_count() < 240:  # more of them are read at the end of those that are there
        shown = sessions.block_count()
        await tap(pilot, "end")
        await until(pilot, lambda: sessions.block_count() > shown)  # noqa: B023 - used at once
    await tap(pilot, "home", *["pagedown"] * 12)
    await tap(pilot, "space", "up", "space", "c", "escape", "x", "n", "slash", *"owned")


async def notices(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Toasts, the terminal's title, desktop notifications."""
    for _ in range(25):
        for _ in range(6):
            app._complain(made.one(surrogates=True))
        await pilot.pause()
        app.clear_notifications()
    for number in range(3_200):
        if number % 2:
            app._announcer._show_title(cut(made.one(surrogates=True)))
        else:
            app._announcer._tell(Notice(made.one(surrogates=True), made.one(surrogates=True)))


def hostile_part(tool: str, made: Streams) -> OpenPart:
    return OpenPart(tool, made.one(surrogates=True), tuple(made.many(3, surrogates=True)))


def allowing(made: Streams) -> RunState:
    return fold(
        e.RuleGranted(tool=tool, pattern=made.one(surrogates=True))
        for tool in (BASH, EDITOR, made.one(surrogates=True))
    )


async def questions(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Every form and every question, many times over."""
    settings = load()
    for round_ in range(2):
        call = made_up.hostile_call(round_ + 1, made, surrogates=True)
        path = f"/testbed/{made.one(surrogates=True)}"

        async def saved(*_: Any, **__: Any) -> None:
            raise SandboxTuiError(made.one())

        for screen in (
            ApproveAlwaysDialog(call, [hostile_part(tool, made) for tool in (call.name, BASH)]),
            AllowedRulesDialog(allowing(made), lambda _: None),
            EditCallDialog(call),
            CopyOutDialog(path, Path(made.one().replace("\0", ""))),
            CopyInDialog(path, "/testbed"),
            ChooseVersionDialog(path, []),
            ConfirmDialog(made.one()),
            ErrorDialog(made.one(surrogates=True)),
            MissingImageDialog(made.one(surrogates=True)),
            PagerScreen(made.one(surrogates=True), made.one(surrogates=True)),
            SettingsScreen(app.settings, cast(LiveThemes, _HostileThemes(made))),
            EditFileScreen(path, b"one\n", saved),
        ):
            await app.push_screen(screen)  # type: ignore[arg-type]
            await pilot.pause()
            app.pop_screen()
        found = [LocalServer("vLLM", f"http://x/{made.one()}", (made.one(), made.one()))]
        app.screen.query(ModelOffers)
        home = HomeScreen(app.settings, RunRegistry(store))
        await app.push_screen(home)
        home.query_one(ModelOffers).show(offers_of(found, ModelSettings()), ())
        home.add_class("-no-model", "-no-sessions")
        await pilot.pause()
        app.pop_screen()
    assert settings


async def comparisons(app: SandboxTui, pilot: Pilot[int], store: Store, made: Streams) -> None:
    """Two sessions side by side, and the fork form."""
    from sandbox_tui.sessions.recording.fork_worker import ForkPlan

    for name in ("one", "two"):
        made_up.hostile_run(name, made, 10, store)
    screen = CompareScreen(store.run("one"), store.run("two"), store)
    await app.push_screen(screen)
    await pilot.pause(0.5)
    await tap(pilot, "home", *["pagedown"] * 6, "home")
    for _ in range(30):
        await tap(pilot, "down")
    await tap(pilot, "enter", "escape")
    for run_id in ("one", "two"):
        plan = ForkPlan(store, store.run(run_id), 30)
        form = ForkDialog(plan, plan.request(load(), {}), store)
        await app.push_screen(form)
        await pilot.pause()
        app.pop_screen()


STEPS = 12

PLACES: dict[str, tuple[Act, int, float]] = {
    "a replay": (a_replay, 1_200, 0.2),
    "files": (files, 1_000, 0.3),
    "pager": (pager, 4_500, 0.9),
    "terminal": (terminal, 4_400, 0.05),
    "wall": (wall, 1_000, 0.1),
    "live": (live, 100, 0.4),
    "home": (home, 2_900, 0.2),
    "notices": (notices, 4_900, 0.9),
    "questions": (questions, 40, 0.4),
    "comparisons": (comparisons, 2_100, 0.03),
}
"""For each place: the function that operates it, its minimum number of streams, and the minimum
fraction of them that must be shown, since not all of a session has a place on a screen.
"""


def test_there_are_20_000() -> None:
    assert sum(count for _, count, _ in PLACES.values()) >= 20_000


@pytest.mark.parametrize("place", PLACES)
async def test_nothing_but_our_own_sequences_comes_out(place: str, store: Store) -> None:
    act, least, part = PLACES[place]
    made = Streams()
    app = app_of(store, **{"ui.notify": "desktop" if place == "notices" else "off"})

    async def work(pilot: Pilot[int]) -> None:
        await act(app, pilot, store, made)

    raw = await drive(app, SIZE, work)
    output = parse_output(raw, TITLE, NOTICE, CLIPBOARD, SETS_UP)
    shown = marks("".join([output.text, *output.titles, *output.notices]))
    print(place, made.taken, len(shown), len(raw))
    assert app.output_filter.stopped == []
    assert made.taken >= least
    assert len(shown) >= part * made.taken


async def test_the_output_filter_stops_what_a_widget_lets_through(store: Store) -> None:
    made = Streams()
    app = app_of(store)

    async def work(pilot: Pilot[int]) -> None:
        home = app.screen
        for text in (*TERMINAL, *UNSEEN, *SURROGATES):
            await home.mount(Static(Text(f"{made.one()}{text}", style="link file:///x")), before=0)
        await tap(pilot, "j")

    output = parse_output(await drive(app, SIZE, work), TITLE, SETS_UP, BELL)
    assert app.output_filter.stopped
    assert marks(output.text)
