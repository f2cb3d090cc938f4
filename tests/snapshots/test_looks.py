"""Every screen in three sizes and four themes looks as it did."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from sandbox_tui.core import events as e
from sandbox_tui.core.config import ModelSettings, load
from sandbox_tui.core.launch import RunRequest
from sandbox_tui.core.models.local_servers import LocalServer
from sandbox_tui.core.state import fold
from sandbox_tui.sessions import Store, Worker, Workers
from sandbox_tui.sessions.fork import Plan
from sandbox_tui.sessions.labels import add_note, add_tag
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.allow_always import AllowAlways
from sandbox_tui.tui.screens.ask_line import AskLine
from sandbox_tui.tui.screens.compare import CompareScreen
from sandbox_tui.tui.screens.confirm import Confirm
from sandbox_tui.tui.screens.copy_files import AskPull, AskPush
from sandbox_tui.tui.screens.edit_call import EditCall
from sandbox_tui.tui.screens.edit_file import EditFile
from sandbox_tui.tui.screens.failure import Failure
from sandbox_tui.tui.screens.fork import ForkForm
from sandbox_tui.tui.screens.image_offer import ImageOffer
from sandbox_tui.tui.screens.leave_run import LeaveRun
from sandbox_tui.tui.screens.live import LiveScreen
from sandbox_tui.tui.screens.replay import ReplayScreen
from sandbox_tui.tui.screens.wall import Wall
from sandbox_tui.tui.widgets.calls import Calls
from sandbox_tui.tui.widgets.hit_list import HitList
from sandbox_tui.tui.widgets.model_offers import ModelOffers, offers_of
from tests.screens.test_replay_screen import until
from tests.snapshots.looks import check
from tests.snapshots.sample_run import BROKEN, FILES, SOLVE, TASK, sample_run
from tests.snapshots.watched_run import WatchedRun

SIZES = [(160, 45), (100, 30), (60, 20)]
THEMES = ["lamplight", "daylight", "contrast", "ansi"]
NOW = 1_767_272_400.0

MODEL = {"model.name": "qwen3-coder", "model.local_ports": []}

Act = Callable[[SandboxTui, Pilot[int], Store], Awaitable[None]]


def ended(run_id: str, reason: e.FinishReason, ago: float, task: str) -> list[e.AnyEvent]:
    """A whole run that ended so many seconds ago."""
    events = sample_run(run_id)[:-4]
    first = events[0]
    assert isinstance(first, e.RunStarted)
    events[0] = msgspec.structs.replace(first, started_at=NOW - ago, task=task)
    error = None if reason == "submitted" else "The server refused: the key is not valid (401)."
    totals = msgspec.structs.replace(fold(events).totals, seconds=events[-1].t)
    finished = e.RunFinished(
        seq=len(events) + 1, t=events[-1].t + 1, reason=reason, error=error, totals=totals
    )
    return [*events, finished]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Three sessions: one that submitted, one that failed, one in which a call waits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDBOX_TUI_HOME", "home")
    still = SimpleNamespace(time=lambda: NOW, monotonic=lambda: 100.0)
    monkeypatch.setattr("sandbox_tui.tui.widgets.session_lines.time", still)
    for module in ("widgets.run_tile", "screens.live", "screens.cockpit"):
        monkeypatch.setattr(f"sandbox_tui.tui.{module}.time", still)
    made = Store(tmp_path / "s.db")
    made.append("20260101-100000-first", ended("20260101-100000-first", "submitted", 7200, TASK))
    failed = ended("20260101-110000-secnd", "model_error", 1800, "Draw a poster of the harbour")
    made.append("20260101-110000-secnd", failed)
    made.append("20260101-120000-sampl", sample_run())
    blobs = made.blobs("20260101-120000-sampl")
    for data in (*FILES.values(), BROKEN.encode()):
        blobs.put(data)
    return made


@asynccontextmanager
async def shown(
    store: Store, size: tuple[int, int], begin: str | None
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    settings = load({"ui.animations": False, "ui.images": "blocks", **MODEL})
    app = SandboxTui(settings, store, store.run(begin) if begin else None)
    async with app.run_test(size=size, notifications=False) as pilot:
        await pilot.pause(0.2)
        yield app, pilot


def replayed(*keys: str) -> Act:
    """The sample run, held at its end, then these keys."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign", *keys)

    return act


