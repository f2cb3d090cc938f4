"""Every screen looks as before, in three sizes and four themes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from sandbox_tui.core.config.settings import ModelSettings, load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState, fold
from sandbox_tui.core.models.discovery import LocalServer
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.policy.session_rules import OpenPart, open_parts
from sandbox_tui.core.run.run_labels import SAMPLES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.sessions.store.tables.trainings import summaries, summary
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.evals.source import RecordedEval
from sandbox_tui.tui.screens.files.copy_files import CopyInDialog, CopyOutDialog
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.missing_image import MissingImageDialog
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.training.training_screen import TrainingScreen
from sandbox_tui.tui.screens.training.trainings_screen import TrainingsScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers, offers_of
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.training.training_list import TrainingList
from tests.screens.cockpit.test_replay_screen import until
from tests.snapshots.looks import check, digest_of, lines_of, text_of
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.snapshots.sample_run import BROKEN, FILES, SOLVE, TASK, sample_run
from tests.snapshots.sample_training import enter_training
from tests.snapshots.watched_run import WatchedRun

SIZES = [(160, 45), (100, 30), (60, 20)]
THEMES = ["lamplight", "daylight", "contrast", "ansi"]
NOW = 1_767_272_400.0

MODEL = {"model.name": "qwen3-coder", "model.local_ports": []}

Act = Callable[[SandboxTui, Pilot[int], Store], Awaitable[None]]


def ended(run_id: str, reason: e.FinishReason, ago: float, task: str) -> list[e.AnyEvent]:
    """Return a complete run that ended `ago` seconds before `NOW`."""
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
    """Open a database with three sessions: one submitted, one failed, one with a waiting call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDBOX_TUI_HOME", "home")
    still = SimpleNamespace(time=lambda: NOW, monotonic=lambda: 100.0)
    monkeypatch.setattr("sandbox_tui.tui.widgets.sessions.session_rows.time", still)
    monkeypatch.setattr("sandbox_tui.sessions.remote.run_handle.time", still)
    monkeypatch.setattr("sandbox_tui.sessions.relations.running_now.time", still)
    monkeypatch.setattr("sandbox_tui.sessions.relations.running_summaries.time", still)
    for module in (
        "widgets.wall.run_tile",
        "screens.cockpit.cockpit",
        "screens.evals.source",
        "screens.evals.header",
        "widgets.evals.sample_list",
    ):
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
    store: Store, size: tuple[int, int], begin: str | None, *, has_toasts: bool = False
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    settings = load({"ui.animations": False, "ui.images": "blocks", **MODEL})
    app = SandboxTui(settings, store, store.run(begin) if begin else None)
    async with app.run_test(size=size, notifications=has_toasts) as pilot:
        await settled(app, pilot)
        yield app, pilot


async def settled(app: SandboxTui, pilot: Pilot[int]) -> None:
    """Wait until everything is loaded and the screen no longer changes."""
    await until(pilot, lambda: all(is_read(screen) for screen in app.screen_stack[1:]))
    before, same = "", 0
    while same < 2:
        await pilot.pause(0.02)
        lines = lines_of(app)
        now = text_of(lines) + digest_of(lines)
        before, same = now, same + 1 if now == before else 0


def is_read(screen: Screen[Any]) -> bool:
    """Whether a screen that loads after it appears shows what it loaded."""
    match screen:
        case ReplayScreen():
            return screen.is_settled
        case HomeScreen():
            shown = screen.query_one(SessionList), screen.query_one(ModelOffers)
            return shown[0].current_row is not None or shown[1].display
        case EvalScreen():
            return screen.is_settled
        case EvalsScreen():
            return screen.query_one(EvalList).is_read
        case TrainingScreen():
            return screen.is_settled
        case TrainingsScreen():
            return screen.query_one(TrainingList).is_read
        case CompareScreen():
            return bool(screen.query_one(ComparisonRows).rows)
        case _:
            return True


def replayed(*keys: str) -> Act:
    """Show the sample run, paused at its end, then press these keys."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign", *keys)

    return act


async def home(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Leave the home screen as it is."""


