"""Key presses, and ending a run, while its sandbox starts: real store, real sandbox."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from textual.pilot import Pilot

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import PREFIX
from sandbox_tui.core.sandboxes.bubblewrap.sandbox import BubblewrapSandbox
from sandbox_tui.core.sandboxes.docker.container_owner import LABEL
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from sandbox_tui.sessions import Store, replay
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.key_sequencer import BURST_SECONDS
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests import scripted_server as s
from tests.faults.program import Program, against, stored
from tests.integration.conftest import require
from tests.integration.test_file_screens_live import until
from tests.integration.test_runs import KINDS, Start, settings
from tests.waiting import HANG_SECONDS

SLOW = """#!/bin/sh
# bubblewrap on a slow machine: a sandbox (not the check before it) takes until it is let go on
case "$*" in *dispatcher*)
    touch "$SLOW/begun"
    while [ ! -e "$SLOW/go" ]; do sleep 0.02; done
esac
exec {bwrap} "$@"
"""


def left(kind: str, session: str) -> list[str]:
    """What remains of a session's sandbox on this machine."""
    if kind == "bubblewrap":
        found = Path(tempfile.gettempdir()).glob(f"{PREFIX}*/owner.json")
        return [str(path) for path in found if session in path.read_text()]
    client = connect()
    try:
        labels = {"label": f"{LABEL}.session={session}"}
        return [str(one.name) for one in client.containers.list(all=True, filters=labels)]
    finally:
        client.close()


class Held:
    """A sandbox start held midway: `begun` is set when it gets there, `go` releases it."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Real sandboxes, held in the middle of their start."""
    held = Held()

    def hold(kind: type[Any], step: str) -> None:
        real = getattr(kind, step)

        async def slowly(self: object, *args: object) -> None:
            held.begun.set()
            await held.go.wait()
            await real(self, *args)

        monkeypatch.setattr(kind, step, slowly)

    hold(DockerSandbox, "_prepare")
    hold(BubblewrapSandbox, "_use")
    return held


@asynccontextmanager
async def starting(
    kind: str,
    server: s.ScriptedServer,
    tmp_path: Path,
    held: Held,
    mode: e.Mode | None = None,
) -> AsyncIterator[tuple[Pilot[Any], LiveScreen, Store]]:
    """A screen whose run's sandbox is starting."""
    wanted = RunRequest(
        task="t",
        settings=settings(kind, **{"model.name": "scripted", "model.base_url": server.url}),
        output=tmp_path / "results",
        mode=mode,
    )
    store = Store(tmp_path / "s.db")
    app = SandboxTui(wanted.settings, store, [wanted])
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        await asyncio.wait_for(held.begun.wait(), HANG_SECONDS)
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        assert screen.run is not None
        assert screen.run.phase is Phase.STARTING
        yield pilot, screen, store
    store.close()


def toast_texts(screen: LiveScreen) -> str:
    """The toasts on the screen."""
    return " ".join(note.message for note in screen.app._notifications)


@KINDS
async def test_keys_pressed_during_the_start_take_effect_from_the_first_step(
    kind: str, scripted_server: Start, tmp_path: Path, held: Held
) -> None:
    require(kind)
    server = scripted_server(s.call("execute_bash", command="echo $EARLY"), s.call("submit"))
    async with starting(kind, server, tmp_path, held) as (pilot, screen, store):
        await pilot.press("space")
        await until(pilot, lambda: "applies from its first step" in toast_texts(screen))
        await pilot.press("m", *"be quick", "enter", "escape")
        await pilot.press("i", *"export EARLY=bird", "enter", "escape")
        await pilot.press("Z", "t")
        await until(
            pilot, lambda: "still starting" in toast_texts(screen)
        )  # this needs the sandbox
        held.go.set()
        await until(pilot, lambda: screen.state.mode == "paused")
        assert isinstance(screen.app.screen, LiveScreen)
        await until(pilot, lambda: any(h.finished for h in screen.state.humans.values()))
        assert server.requests == []
        await until(pilot, lambda: monotonic() - screen.app._last_key_at > BURST_SECONDS)
        await pilot.press("space")  # no longer taken for what was typed after `t`
        await until(pilot, screen.worker.ended.is_set)
        session = screen.worker.run_id
        events = list(replay(store, session))
    assert isinstance(events[0], e.RunStarted)
    assert isinstance(events[-1], e.RunFinished)
    assert events[-1].reason == "submitted"
    assert "be quick" in str(server.requests[0]["messages"][-1])
    assert "bird" in fold(events).calls[1].finished.observation  # type: ignore[union-attr]
    assert left(kind, session) == []