async def home(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await pilot.pause(0.2)


async def find_sessions(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Words that stand in all three sessions, one of them tagged and noted on."""
    add_tag(store, "20260101-100000-first", "paper")
    add_note(store, "20260101-100000-first", 2, "mass is what the column is called")
    await pilot.press("slash", *"mass")
    await until(pilot, lambda: app.screen.has_class("-hits"))
    await until(pilot, lambda: "3 sessions" in str(app.screen.query_one(HitList).border_title))


async def note(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """A step that has a note gets another text."""
    add_note(store, "20260101-120000-sampl", 2, "a small program, as it should be")
    screen = app.screen
    assert isinstance(screen, ReplayScreen)
    screen.read_notes()
    await pilot.press("dollar_sign")
    await until(pilot, lambda: screen.notes)
    screen.query_one(Calls).action_first()
    await pilot.press("down", "down", "w")
    await until(pilot, lambda: isinstance(app.screen, AskLine))


async def new_run(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await pilot.press("n")


async def settings(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await pilot.press("comma", "down")


FOUND = [
    LocalServer("vLLM", "http://127.0.0.1:8000/v1", ("qwen3-coder-30b", "qwen3-4b")),
    LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("gpt-oss:20b",)),
    LocalServer("llama.cpp", "http://127.0.0.1:8080/v1", wants_key=True),
]


async def first_run(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    app.settings.now = msgspec.structs.replace(app.settings.now, model=ModelSettings())
    app.screen.add_class("-no-model")
    offers = app.screen.query_one(ModelOffers)
    offers.show(offers_of(FOUND, ModelSettings()), ())
    await pilot.pause()


async def choose_model(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await pilot.press("m")
    await pilot.pause()
    app.screen.query_one(ModelOffers).show(offers_of(FOUND, ModelSettings()), ())
    await pilot.pause()


async def edit_call(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    await pilot.press("dollar_sign")
    await app.push_screen(EditCall(the_call()))


async def wall(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    workers = Workers(store)
    settings = load()
    for number in range(8):
        worker = Worker(RunRequest(task=f"{TASK} ({number + 1})", settings=settings), store)
        worker.run_id = str(number)
        events = sample_run()[: len(sample_run()) - number * 4]
        if number in (3, 6):
            events = ended("x", "submitted" if number == 3 else "token_limit", 60, TASK)
        worker.state = fold(events)
        workers.all[worker.run_id] = worker
    await app.push_screen(Wall(workers))
    await pilot.pause(0.4)


def live(*keys: str, writing: bool = False) -> Act:
    """The sample run as it is watched: a call waits, or the model is still writing one."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        events = sample_run()
        if writing:
            asked = next(ev for ev in reversed(events) if isinstance(ev, e.ModelAsked))
            events = [*events[: asked.seq], *half_a_reply(asked)]
        screen = LiveScreen(WatchedRun(events), store)
        await app.push_screen(screen)
        while screen.state.seq < len(events):
            await pilot.pause()
        await pilot.press(*keys)

    return act


def half_a_reply(asked: e.ModelAsked) -> list[e.AnyEvent]:
    """What has come of a reply so far."""
    parts = [
        e.ModelDelta(step=asked.step, channel="reasoning", text="The column was the only fault."),
        e.ModelDelta(step=asked.step, channel="text", text="Now it should find the heaviest."),
        e.ModelDelta(step=asked.step, channel="call", text="", name="execute_bash"),
        e.ModelDelta(step=asked.step, channel="call", text='{"command": "python3 sol'),
    ]
    return [
        msgspec.structs.replace(part, seq=asked.seq + number, t=asked.t + 0.1 * number)
        for number, part in enumerate(parts, 1)
    ]


async def fork(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    parent = store.run("20260101-100000-first")
    plan = Plan(store, parent, "step:3")
    await app.push_screen(ForkForm(plan, plan.request(app.settings.now, {}), store))


async def compare(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    left, right = store.run("20260101-100000-first"), store.run("20260101-120000-sampl")
    await app.push_screen(CompareScreen(left, right, store))
    await pilot.pause(0.3)


async def saved(data: bytes, tell: bool) -> None:
    """Nothing is saved in a picture."""


def pushed(make: Callable[[], object]) -> Act:
    """A question over the home screen."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        await app.push_screen(make())  # type: ignore[arg-type]

    return act


def the_call() -> e.ToolCall:
    return next(ev.call for ev in sample_run() if isinstance(ev, e.CallProposed))


SCREENS: dict[str, tuple[str | None, Act]] = {
    "replay": ("20260101-120000-sampl", replayed("left", "left")),
    "waiting": ("20260101-120000-sampl", replayed()),
    "find": ("20260101-120000-sampl", replayed("slash", *"mass")),
    "filter": ("20260101-120000-sampl", replayed("f", "f", "down", "enter")),
    "files": ("20260101-120000-sampl", replayed("3", "z", "down", "down", "down", "down")),
    "pager": ("20260101-120000-sampl", replayed("up", "o")),
    "help": ("20260101-120000-sampl", replayed("question_mark")),
    "edit": ("20260101-120000-sampl", edit_call),
    "jump": ("20260101-120000-sampl", replayed("ctrl+o")),
    "go-to-step": ("20260101-120000-sampl", replayed("colon")),
    "filter-files": ("20260101-120000-sampl", replayed("3", "slash", *"sol")),
    "file-view": ("20260101-120000-sampl", replayed("3", "end", "o")),
    "choose-version": ("20260101-120000-sampl", replayed("3", "end", "D")),
    "allow-always": (None, pushed(lambda: AllowAlways(the_call(), ["head -3 *"]))),
    "copy-out": (None, pushed(lambda: AskPull("/testbed/output", Path("results")))),
    "put-in": (None, pushed(lambda: AskPush("/testbed/input", "/home/somebody"))),
    "edit-file": (None, pushed(lambda: EditFile("/testbed/solve.py", SOLVE.encode(), saved))),
    "live": (None, live()),
    "live-writing": (None, live(writing=True)),
    "live-command": (None, live("i", *"ls -l")),
    "fork": (None, fork),
    "compare": (None, compare),
    "home": (None, home),
    "home-find": (None, find_sessions),
    "home-tags": (None, pushed(lambda: AskLine("tags", "good paper"))),
    "note": ("20260101-120000-sampl", note),
    "new-run": (None, new_run),
    "settings": (None, settings),
    "first-run": (None, first_run),
    "choose-model": (None, choose_model),
    "wall": (None, wall),
    "failure": (None, pushed(lambda: Failure("There is no sandbox to run in: start an engine."))),
    "confirm": (None, pushed(lambda: Confirm("Delete “a task”? This cannot be undone."))),
    "leave": (None, pushed(LeaveRun)),
    "image": (None, pushed(lambda: ImageOffer("somebody/image:1"))),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
async def test_it_looks_as_it_did(name: str, size: tuple[int, int], store: Store) -> None:
    begin, act = SCREENS[name]
    async with shown(store, size, begin) as (app, pilot):
        await act(app, pilot, store)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        for area in app.screen.query(TextArea):
            area.cursor_blink = False
        app.theme = THEMES[-1]
        await pilot.pause(0.1)
        for theme in THEMES:
            app.theme = theme
            await pilot.pause(0.1)
            check(app, name, theme)
