"""What the fields of the form for new runs help with: paths, the server, a restored draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from textual.widgets import Input, Label

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.last_model import LastModel
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.form import FormDialog
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.home.run_starts import RunStarts
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers
from tests.scripted_server import ScriptedServer
from tests.waiting import until

ALL = "All settings are shown."


@pytest.fixture
def app(store: Store) -> SandboxTui:
    return SandboxTui(config.load({"model.name": "m", "model.base_url": "http://x/v1"}), store)


@pytest.mark.parametrize("name", ["input", "output"])
async def test_tab_completes_a_path(app: SandboxTui, tmp_path: Path, name: str) -> None:
    (tmp_path / "project").mkdir()
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        field = app.screen.query_one(f"#{name}", Input)
        field.value = ""
        field.focus()
        await pilot.press(*f"{tmp_path}/pro", "tab")
        await until(pilot, lambda: field.value == f"{tmp_path}/project/")
        assert app.screen.focused is field
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.focused is not field)
        assert field.value == f"{tmp_path}/project/"


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("256.1.1.1:99999/v1", "The port must be from 1 to 65535."),
        ("http://x:0/v1", "The port must be from 1 to 65535."),
        ("nothing", "Begin with http:// or https://."),
        ("ftp://x/v1", "Begin with http:// or https://."),
    ],
)
async def test_what_is_wrong_with_a_server_is_said_when_its_field_is_left(
    app: SandboxTui, server: str, words: str
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        field = app.screen.query_one("#url", Input)
        field.value = ""
        field.focus()
        await pilot.press(*server, "tab")
        await until(pilot, lambda: field.has_class("-wrong"))
        field.focus()
        hint = app.screen.query_one("#hint", Label)
        await until(pilot, lambda: str(hint.visual) == words)


async def test_a_draft_of_this_start_is_named_and_none_of_it_is_hidden(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        app.screen.query_one("#output", Input).value = "elsewhere"
        await pilot.press("escape")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, FormDialog))
        task = app.screen.query_one("#task")
        await until(pilot, lambda: task.border_subtitle == "draft restored · f8 clears it")
        assert app.screen.query_one("#output").display
        assert app.screen.has_class("-more")
        await pilot.press("f8")
        await until(pilot, lambda: "restored" not in str(task.border_subtitle))


async def test_a_doubt_about_the_model_is_said_below_and_when_it_becomes_the_default(
    app: SandboxTui, scripted_server: Callable[..., ScriptedServer]
) -> None:
    server = scripted_server()
    server.models = ["qwen3"]
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n")
        app.screen.query_one("#url", Input).value = server.url
        model = app.screen.query_one("#model", Input)
        model.value = "no-such-model"
        model.focus()
        await pilot.press("tab", "shift+tab")
        hint = app.screen.query_one("#hint", Label)
        await until(pilot, lambda: "lists no such model: no-such-model." in str(hint.visual))
        await pilot.press("f4")
        await until(pilot, lambda: bool(shown_toasts(app)))
        assert "lists no such model: no-such-model." in shown_toasts(app)[-1].message


async def test_models_of_the_settings_and_of_the_last_run_are_offered_beside_a_dead_server(
    store: Store, scripted_server: Callable[..., ScriptedServer]
) -> None:
    usual, last = scripted_server(), scripted_server()
    usual.models, last.models = ["usual"], ["last"]
    given = {"model.name": "usual", "model.base_url": usual.url, "model.local_ports": []}
    app = SandboxTui(config.load(given), store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = NewRunDialog(app.settings, last_model=LastModel("last", last.url))
        await app.push_screen(form)
        form.query_one("#url", Input).value = "http://127.0.0.1:9/v1"
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        offers = app.screen.query_one(ModelOffers)
        await until(pilot, lambda: not offers.is_looking)
        assert [offer.model for offer in offers._offers or ()] == ["", "usual", "last"]
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is form)
        assert (form.typed()["model"], form.typed()["url"]) == ("usual", usual.url)


async def test_only_model_and_server_of_the_last_run_are_offered(store: Store) -> None:
    """A run in bubblewrap may have been there only because Docker lacked its image."""
    app = SandboxTui(config.load({"model.local_ports": []}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        form = NewRunDialog(app.settings, last_model=LastModel("last", "http://y/v1"))
        await app.push_screen(form)
        await pilot.pause()
        typed = form.typed()
        assert (typed["model"], typed["url"], typed["kind"]) == ("last", "http://y/v1", "auto")


@pytest.mark.parametrize("width", [60, 100])
async def test_the_help_says_at_least_as_much_as_the_key_bar(app: SandboxTui, width: int) -> None:
    async with app.run_test(size=(width, 30)) as pilot:
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog) and app.screen.is_filled)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_mounted)
        assert isinstance(app.screen, HelpScreen)
        shown = {action.name: action.words for action in app.screen.actions_shown}
        assert shown["new_run.more"] == "Show more settings"
        assert shown["new_run.keep"] == "Save these settings as defaults for all new runs"
        assert shown["new_run.start"] == "Start the run"
        assert shown["new_run.leave"] == "Close the form and keep a draft"


@pytest.mark.parametrize("typed", [",scripted-b", "scripted-b,", " , scripted-b,, "])
async def test_a_stray_comma_is_no_part_of_a_model(
    app: SandboxTui, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[RunRequest] = []

    def begin(self: RunStarts, wanted: Sequence[RunRequest], *_: object) -> None:
        requests.extend(wanted)

    monkeypatch.setattr(RunStarts, "begin", begin)
    with ScriptedServer([]) as server:
        server.models = ["scripted-a", "scripted-b"]
        async with app.run_test(size=(160, 45)) as pilot:
            await pilot.press("n", "x")
            app.screen.query_one("#model", Input).value = typed
            app.screen.query_one("#url", Input).value = server.url
            await pilot.press("f4")
            await until(pilot, lambda: app.settings.now.model.name == "scripted-b")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: bool(requests))
    assert [one.settings.model.name for one in requests] == ["scripted-b"]


async def test_what_is_saved_is_named(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        app.screen.query_one("#steps", Input).value = "7"
        app.screen.query_one("#model", Input).value = "other"
        await pilot.press("f4")
        said = "New runs start with these settings from now on: model, max steps (saved in "
        await until(pilot, lambda: any(said in toast.message for toast in shown_toasts(app)))


async def test_the_notice_that_all_is_shown_goes_when_the_terminal_gets_smaller(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n", "f5")
        await until(pilot, lambda: [t.message for t in shown_toasts(app)] == [ALL])
        await pilot.resize_terminal(160, 40)
        await pilot.pause()
        assert [t.message for t in shown_toasts(app)] == [ALL], "it is still true"
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: not shown_toasts(app))


async def test_the_key_that_saves_stays_in_a_narrow_bar_with_all_settings_shown(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n", "f5")
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: "f5 less  f3 models  f4 save  " in bar.render_line(0).text)