@pytest.mark.parametrize("mode", ["ask", "step"])
async def test_the_mode_is_shown_from_the_first_frame(
    mode: e.Mode, scripted_server: Start, tmp_path: Path, held: Held
) -> None:
    require("bubblewrap")
    server = scripted_server(s.call("submit"))
    async with starting("bubblewrap", server, tmp_path, held, mode) as (pilot, screen, _):
        status = screen.query_one(StatusBar)
        assert f"mode {mode}" in status.render_line(0).text
        await pilot.press("space")
        await until(pilot, lambda: "mode paused" in status.render_line(0).text)
        await pilot.press("space")
        await until(pilot, lambda: f"mode {mode}" in status.render_line(0).text)
        screen.run.cancel("enough")  # type: ignore[union-attr]
        held.go.set()
        await until(pilot, screen.worker.ended.is_set)


@KINDS
@pytest.mark.parametrize("way", ["x", "quit"])
async def test_ended_from_the_screen_while_it_starts(
    way: str, kind: str, scripted_server: Start, tmp_path: Path, held: Held
) -> None:
    require(kind)
    server = scripted_server(s.call("submit"))
    async with starting(kind, server, tmp_path, held) as (pilot, screen, store):
        session = screen.worker.run_id
        if way == "x":
            await pilot.press("x")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
            await pilot.press("y")
            await until(pilot, lambda: screen.run and screen.run.phase is Phase.FINISHING)
            await pilot.press("space", "Z", "s")
        else:
            stopping = asyncio.create_task(screen.worker.stop("The program was ended."))
            await asyncio.sleep(0)
        held.go.set()
        await until(pilot, screen.worker.ended.is_set)
        if way == "quit":
            await stopping
        assert screen.worker.failure is None
        assert screen.worker.exit_code == 130
        events = list(replay(store, session))
    assert isinstance(events[0], e.RunStarted)
    assert isinstance(events[-1], e.RunFinished)
    assert events[-1].reason == "cancelled"
    assert sum(isinstance(event, e.RunFinished) for event in events) == 1
    assert server.requests == []
    assert left(kind, session) == []


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder: `begun` appears when the sandbox starts; the start completes once `go` exists."""
    require("bubblewrap")
    folder, bwrap = tmp_path / "slow", shutil.which("bwrap")
    folder.mkdir()
    (folder / "bwrap").write_text(SLOW.format(bwrap=bwrap))
    (folder / "bwrap").chmod(0o755)
    monkeypatch.setenv("SLOW", str(folder))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin", prepend=":")
    return folder


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_ctrl_c_without_a_screen_while_it_starts(
    number: signal.Signals, code: int, own_home: Path, scripted_server: Start, slow: Path
) -> None:
    server = scripted_server(s.call("submit"))

    def ended() -> list[e.AnyEvent]:
        with Program(*against(server.url), home=own_home) as program:
            wait_until((slow / "begun").exists)
            program.send(number)
            program.send(number)
            (slow / "go").touch()
            assert program.end() == code, program.stderr
            return program.events

    events = await asyncio.to_thread(ended)
    assert stored(own_home) == events
    assert isinstance(events[0], e.RunStarted)
    assert isinstance(events[-1], e.RunFinished)
    assert events[-1].reason == "cancelled"
    assert server.requests == []
    assert left("bubblewrap", events[0].run_id) == []


def wait_until(true: Callable[[], bool]) -> None:
    until = monotonic() + HANG_SECONDS
    while not true():
        assert monotonic() < until
        sleep(0.01)


async def test_a_run_without_its_image_says_once_why_it_is_in_bubblewrap(
    tmp_path: Path, scripted_server: Start
) -> None:
    require("docker")
    require("bubblewrap")
    server = scripted_server(*[s.call("submit")] * 2)
    usual = settings(
        "auto", **{"sandbox.image": "none/such:1", "model.name": "m", "model.base_url": server.url}
    )
    store = Store(tmp_path / "s.db")
    app = SandboxTui(usual, store)
    async with app.run_test(size=(160, 40)) as pilot:
        for _ in range(2):
            worker = app.runs.begin(RunRequest(task="x", settings=usual, mode="auto"))
            await until(pilot, lambda worker=worker: worker.state.finished)
            assert worker.state.started is not None
            assert worker.state.started.sandbox == "bubblewrap"
            await until(pilot, lambda: bubblewrap_toasts(app))
        (told,) = bubblewrap_toasts(app)
        assert "This run uses bubblewrap: the Docker engine has no image 'none/such:1'" in told
        assert "docker pull none/such:1" in told
    store.close()


def bubblewrap_toasts(app: SandboxTui) -> list[str]:
    return [toast.message for toast in shown_toasts(app) if "bubblewrap" in toast.message]
