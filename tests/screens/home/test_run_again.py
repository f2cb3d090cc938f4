"""Running a session's task again: the form is filled with what the session ran with."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.inherited_input import inherited_input
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.new_run.run_again import RunAgainDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.home.test_new_run import start_anyway
from tests.unit.event_streams import started as started_event
from tests.unit.sample_run import keep, sample
from tests.waiting import until


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """Collect the requests that would be started."""
    requests: list[RunRequest] = []

    def start(self: object, wanted: Sequence[RunRequest], *_: object) -> None:
        requests.extend(wanted)

    monkeypatch.setattr("sandbox_tui.tui.screens.new_run.run_again.RunAgain._start", start)
    return requests


def kept(store: Store, folder: Path, **changes: object) -> str:
    """Store a session with settings that differ from all defaults; return its id."""
    (first, *others), contents = sample()
    assert isinstance(first, e.RunStarted)
    settings = e.RunSettings(
        mode="ask",
        input=str(folder),
        output=str(folder / "results" / first.run_id),
        tty=True,
        policy={"default": "deny"},
        sandbox={"network": "none", "image": "mine", "snapshots": "every"},
        labels={"mine": "1", SAMPLES: "x", SAMPLE: "2"},
        environment={"A": "b"},
        seed=5,
        tools=("execute_bash", "submit"),
    )
    first = msgspec.structs.replace(
        first,
        task="fix it",
        model="m1",
        model_params={"base_url": "http://there/v1", "temperature": 0.5, "tool_calls": "native"},
        sandbox="bubblewrap",
        prompt_pack="software",
        limits=e.Limits(max_steps=7, token_limit=5000),
        settings=settings,
    )
    first = msgspec.structs.replace(first, **changes)
    return keep(store, [first, *others], contents)


@asynccontextmanager
async def form_of(
    store: Store, run_id: str, size: tuple[int, int] = (160, 45)
) -> AsyncGenerator[tuple[SandboxTui, Pilot[int], RunAgainDialog]]:
    app = SandboxTui(config.load({"model.name": "m", "model.base_url": "http://x/v1"}), store)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.session_here is not None)
        home.query_one(SessionList)._go_to_session(run_id)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunAgainDialog))
        form = app.screen
        assert isinstance(form, RunAgainDialog)
        await until(pilot, lambda: form.typed()["task"] != "")
        yield app, pilot, form


async def test_the_form_has_all_that_the_session_ran_with(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    run_id = kept(store, tmp_path)
    async with form_of(store, run_id) as (_, pilot, form):
        typed = form.typed()
        assert typed == {
            **{"task": "fix it", "model": "m1", "url": "http://there/v1", "input": str(tmp_path)},
            **{"steps": "7", "samples": "1", "kind": "bubblewrap", "mode": "ask", "seed": "5"},
            **{"calls": "native", "output": str(tmp_path / "results"), "prompts": "software"},
            **{"network": "none", "tty": "yes", "policy": "deny", "temperature": "0.5"},
            **{"tokens": "5000", "time": "", "cost": ""},
        }
        assert not form.unsaved, "nothing of it is a draft"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(started))
    (request,) = started
    assert (request.task, request.mode, request.input) == ("fix it", "ask", tmp_path)
    assert (request.output, request.pack, request.model) == (None, None, None)
    assert (request.seed, request.environment) == (5, {"A": "b"})
    assert request.tools == ("execute_bash", "submit")
    assert request.labels == {"mine": "1"}, "it is no sample of the group of that session"
    assert request.settings.sandbox.image == "mine"
    assert request.settings.sandbox.snapshots == "every"


def forked_from(store: Store, parent: str, run_id: str) -> str:
    """Store a fork, which has no input of its own; return its id."""
    first = msgspec.structs.replace(
        started_event(run_id, task="fix it"),
        parent=parent,
        parent_seq=1,
        model_params={"base_url": "http://there/v1"},
        settings=e.RunSettings(),
    )
    store.append(run_id, [first])
    return run_id


async def test_a_fork_has_the_input_of_the_nearest_ancestor_with_one(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    parent = kept(store, tmp_path)
    forked_from(store, forked_from(store, parent, "z-child"), "zz-grandchild")
    async with form_of(store, "zz-grandchild") as (_, pilot, form):
        assert form.typed()["input"] == str(tmp_path)
        assert not form.unsaved
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(started))
    assert started[0].input == tmp_path


async def test_an_imported_parent_names_no_input(store: Store, tmp_path: Path) -> None:
    parent = kept(store, tmp_path)
    store.mark_imported(parent)
    forked_from(store, parent, "z-child")
    assert inherited_input(store, store.run("z-child")) is None


def test_a_deleted_parent_and_a_cycle_end_the_search(store: Store) -> None:
    forked_from(store, "deleted", "one")
    assert inherited_input(store, store.run("one")) is None
    forked_from(store, "three", "two")
    forked_from(store, "two", "three")
    assert inherited_input(store, store.run("two")) is None


async def test_an_input_that_is_gone_is_reported_at_its_field(store: Store, tmp_path: Path) -> None:
    run_id = kept(store, tmp_path / "gone")
    async with form_of(store, run_id) as (_, pilot, form):
        field = form.query_one("#input", Input)
        await until(pilot, lambda: field.has_class("-wrong"))
        assert "no longer exists" in str(field.border_subtitle)


async def test_what_is_changed_is_started(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    run_id = kept(store, tmp_path)
    async with form_of(store, run_id) as (_, pilot, form):
        form.query_one("#task", TextArea).text = "fix that"
        for name, text in (("model", "m2, m3"), ("input", ""), ("steps", "9")):
            form.query_one(f"#{name}", Input).value = text
        await pilot.press("ctrl+s")
        await start_anyway(pilot, started)
    assert [(r.task, r.settings.model.name, r.input) for r in started] == [
        ("fix that", "m2", None),
        ("fix that", "m3", None),
    ]
    assert {r.settings.limits.max_steps for r in started} == {9}


async def test_the_draft_belongs_to_the_session(store: Store, tmp_path: Path) -> None:
    run_id = kept(store, tmp_path)
    async with form_of(store, run_id) as (app, pilot, form):
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert not shown_toasts(app), "nothing was typed"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunAgainDialog))
        app.screen.query_one("#steps", Input).value = "9"
        await pilot.press("escape")
        await until(pilot, lambda: bool(shown_toasts(app)))
        words = shown_toasts(app)[0].message
        assert words == "Draft saved: ctrl+r on this session opens it again."
        await pilot.press("n")
        await until(pilot, lambda: app.screen is not form and bool(app.screen.query("#steps")))
        assert app.screen.query_one("#steps", Input).value != "9", "the other form is another one"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunAgainDialog))
        assert app.screen.query_one("#steps", Input).value == "9"


async def test_recorded_prompts_are_sent_if_their_pack_is_gone(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    sent = {"prompt_pack": "gone", "system_prompt": "as {sent}"}
    run_id = kept(store, tmp_path, instance_prompt="Do: fix it {now}", **sent)
    async with form_of(store, run_id) as (_, pilot, form):
        form.query_one("#task", TextArea).text = "more"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(started))
    pack = started[0].pack
    assert pack is not None
    assert (pack.system(""), pack.instance("more")) == ("as {sent}", "Do: more {now}")


async def test_the_demo_is_run_again_without_a_server(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    run_id = kept(store, tmp_path, model=DemoModel.name, model_params={"speed": 2.0})
    async with form_of(store, run_id) as (_, pilot, form):
        assert form.typed()["url"] == ""
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(started))
    assert isinstance(started[0].model, DemoModel)


async def test_a_sample_of_an_evaluation_becomes_a_run_of_its_own(
    store: Store, tmp_path: Path, started: list[RunRequest]
) -> None:
    settings = e.RunSettings(labels={"eval": "x", "task": "y"}, tools=(), watch="at_end")
    run_id = kept(store, tmp_path, settings=settings, sandbox="none")
    app = SandboxTui(config.load({"model.name": "m", "model.base_url": "http://x/v1"}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(ReplayScreen(store.run(run_id), store, playing=False))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, RunAgainDialog))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(started))
    (request,) = started
    assert (request.labels, request.tools, request.watch) == ({}, (), "live")
    assert request.copy_results


async def test_its_fields_are_as_wide_as_those_of_a_new_run(store: Store, tmp_path: Path) -> None:
    run_id = kept(store, tmp_path)
    async with form_of(store, run_id) as (_, pilot, form):
        await pilot.resize_terminal(160, 45)
        mode, sandbox = form.query_one("#mode"), form.query_one("#kind")
        await until(pilot, lambda: mode.outer_size.width > sandbox.outer_size.width)


async def test_the_output_folder_is_written_as_in_the_settings(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_id = kept(store, tmp_path)
    async with form_of(store, run_id) as (_, _, form):
        assert form.typed()["output"] == "results"
    monkeypatch.chdir("/")
    async with form_of(store, run_id) as (_, _, form):
        assert form.typed()["output"] == str(tmp_path / "results")