async def find_sessions(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Search for words found in all three sessions, one of which has a tag and a note."""
    add_tag(store, "20260101-100000-first", "paper")
    add_note(store, "20260101-100000-first", 2, "mass is what the column is called")
    await pilot.press("slash", *"mass")
    await until(pilot, lambda: app.screen.has_class("-hits"))
    await until(
        pilot, lambda: "3 sessions" in str(app.screen.query_one(SearchResults).border_title)
    )


def with_label(event: e.AnyEvent) -> e.AnyEvent:
    """Label the first event of a run as one of several samples."""
    assert isinstance(event, e.RunStarted)
    return msgspec.structs.replace(event, settings=e.RunSettings(labels={SAMPLES: "primes"}))


async def folded(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Show the samples of one task in one expanded row, and an evaluation."""
    if not ledger.summaries(store):
        enter_eval(store, NOW)
        for number, reason in enumerate(("submitted", "submitted", "max_steps")):
            run_id = f"20260101-11590{number}-many"
            events = ended(run_id, reason, 300 - number, "How many primes are there?")
            store.append(run_id, [with_label(events[0]), *events[1:]])
    await pilot.press("f5")
    sessions = app.screen.query_one(SessionList)
    await until(pilot, lambda: sessions.running_batches and sessions.block_count() >= 5)
    row = sessions.index_of("samples primes")
    sessions.cursor = row
    if sessions.block_count() == 5:
        await pilot.press("enter")
    await until(pilot, lambda: sessions.block_count() == 8)


async def export(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Open the export dialog for the session under the cursor."""
    await pilot.press("E")
    await until(pilot, lambda: isinstance(app.screen, ExportDialog))


async def note(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Open the prompt that edits the note of a step."""
    add_note(store, "20260101-120000-sampl", 2, "a small program, as it should be")
    screen = app.screen
    assert isinstance(screen, ReplayScreen)
    screen.step_notes.read()
    await pilot.press("dollar_sign")
    await until(pilot, lambda: screen.step_notes.all)
    screen.query_one(Calls).action_first()
    await pilot.press("down", "down", "w")
    await until(pilot, lambda: isinstance(app.screen, PromptDialog))


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
    for run in store.runs():
        store.delete(run.id)
    await pilot.press("f5")
    sessions = app.screen.query_one(SessionList)
    await until(pilot, lambda: sessions.current_row is None)
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
    await app.push_screen(EditCallDialog(the_call()))


async def wall(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    workers = RunRegistry(store)
    settings = load()
    for number in range(8):
        worker = RunWorker(RunRequest(task=f"{TASK} ({number + 1})", settings=settings), store)
        worker.run_id = str(number)
        events = sample_run()[: len(sample_run()) - number * 4]
        if number in (3, 6):
            events = ended("x", "submitted" if number == 3 else "token_limit", 60, TASK)
        worker.state = fold(events)
        workers.all[worker.run_id] = worker
    await app.push_screen(WallScreen(workers))


async def ended_wall(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Show finished samples of one task: five agree, one is marked."""
    workers = RunRegistry(store)
    settings = load()
    for number in range(8):
        request = RunRequest(task=TASK, settings=settings, labels={SAMPLES: "one task"})
        worker = RunWorker(request, store)
        worker.run_id = str(number)
        *events, last = ended("x", "token_limit" if number == 6 else "submitted", 60, TASK)
        answer = None if number == 6 else "aspirin" if number % 4 == 1 else "caffeine"
        assert isinstance(last, e.RunFinished)
        worker.state = fold([*events, msgspec.structs.replace(last, answer=answer)])
        workers.all[worker.run_id] = worker
    await app.push_screen(WallScreen(workers))
    await pilot.pause()
    await pilot.press("right", "c", "right")


def live(*keys: str, writing: bool = False) -> Act:
    """Watch the sample run while a call waits, or (`writing`) while the model is writing one."""

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
    """Return the part of a reply that has arrived so far."""
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
    plan = ForkPlan(store, parent, "step:3")
    await app.push_screen(ForkDialog(plan, plan.request(app.settings.now, {}), store))


def helped(keys: str) -> Act:
    """Open the help of the home screen and filter it."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        await pilot.press("question_mark", *keys)

    return act


async def palette(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Open the palette once sessions and models are loaded."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)


async def palette_found(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    """Search the palette by letters of a few words."""
    await palette(app, pilot, store)
    await pilot.press(*"poster")


async def compare(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    left, right = store.run("20260101-100000-first"), store.run("20260101-120000-sampl")
    await app.push_screen(CompareScreen(left, right, store))


def evaluated(*keys: str, share: float = 0.6) -> Act:
    """Show an evaluation of another program, then press these keys."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        if not ledger.summaries(store):
            enter_eval(store, NOW, share=share)
        if share == 1:
            ledger.release(store, EVAL_ID)
        screen = EvalScreen(RecordedEval(ledger.summary(store), store), RunRegistry(store))
        await app.push_screen(screen)
        await settled(app, pilot)
        await pilot.press(*keys)

    return act


async def evals(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    if not ledger.summaries(store):
        enter_eval(store, NOW)
    await pilot.press("e")
    await until(pilot, lambda: isinstance(app.screen, EvalsScreen) and is_read(app.screen))


async def evals_delete(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    if not ledger.summaries(store):
        enter_eval(store, NOW)
    ledger.release(store, EVAL_ID, "The program received SIGTERM.")
    await evals(app, pilot, store)
    await pilot.press("x")
    await until(pilot, lambda: isinstance(app.screen, DeleteWithSessionsDialog))


def trained(*keys: str) -> Act:
    """Show a training run in progress, then press these keys."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        if not summaries(store):
            enter_training(store, NOW)
        await app.push_screen(TrainingScreen(summary(store), store))
        await settled(app, pilot)
        await pilot.press(*keys)

    return act


async def trainings(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    if not summaries(store):
        enter_training(store, NOW)
    await pilot.press("T")
    await until(pilot, lambda: isinstance(app.screen, TrainingsScreen) and is_read(app.screen))


async def saved(data: bytes, tell: bool) -> None:
    """Discards the data: pictures save nothing."""


def pushed(make: Callable[[], object]) -> Act:
    """Show a dialog over the home screen."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        await app.push_screen(make())  # type: ignore[arg-type]

    return act


def parts_of(call: e.ToolCall) -> tuple[OpenPart, ...]:
    return open_parts(Policy(), call.name, call.arguments)


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
    "help-live": (None, live("question_mark")),
    "help-filter": (None, helped("sess")),
    "palette": (None, palette),
    "palette-found": (None, palette_found),
    "jump": ("20260101-120000-sampl", replayed("ctrl+o")),
    "go-to-step": ("20260101-120000-sampl", replayed("colon")),
    "filter-files": ("20260101-120000-sampl", replayed("3", "slash", *"sol")),
    "file-view": ("20260101-120000-sampl", replayed("3", "end", "o")),
    "choose-version": ("20260101-120000-sampl", replayed("3", "end", "D")),
    "allow-always": (None, pushed(lambda: ApproveAlwaysDialog(the_call(), parts_of(the_call())))),
    "copy-out": (None, pushed(lambda: CopyOutDialog("/testbed/output", Path("results")))),
    "put-in": (None, pushed(lambda: CopyInDialog("/testbed/input", "/home/somebody"))),
    "edit-file": (None, pushed(lambda: EditFileScreen("/testbed/solve.py", SOLVE.encode(), saved))),
    "live": (None, live()),
    "live-writing": (None, live(writing=True)),
    "live-command": (None, live("i", *"ls -l")),
    "fork": (None, fork),
    "compare": (None, compare),
    "home": (None, home),
    "home-find": (None, find_sessions),
    "home-folded": (None, folded),
    "export": (None, export),
    "home-tags": (None, pushed(lambda: PromptDialog("tags", "good paper"))),
    "note": ("20260101-120000-sampl", note),
    "new-run": (None, new_run),
    "settings": (None, settings),
    "first-run": (None, first_run),
    "choose-model": (None, choose_model),
    "wall": (None, wall),
    "wall-ended": (None, ended_wall),
    "eval": (None, evaluated()),
    "eval-over": (None, evaluated("f", "tab", share=1)),
    "eval-charts": (None, evaluated("c")),
    "evals": (None, evals),
    "evals-delete": (None, evals_delete),
    "training": (None, trained("down", "right")),
    "training-charts": (None, trained("c")),
    "trainings": (None, trainings),
    "failure": (
        None,
        pushed(lambda: ErrorDialog("There is no sandbox to run in: start an engine.")),
    ),
    "confirm": (None, pushed(lambda: ConfirmDialog("Delete “a task”? This cannot be undone."))),
    "leave": (None, pushed(lambda: LeaveDialog([RunState()]))),
    "image": (None, pushed(lambda: MissingImageDialog("somebody/image:1"))),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
async def test_it_looks_as_it_did(
    name: str, size: tuple[int, int], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")  # screens that show the working directory look the same anywhere
    begin, act = SCREENS[name]
    async with shown(store, size, begin) as (app, pilot):
        await act(app, pilot, store)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        for area in app.screen.query(TextArea):
            area.cursor_blink = False
        app.theme = THEMES[-1]
        await settled(app, pilot)
        for theme in THEMES:
            app.theme = theme
            await settled(app, pilot)
            check(app, name, theme)
