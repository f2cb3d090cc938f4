"""A running program follows the config file and the theme files: it reads what changes, applies
what can be applied, and says when the rest takes effect."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import pytest
from textual.widgets import Input, Label

from sandbox_tui.core.config.settings import config_file
from sandbox_tui.core.config.toml_file import write
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.waiting import until


def theme_text(name: str | None, accent: str = "#00ff00") -> str:
    text = importlib.resources.files("sandbox_tui.themes").joinpath("lamplight.toml").read_text()
    line = f'name = "{name}"' if name else ""
    return text.replace('name = "lamplight"', line).replace("#e3a94b", accent)


def said(app: SandboxTui) -> str:
    return "\n".join(str(note.message) for note in app._notifications)


async def test_a_notice_names_a_misspelt_variable(
    app: SandboxTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_MAX_STPES", "7")
    async with app.run_test(size=(160, 45)):
        assert "$SANDBOX_TUI_LIMITS_MAX_STPES: no setting has this name" in said(app)
        assert "Did you mean SANDBOX_TUI_LIMITS_MAX_STEPS?" in said(app)


async def test_the_screen_follows_the_file_at_once(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        assert app.theme == "lamplight"
        write({"ui.theme": "daylight", "ui.animations": False, "model.name": "another"})
        await until(pilot, lambda: "config.toml was changed" in said(app))
        notice = said(app)  # it goes after a few seconds
        assert "model.name" in notice
        assert "new runs" in notice
        assert app.theme == "daylight"
        assert app.animation_level == "none"
        assert "another" in app.export_screenshot()


async def test_saving_another_setting_applies_what_the_file_says_about_the_theme(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        await pilot.press("comma")
        write({"ui.theme": "daylight"})
        app.screen.query_one("#limits-max-steps", Input).value = "9"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.settings.now.ui.theme == "daylight"
        assert app.theme == "daylight"


async def test_the_open_settings_follow_the_file_except_what_was_typed(app: SandboxTui) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        await pilot.press("comma")
        screen = app.screen
        assert isinstance(screen, SettingsScreen)
        screen.query_one("#limits-max-steps", Input).value = "9"
        write({"limits.max_steps": 70, "limits.time_limit": 60.0, "ui.theme": "contrast"})
        time_limit = screen.query_one("#limits-time-limit", Input)
        await until(pilot, lambda: time_limit.value == "1m")
        assert screen.query_one("#limits-max-steps", Input).value == "9"
        assert screen.query_one("#ui-theme", Choice).value == "contrast"
        about = screen.query_one("#about-limits-time-limit", Label)
        await until(pilot, lambda: str(about.content).startswith("config.toml:"))
        await pilot.press("escape")
        await pilot.pause()
        assert app.theme == "contrast"


async def test_a_previewed_theme_stays_while_the_file_changes(app: SandboxTui) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.focused, Choice))
        await pilot.press("right")
        await until(pilot, lambda: app.theme != "lamplight")
        previewed = app.theme
        write({"ui.theme": "contrast"})
        await until(pilot, lambda: app.settings.now.ui.theme == "contrast")
        assert app.theme == previewed
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: app.theme == "contrast")


async def test_new_keys_work_at_once(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        write({"keys.home.new": ["f9"]})
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: "f9 new run" in bar.render_line(0).text)
        await until(pilot, lambda: "keys apply now" in said(app) or "home.new" in said(app))
        await pilot.press("f9")
        await until(pilot, lambda: not isinstance(app.screen, HomeScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        write({"keys.home.new": None})
        await until(pilot, lambda: "n new run" in bar.render_line(0).text)


async def test_what_is_wrong_with_the_keys_is_said_once_and_until_it_is_mended(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        write({"keys.home.new": ["ctrl+i"]})
        await until(pilot, lambda: "[keys] home.new" in said(app))
        write({"keys.home.new": ["f9"]})
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: "f9 new run" in bar.render_line(0).text)
        assert "[keys] home.new" not in said(app)


async def test_what_needs_a_restart_is_said(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        write({"ui.terminal_engine": "native"})
        await until(pilot, lambda: "ui.terminal_engine" in said(app))
        assert "restart" in said(app)


async def test_the_program_is_silent_about_its_own_changes(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        app.settings.change({"limits.max_steps": 12})
        write({"limits.time_limit": 60.0})
        await until(pilot, lambda: "limits.time_limit" in said(app))
        assert "max_steps" not in said(app)


async def test_a_theme_file_that_is_new_is_listed_and_takes_the_name_of_its_file(
    app: SandboxTui, own_home: Path
) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        (own_home / "themes").mkdir()
        (own_home / "themes" / "mine.toml").write_text(theme_text(None))
        await pilot.press("comma")  # at once, before the files are looked at the next time
        assert "mine" in app.screen.query_one("#ui-theme", Choice)._values
        (own_home / "themes" / "later.toml").write_text(theme_text(None))
        choice = app.screen.query_one("#ui-theme", Choice)
        await until(pilot, lambda: "later" in choice._values)


async def test_a_theme_with_a_name_that_is_taken_is_refused_in_one_sentence(
    app: SandboxTui, own_home: Path
) -> None:
    (own_home / "themes").mkdir()
    async with app.run_test(size=(110, 45)) as pilot:
        (own_home / "themes" / "mine.toml").write_text(theme_text("daylight"))
        await until(pilot, lambda: "mine.toml" in said(app))
        assert "line 2: there is a built-in theme 'daylight'" in said(app)


async def test_a_broken_theme_that_is_chosen_is_named_with_its_line(
    app: SandboxTui, own_home: Path
) -> None:
    (own_home / "themes").mkdir()
    (own_home / "themes" / "mine.toml").write_text(theme_text(None, "brown"))
    async with app.run_test(size=(110, 45)) as pilot:
        write({"ui.theme": "mine"})
        await until(pilot, lambda: "lamplight is used" in said(app))
        assert "There is no theme" not in said(app)
        assert "primary = 'brown'" in said(app)
        (own_home / "themes" / "mine.toml").write_text(theme_text(None))
        await until(pilot, lambda: app.theme == "mine")
        await until(pilot, lambda: "primary = 'brown'" not in said(app))


async def test_a_mistake_is_no_longer_reported_once_it_is_mended(
    app: SandboxTui, own_home: Path
) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        file = own_home / "config.toml"
        before = file.read_text()
        file.write_text(before + "\n[ui\n")
        await until(pilot, lambda: "not valid TOML" in said(app))
        file.write_text(before)
        await until(pilot, lambda: "config.toml is valid again." in said(app))
        assert "not valid TOML" not in said(app)


async def test_an_unknown_theme_is_named_with_the_line_that_chooses_it(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        write({"ui.theme": "nosuch"})
        await until(pilot, lambda: "lamplight is used" in said(app))
        lines = config_file().read_text().split("\n")
        line = 1 + next(at for at, text in enumerate(lines) if text.startswith("theme"))
        notice = "ui.theme: There is no theme named 'nosuch'; lamplight is used."
        assert f"line {line}: {notice}" in said(app)


async def test_what_was_refused_is_not_said_to_apply(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        write({"ui.theme": "nosuch", "ui.animations": False})
        await until(pilot, lambda: "config.toml was changed: ui.animations applies" in said(app))
        assert "no theme named 'nosuch'" in said(app)
        assert "ui.theme applies" not in said(app)
        write({"keys.home.new": ["ctrl+i"]})
        await until(pilot, lambda: "[keys] home.new" in said(app))
        assert "keys apply" not in said(app)
        write({"keys.home.find": ["f9"]})
        await until(pilot, lambda: "keys apply now" in said(app))


async def test_an_unknown_theme_leaves_the_one_in_use_until_it_is_corrected(
    app: SandboxTui,
) -> None:
    write({"ui.theme": "daylight"})
    async with app.run_test(size=(110, 45)) as pilot:
        await until(pilot, lambda: app.theme == "daylight")
        write({"ui.theme": "lamplit"})
        await until(
            pilot, lambda: "There is no theme named 'lamplit'; daylight is used." in said(app)
        )
        assert app.theme == "daylight"
        write({"ui.theme": "contrast"})
        await until(pilot, lambda: app.theme == "contrast")
        assert "lamplit" not in said(app)


async def test_all_mistakes_in_the_file_are_counted(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        config_file().write_text(
            '[ui]\ntheme = "nigth"\n[modle]\nname = "x"\n[limits]\nmax_stpes = 3\n'
            'time_limit = "soon"\n[[policy.rules]]\naction = "alow"\n'
            '[keys]\n"live.aprove" = "f7"\n"live.approve" = 5\n'
        )
        await until(pilot, lambda: "Settings (file" in said(app))
        assert "line 2: ui.theme: There is no theme named 'nigth'." in said(app)
        assert said(app).endswith("And 6 more: `sandbox-tui config` lists them.")
