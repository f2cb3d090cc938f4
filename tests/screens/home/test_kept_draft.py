"""The draft of the form for a new run: kept for the next start of the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, TextArea

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.leave_run import DraftDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.run_starts import RunStarts
from sandbox_tui.tui.screens.new_run.kept_draft import FILE, KeptDraft
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from tests.waiting import until

GIVEN = {"model.name": "m", "model.base_url": "http://x/v1"}


def program(store: Store) -> SandboxTui:
    return SandboxTui(config.load(GIVEN), store)


def draft_file() -> Path:
    return config.data_dir() / FILE


async def open_form(pilot: Pilot[int]) -> NewRunDialog:
    await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen))
    await pilot.press("n")
    await until(pilot, lambda: isinstance(pilot.app.screen, NewRunDialog))
    await pilot.pause()
    assert isinstance(pilot.app.screen, NewRunDialog)
    return pilot.app.screen


async def test_a_draft_is_there_at_the_next_start_until_it_is_cleared(store: Store) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        await pilot.press(*"long task")
        form.query_one("#samples", Input).value = "3"
        form.query_one("#kind", Select).value = "docker"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert draft_file().stat().st_mode & 0o777 == 0o600

    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        task = form.query_one(TextArea)
        assert task.text == "long task"
        assert form.query_one("#samples", Input).value == "3"
        assert form.query_one("#kind", Select).value == "docker"
        assert str(task.border_subtitle).startswith("draft of ")
        assert str(task.border_subtitle).endswith(" restored · f8 clears it")
        await pilot.press("f8")
        await pilot.pause()
        assert task.text == ""
        assert form.query_one("#samples", Input).value == "1"
        assert form.query_one("#kind", Select).value == "auto"
        assert not form.unsaved
        assert "restored" not in str(task.border_subtitle)
        assert not draft_file().exists()
        await pilot.press("f8")
        await pilot.pause()
        assert task.text == "long task"
        assert form.query_one("#samples", Input).value == "3"
        assert form.query_one("#kind", Select).value == "docker"


async def test_a_draft_of_an_earlier_start_does_not_hold_up_quitting(store: Store) -> None:
    KeptDraft().write({"task": "long task"})
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("q")
        await until(pilot, lambda: app._exit)
    assert draft_file().exists()


async def test_a_draft_that_is_kept_does_not_hold_up_quitting(store: Store) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_form(pilot)
        await pilot.press(*"a task", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.run_action("quit")
        await until(pilot, lambda: app._exit)
    assert draft_file().exists()


async def test_a_draft_that_cannot_be_kept_is_asked_about(store: Store) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_form(pilot)
        await pilot.press(*"a task", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        draft_file().unlink()
        await app.run_action("quit")
        await until(pilot, lambda: isinstance(app.screen, DraftDialog))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_quitting_with_the_form_open_keeps_what_was_typed(store: Store) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_form(pilot)
        await pilot.press(*"a task", "ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, DraftDialog))
        await pilot.press("y")
        await until(pilot, lambda: app._exit)
    kept = KeptDraft().read()
    assert kept is not None
    assert kept.texts == {"task": "a task"}


async def test_a_started_task_is_no_draft_any_more(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunStarts, "begin", lambda *_: None)
    KeptDraft().write({"task": "a task"})
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_form(pilot)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert not draft_file().exists()


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_cleared_draft_does_not_come_back_after_a_start(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_restarted: bool
) -> None:
    monkeypatch.setattr(RunStarts, "begin", lambda *_: None)
    KeptDraft().write({"task": "my draft", "model": "a, b"})
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        await pilot.press("f8", *"short one", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert form.started_with == {"task": "short one"}
        assert not draft_file().exists()
        if not is_restarted:
            form = await open_form(pilot)
            assert not form.unsaved
    if is_restarted:
        app = program(store)
        async with app.run_test(size=(100, 30)) as pilot:
            form = await open_form(pilot)
            assert not form.unsaved


@pytest.mark.parametrize(
    "kept",
    [
        "nonsense",
        "[]",
        '{"saved_at": "x", "texts": {"task": "y"}}',
        '{"saved_at": 1, "texts": ["task"]}',
        '{"saved_at": 1e999, "texts": {"kind": "another", "unknown": "x", "mode": 7}}',
    ],
)
async def test_a_file_that_is_no_draft_is_passed_over(store: Store, kept: str) -> None:
    draft_file().parent.mkdir(parents=True, exist_ok=True)
    draft_file().write_text(kept)
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        assert form.query_one(TextArea).text == ""
        assert form.query_one("#kind", Select).value == "auto"


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@x/v1", "http://x/v1?api_key=secret", "http://x/v1#secret", "http://[secret"],
)
def test_a_server_that_may_contain_a_secret_is_not_kept(tmp_path: Path, url: str) -> None:
    file = tmp_path / "draft.json"
    KeptDraft(file).write({"task": "t", "url": url})
    assert "secret" not in file.read_text()
    assert json.loads(file.read_text())["texts"] == {"task": "t"}
    KeptDraft(file).write({"url": "http://x/v1"})
    assert "http://x/v1" in file.read_text()


@pytest.mark.parametrize("broken", ["missing folder", "read-only"])
def test_a_draft_that_cannot_be_written_is_no_error(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "nowhere" / "draft.json" if broken == "missing folder" else tmp_path
    KeptDraft(file).write({"task": "t"})
    assert KeptDraft(file).read() is None


async def test_a_blank_task_is_no_draft(store: Store) -> None:
    app = SandboxTui(config.load({"model.name": "m", "model.local_ports": []}), store)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
        await pilot.press("enter", "space", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert not draft_file().exists()
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


async def test_a_letter_opens_the_list_of_a_choice_and_enter_chooses(store: Store) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        mode = form.query_one("#mode", Select)
        mode.focus()
        await pilot.press("s")
        await until(pilot, lambda: mode.expanded)
        assert mode.value == "auto"
        await pilot.press("enter")
        await until(pilot, lambda: mode.value == "step")


@pytest.mark.parametrize("field", ["task", "samples"])
async def test_that_a_cleared_draft_comes_back_is_said_only_while_it_is_true(
    store: Store, field: str
) -> None:
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = await open_form(pilot)
        task = form.query_one("#task", TextArea)
        await pilot.press(*"old", "f8")
        assert str(task.border_subtitle).startswith("cleared · f8 brings it back")
        form.query_one(f"#{field}").focus()
        await pilot.press("7")
        await until(pilot, lambda: "cleared" not in str(task.border_subtitle))
        if field == "task":
            await pilot.press("backspace")
            await until(pilot, lambda: "cleared" in str(task.border_subtitle))
            await pilot.press("f8")
            assert task.text == "old"


@pytest.mark.parametrize("keys", [["clear", "clear"], ["cancel"], ["start", "clear", "clear"]])
async def test_keys_typed_ahead_do_not_lose_a_draft_that_is_not_in_the_fields_yet(
    store: Store, keys: list[str]
) -> None:
    draft = {"task": "draft text é", "samples": "7", "kind": "docker", "model": ""}
    KeptDraft().write(draft)
    app = program(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        form = NewRunDialog(app.settings)
        app.push_screen(form)
        for key in keys:  # as a key does, whose turn comes while the form opens
            getattr(form, f"action_{key}")()
        form.keep_draft()
        await until(pilot, lambda: form.is_filled)
        if keys == ["cancel"]:
            await until(pilot, lambda: app.screen is not form)
            await pilot.pause()
        else:
            await pilot.pause()
            assert form.unsaved == draft
    kept = KeptDraft().read()
    assert kept is not None
    assert kept.texts == draft
