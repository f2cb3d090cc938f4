"""Without a configured model, the home screen offers the models available on this machine."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from textual.widgets import Input, Label

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.models.discovery import find_local_servers
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.run_starts import RunStarts
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.scripted_server import ScriptedServer, say
from tests.unit.sample_run import keep, sample
from tests.waiting import HANG_SECONDS, until

SECRET = "sk-proj-never-shown-anywhere"


@pytest.fixture
def server(
    scripted_server: Callable[..., ScriptedServer], monkeypatch: pytest.MonkeyPatch
) -> ScriptedServer:
    server = scripted_server(say("x"))
    server.models = ["qwen3-coder", "tiny"]
    port = server.url.split(":")[2].split("/")[0]
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", f"[{port}]")
    defaults = cast("dict[str, float]", find_local_servers.__kwdefaults__)
    monkeypatch.setitem(defaults, "wait", HANG_SECONDS)  # this machine may be busy
    return server


async def found(app: SandboxTui, pilot: Any) -> ModelOffers:
    """Return the offers once the ports have been checked."""
    offers = app.screen.query_one(ModelOffers)
    await until(pilot, lambda: offers._offers is not None)
    await pilot.pause()
    return offers


def shown(offers: ModelOffers) -> str:
    height = offers.scrollable_content_region.height
    return "\n".join(offers.render_line(y).text.rstrip() for y in range(height))


def written(home: Path) -> dict[str, Any]:
    return tomllib.loads((home / "config.toml").read_text())["model"]


async def test_the_home_screen_offers_models_and_a_click_takes_one(
    own_home: Path, store: Store, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    (own_home / "config.toml").write_text("# mine\n[ui]\ntheme = 'daylight'\n")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        offers = await found(app, pilot)
        text = shown(offers)
        assert "qwen3-coder" in text
        assert "OPENAI_API_KEY is set" in text
        assert SECRET not in app.export_screenshot()
        await pilot.click(offers, offset=(10, 2))
        await pilot.pause()
        assert written(own_home) == {"name": "tiny", "base_url": server.url}
        assert (own_home / "config.toml").read_text().startswith("# mine\n[ui]")
        assert SECRET not in (own_home / "config.toml").read_text()
        assert not offers.display
        await pilot.press("n")
        assert app.screen.query_one("#model", Input).value == "tiny"
        assert app.screen.query_one("#url", Input).value == server.url
    assert config.load().model.name == "tiny"


async def test_a_key_opens_the_list_and_enter_takes_one(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("m")
        assert isinstance(app.screen, ChooseModelDialog)
        await found(app, pilot)
        dialog = app.screen.query_one(".dialog")
        assert str(dialog.border_title) == "choose a model"
        await pilot.press("r")
        await until(pilot, lambda: " · refreshed at " in str(dialog.border_title))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert written(own_home)["name"] == "tiny"


async def test_a_model_chosen_in_the_new_run_form_is_for_that_run(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n")
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        await found(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
        assert app.screen.query_one("#model", Input).value == "qwen3-coder"
        assert app.screen.query_one("#url", Input).value == server.url
    assert not (own_home / "config.toml").exists()
    assert app.settings.now.model.name == ""


async def test_the_only_model_is_in_the_form_for_a_new_run(
    own_home: Path, store: Store, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[RunRequest] = []
    monkeypatch.setattr(RunStarts, "begin", lambda _, wanted, *__: requests.extend(wanted))
    server.models = ["tiny"]
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n", *"a task")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        model, url = form.query_one("#model", Input), form.query_one("#url", Input)
        await until(pilot, lambda: (model.value, url.value) == ("tiny", server.url))
        await until(pilot, lambda: model.border_subtitle == "the only one found")
        assert not form.unsaved.keys() - {"task"}
        model.value = "other"
        await until(pilot, lambda: model.border_subtitle == "1 found, f3 chooses")
        model.value = "tiny"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: requests)
    assert [(r.settings.model.name, r.settings.model.base_url) for r in requests] == [
        ("tiny", server.url)
    ]


async def test_a_model_that_the_server_does_not_list_is_remarked_on(
    own_home: Path, store: Store, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    app = SandboxTui(config.load({"model.name": "far", "model.base_url": "http://x/v1"}), store)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n")
        model, url = (app.screen.query_one(name, Input) for name in ("#model", "#url"))
        url.value, model.value = server.url, "tiny, nobody"
        model.focus()
        await pilot.press("tab")
        await until(
            pilot, lambda: model.border_subtitle == "nobody: the server lists no such model"
        )
        assert url.border_subtitle == ""
        model.value = "tiny"
        await until(pilot, lambda: model.border_subtitle == "")
        url.value = "http://127.0.0.1:1/v1"
        url.focus()
        await pilot.press("tab")
        await until(pilot, lambda: url.border_subtitle == "does not answer now")
    assert set(server.list_authorizations) == {"Bearer none"}, "the key is for another server"


async def test_a_typed_server_is_not_replaced_by_the_only_model(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    server.models = ["tiny"]
    app = SandboxTui(config.load({"model.base_url": "http://x/v1"}), store)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n")
        model = app.screen.query_one("#model", Input)
        await until(pilot, lambda: model.border_subtitle == "1 found, f3 chooses")
        assert model.value == ""


async def test_the_models_found_are_named_beside_the_mistake(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n", *"a task", "ctrl+s")
        words = "2 found, f3 chooses"
        label = app.screen.query_one("#hint", Label)
        await until(pilot, lambda: str(label.content) == f"Enter a model's name. · {words}")
        assert app.screen.query_one("#model", Input).has_class("-wrong")


async def test_no_models_found_is_reported_without_blocking(
    own_home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[1]")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(60, 20)) as pilot:
        offers = await found(app, pilot)
        assert "no model server answers" in shown(offers)
        assert "for one elsewhere, enter its URL in n (new run)" in shown(offers)
        assert "…" not in shown(offers)
        assert str(offers.border_subtitle) == "m look again"
        assert app.focused is app.screen.query_one("#sessions")


async def test_sessions_get_the_room_and_the_banner_says_how_to_choose(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    keep(store, *sample("zebra"), run_id="whole")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(60, 20)) as pilot:
        offers = await found(app, pilot)
        banner = app.screen.query_one(HomeBanner)
        await until(pilot, lambda: "m choose a model · 2 found" in str(banner.render()))
        assert not offers.display
        assert app.screen.query_one(SessionList).size.height >= 11
        await pilot.click(banner)
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        await pilot.press("escape")
        store.delete("whole")
        await pilot.press("f5")
        await until(pilot, lambda: offers.display)
        assert "choose a model" not in str(banner.render())


async def test_nothing_is_offered_to_a_user_with_a_model(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    app = SandboxTui(config.load({"model.name": "mine"}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert not app.screen.query_one(ModelOffers).display


async def test_a_config_that_cannot_be_written_is_reported(
    own_home: Path, store: Store, server: ScriptedServer
) -> None:
    app = SandboxTui(config.load(), store)
    (own_home / "config.toml").write_text("[broken\n")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("m")
        await found(app, pilot)
        await pilot.press("enter")
        await until(
            pilot, lambda: any("not valid TOML" in note.message for note in app._notifications)
        )
    assert (own_home / "config.toml").read_text() == "[broken\n"


@pytest.mark.parametrize(
    ("settings", "ready", "arrow"),
    [
        ({}, False, "config set model.name"),
        ({"NAME": "gpt-4o"}, False, "→ export OPENAI_API_KEY="),
        ({"NAME": "gpt-4o", "BASE_URL": "https://models.example.com/v1"}, True, ""),
    ],
)
def test_doctor_is_not_ready_for_a_run_without_a_model(
    settings: dict[str, str], ready: bool, arrow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"SANDBOX_TUI_MODEL_{name}", value)
    done = CliRunner().invoke(main, ["doctor"])
    last = done.stdout.splitlines()[-1]
    assert (last == "ready") == ready
    assert ("your own runs need a model" in last) == (not ready)
    assert arrow in done.stdout


def test_doctor_reports_the_same_servers(server: ScriptedServer) -> None:
    done = CliRunner().invoke(main, ["doctor"])
    assert f"a server at {server.url}: qwen3-coder, tiny" in done.stdout
    assert "sandbox-tui config set model.name qwen3-coder" in done.stdout


async def test_the_server_in_the_form_is_asked_first(
    own_home: Path, store: Store, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    app = SandboxTui(config.load(), store)
    with ScriptedServer([]) as elsewhere:
        elsewhere.models = ["far"]
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.press("n")
            app.screen.query_one("#url", Input).value = elsewhere.url
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
            offers = await found(app, pilot)
            lines = shown(offers).split("\n")
            assert "far" in lines[0]
            assert "qwen3-coder" in lines[1]
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
            assert app.screen.query_one("#model", Input).value == "far"
            assert app.screen.query_one("#url", Input).value == elsewhere.url
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
            assert "far" in shown(await found(app, pilot))
        assert set(elsewhere.list_authorizations) == {f"Bearer {SECRET}"}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1 cannot be reached"),
        ("models.invalid/v1", "https://models.invalid/v1 cannot be reached"),
        ("models", "server models: Begin with http:// or https://."),
        ("{silent}", "/v1 has no list of models (404)"),
    ],
)
async def test_a_server_in_the_form_that_lists_no_models_says_why(
    own_home: Path,
    store: Store,
    server: ScriptedServer,
    scripted_server: Callable[..., ScriptedServer],
    url: str,
    words: str,
) -> None:
    app, silent = SandboxTui(config.load(), store), scripted_server(say("x"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("n")
        app.screen.query_one("#url", Input).value = url.format(silent=silent.url)
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        offers = await found(app, pilot)
        await until(pilot, lambda: "qwen3-coder" in shown(offers))
        lines = shown(offers).split("\n")
        assert words in lines[0]
        assert "qwen3-coder" in lines[1]


async def test_the_server_of_the_environment_is_asked_too(
    own_home: Path, store: Store, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[9]")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        assert "qwen3-coder" in shown(await found(app, pilot))
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        assert "qwen3-coder" in shown(await found(app, pilot))


async def test_the_list_of_models_names_the_keys_that_lead_to_the_form(
    own_home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[9]")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ChooseModelDialog))
        words = "enter its URL in a new run (esc, then n)"
        assert words in shown(await found(app, pilot))
