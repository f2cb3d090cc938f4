"""The settings screen shows the settings, writes the changed ones and leaves the rest alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from textual.content import Content
from textual.widgets import Input, Label, Static

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.toml_file import write
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.setting_text import shortened
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.setting_rows import ROWS, id_of
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.search_line import SearchLine
from tests.screens.test_live_config import theme_text
from tests.waiting import until


async def test_a_theme_is_previewed_before_it_is_saved(app: SandboxTui, own_home: Path) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("comma")
        assert isinstance(app.screen, SettingsScreen)
        before = app.theme
        await pilot.press("right")
        await pilot.pause()
        assert app.theme != before
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        assert str(app.screen.query_one(Static).render()) == "Leave without saving ui.theme?"
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert (app.theme, type(app.screen)) == (before, HomeScreen)
        assert "theme" not in (own_home / "config.toml").read_text()


async def test_changes_are_saved_and_take_effect_at_once(app: SandboxTui, own_home: Path) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("comma", "left", "down", "space")
        app.screen.query_one("#limits-time-limit", Input).value = "2.5"
        app.screen.query_one("#limits-max-steps", Input).value = "9"
        await pilot.click("#ui-notify")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        written = (own_home / "config.toml").read_text()
        assert written.startswith("# mine\n[limits]\nmax_steps = 9 # few\n")
        assert tomllib.loads(written) == {
            "limits": {"max_steps": 9, "time_limit": 2.5},
            "ui": {"theme": app.theme, "animations": False, "notify": "desktop"},
        }
        assert app.settings.now.limits.time_limit == 2.5
        assert app.animation_level == "none"
        await pilot.press("n")
        assert app.screen.query_one("#steps", Input).value == "9"
    assert config.load() == app.settings.now


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("many", "Must be a whole number."),
        ("0", "Must be more than 0."),
        ("-3", "Must be more than 0."),
        ("1.5", "Must be a whole number."),
    ],
)
@pytest.mark.parametrize("size", [(100, 45), (60, 20)])
async def test_every_invalid_value_is_shown_at_its_field(
    app: SandboxTui, own_home: Path, wrong: str, words: str, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("comma")
        screen = app.screen
        screen.query_one("#limits-cost-limit", Input).value = "free"
        screen.query_one("#limits-max-steps", Input).value = wrong
        await pilot.press("f2")
        await pilot.pause()
        assert app.focused is screen.query_one("#limits-max-steps")
        assert not list(app._notifications)
        about = screen.query_one("#about-limits-max-steps", Label)
        assert about.has_class("-wrong")
        assert about.display
        assert str(about.content) == (words if size[0] == 100 else shortened(words))
        assert str(screen.query_one("#hint", Label).content) == words
        title = Content.from_markup(screen.query_one("#box").border_title).plain
        assert title == "settings · 2 fields need attention"
    assert (own_home / "config.toml").read_text() == "# mine\n[limits]\nmax_steps = 7 # few\n"


async def test_the_form_and_the_settings_say_the_same(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        said: list[str] = []
        for key, field in (("n", "#time"), ("comma", "#limits-time-limit")):
            await pilot.press(key)
            app.screen.query_one(field, Input).value = "soon"
            app.screen.query_one(field).focus()
            await pilot.pause()
            said.append(str(app.screen.query_one("#hint", Label).content))
            await pilot.press("escape")
            if key == "comma":
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                await pilot.press("y")
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert said == ["Must be a number of seconds, or such as 90s, 30m or 1h30m."] * 2


@pytest.mark.parametrize("size", [(60, 20), (100, 30)])
async def test_a_changed_setting_is_not_left_unsaved_without_a_question(
    app: SandboxTui, own_home: Path, size: tuple[int, int]
) -> None:
    before = (own_home / "config.toml").read_text()
    async with app.run_test(size=size) as pilot:
        theme = app.theme
        await pilot.press("comma", "right")
        settings = app.screen
        settings.query_one("#limits-max-steps", Input).value = "9"
        for key in ("escape", "n", "enter"):
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            question = str(app.screen.query_one(Static).render())
            assert question == "Leave without saving ui.theme, limits.max_steps?"
            await pilot.press(key)
            await until(pilot, lambda: app.screen is settings)
            assert settings.query_one("#limits-max-steps", Input).value == "9"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.theme == theme
    assert (own_home / "config.toml").read_text() == before


async def test_a_setting_is_reset_to_its_default(app: SandboxTui, own_home: Path) -> None:
    async with app.run_test(size=(100, 45)) as pilot:
        await pilot.press("comma")
        steps = app.screen.query_one("#limits-max-steps", Input)
        about = app.screen.query_one("#about-limits-max-steps", Label)
        assert str(about.content).startswith("config.toml:3 · ")
        steps.focus()
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert steps.value == "100"
        assert str(about.content).startswith("default · ")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert (own_home / "config.toml").read_text().startswith("# mine\n")
    assert "max_steps" not in (own_home / "config.toml").read_text()
    assert app.settings.now.limits.max_steps == 100


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_settings_that_are_set_have_a_mark(app: SandboxTui, size: tuple[int, int]) -> None:
    write({"sandbox.memory": "2g"})
    async with app.run_test(size=size) as pilot:
        await pilot.press("comma")

        def label(name: str) -> str:
            return str(app.screen.query_one(f"#label-{id_of(name)}", Label).render())

        assert label("sandbox.memory") == "• memory"
        assert label("sandbox.snapshots_bytes") == "  their size"
        assert app.screen.query_one("#sandbox-snapshots-bytes", Input).value == "4g"
        app.screen.query_one("#sandbox-snapshots-bytes", Input).value = "8g"
        await until(pilot, lambda: label("sandbox.snapshots_bytes") == "• their size")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert config.load().sandbox.snapshots_bytes == 8 << 30
    assert 'snapshots_bytes = "8g"' in config.config_file().read_text()


async def test_a_setting_of_this_run_says_so(own_home: Path, store: Store) -> None:
    app = SandboxTui(config.load({"sandbox.kind": "docker"}), store)
    async with app.run_test(size=(110, 45)) as pilot:
        await pilot.press("comma")
        await pilot.pause()
        about = app.screen.query_one("#about-sandbox-kind", Label)
        await until(pilot, lambda: str(about.content).startswith("command line"))
        facts = app.screen.query_one("#facts", Label)
        app.screen.query_one("#sandbox-kind").focus()
        await until(pilot, lambda: "the command line, for this start only" in str(facts.content))


async def test_an_emptied_setting_is_unset(app: SandboxTui, own_home: Path) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("comma")
        app.screen.query_one("#limits-max-steps", Input).value = ""
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.settings.now.limits.max_steps == 100
    assert (own_home / "config.toml").read_text().startswith("# mine\n")


async def test_a_setting_from_the_environment_says_so(
    app: SandboxTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_UI_NOTIFY", "off")
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("comma")
        await pilot.pause()
        assert "$SANDBOX_TUI_UI_NOTIFY" in app.export_screenshot().replace("&#160;", " ")


async def test_it_opens_once(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        app.action_settings()
        await pilot.pause()
        app.action_settings()
        await pilot.pause()
        assert [type(s) for s in app.screen_stack].count(SettingsScreen) == 1
        for rows in ROWS.values():
            for row in rows:
                assert app.screen.query_one("#" + row.name.replace(".", "-").replace("_", "-"))
        await pilot.press(*["down"] * 6)
        assert isinstance(app.focused, Input)
        await pilot.press("up")
        assert isinstance(app.focused, Choice)
        await pilot.press("pagedown", "pagedown")
        assert app.focused.id == "agent-mode"
        await pilot.press("pageup", "pageup")
        assert app.focused.id == "ui-notify"


async def test_a_theme_that_is_gone_stays_chosen_until_another_one_is(
    app: SandboxTui, own_home: Path
) -> None:
    app.settings.change({"ui.theme": "mine"})
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("comma")
        assert app.screen.query_one("#ui-theme", Choice).value == "mine"
        app.screen.query_one("#limits-max-steps", Input).value = "9"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert tomllib.loads((own_home / "config.toml").read_text()) == {
            "ui": {"theme": "mine"},
            "limits": {"max_steps": 9},
        }
        await pilot.press("comma", "right", "ctrl+s")
        await pilot.pause()
        assert app.settings.now.ui.theme == app.theme != "mine"


async def test_a_file_that_another_program_changes_is_read_again(
    app: SandboxTui, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_TIME_LIMIT", "60")
    async with app.run_test(size=(110, 45)) as pilot:
        write({"limits.max_steps": 50, "limits.time_limit": 7.0, "ui.animations": False})
        await pilot.press("n")
        assert app.screen.query_one("#steps", Input).value == "50"
        assert app.screen.query_one("#time", Input).value == "1m", "the environment comes first"
        assert app.animation_level == "none"
        await pilot.press("escape")
        write({"limits.max_steps": 51})
        await pilot.press("comma")
        await pilot.pause()
        steps = app.screen.query_one("#limits-max-steps", Input)
        about = app.screen.query_one("#about-limits-max-steps", Label)
        assert steps.value == "51"
        assert str(about.content).startswith("config.toml:3 · ")
        steps.focus()
        await pilot.press("ctrl+r", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert "max_steps" not in (own_home / "config.toml").read_text()


async def test_flags_stay_above_a_file_that_changes(own_home: Path, store: Store) -> None:
    app = SandboxTui(config.load({"limits.max_steps": 9, "model.local_ports": [1]}), store)
    async with app.run_test(size=(110, 45)) as pilot:
        write({"limits.max_steps": 50, "limits.time_limit": 7.0})
        await pilot.press("comma")
        await pilot.pause()
        assert app.screen.query_one("#limits-max-steps", Input).value == "9"
        assert app.screen.query_one("#limits-time-limit", Input).value == "7s"
        about = app.screen.query_one("#about-limits-max-steps", Label)
        assert str(about.content).startswith("command line · ")


async def test_a_file_with_a_mistake_changes_nothing(app: SandboxTui, own_home: Path) -> None:
    async with app.run_test(size=(110, 45)) as pilot:
        (own_home / "config.toml").write_text("[limits]\nmax_steps = 'many'\n")
        await pilot.press("comma")
        await pilot.pause()
        assert app.screen.query_one("#limits-max-steps", Input).value == "7"
        about = app.screen.query_one("#about-limits-max-steps", Label)
        assert str(about.content).startswith("config.toml · ")
        said = [note.message for note in app._notifications]
        assert len(said) == 1
        assert "limits.max_steps" in said[0]


async def test_a_value_saved_over_the_environment_stays_in_this_program(
    app: SandboxTui, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_LIMITS_TIME_LIMIT", "60")
    app.settings.change({"limits.time_limit": 70.0})
    write({"limits.max_steps": 50})
    assert app.settings.reread() == ""
    limits = app.settings.now.limits
    assert (limits.max_steps, limits.time_limit) == (50, 70.0)
    assert app.settings.sources["limits.time_limit"] == "config.toml"


async def test_a_narrow_terminal_shows_nothing_beside_the_settings(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("comma")
        await pilot.pause()
        box = app.screen.query_one("#box").region
        assert (box.x, box.width) == (0, 60)
        facts = app.screen.query_one("#facts")
        for name in ("ui.theme", "ui.images", "limits.max_steps", "model.base_url"):
            app.screen.go_to(name)
            await until(pilot, lambda name=name: app.focused and app.focused.id == id_of(name))
            drawn = " ".join(facts.render_line(y).text.strip() for y in range(facts.size.height))
            assert "a change applies" in drawn
            assert "…" not in drawn


@pytest.mark.parametrize("size", [(100, 45), (60, 20)])
async def test_a_setting_is_found(app: SandboxTui, size: tuple[int, int]) -> None:
    def visible() -> list[str]:
        rows = [row for rows in ROWS.values() for row in rows]
        return [r.name for r in rows if app.screen.query_one(f"#row-{r.id}").display]

    async with app.run_test(size=size) as pilot:
        await pilot.press("comma", "slash", *"network")
        await until(pilot, lambda: "found" in str(app.screen.query_one("#box").border_title))
        assert "sandbox.network" in visible()
        assert "ui.theme" not in visible()
        await pilot.press("enter")
        assert app.focused is not None
        assert app.focused.id == visible()[0].replace(".", "-").replace("_", "-")
        chosen = app.focused
        await pilot.press("escape")
        await until(pilot, lambda: "ui.theme" in visible())
        assert app.focused is chosen
        rows = app.screen.query_one("#rows")
        await until(pilot, lambda: rows.region.contains_region(chosen.region))  # scrolled to it
        assert isinstance(app.screen, SettingsScreen), "escape ends the search first"
        app.screen.go_to("model.base_url")
        await pilot.press("slash")
        assert app.screen.query_one("#model-base-url", Input).value.endswith("/"), "it is typed"
        await pilot.press("ctrl+f", *"nothing-like-it", "enter")
        await until(pilot, lambda: not visible())
        assert "0 found" in str(app.screen.query_one("#box").border_title)
        await pilot.press("escape")
        await until(pilot, lambda: "ui.theme" in visible())


@pytest.mark.parametrize(
    ("typed", "meant", "setting"),
    [
        ("dayligt", "daylight", "ui.theme"),
        ("modle", "model", "model.name"),
        ("max stpes", "max steps", "limits.max_steps"),
        ("bubblwrap", "bubblewrap", "sandbox.kind"),
    ],
)
async def test_a_typing_mistake_finds_the_closest_setting(
    app: SandboxTui, typed: str, meant: str, setting: str
) -> None:
    async with app.run_test(size=(100, 45)) as pilot:
        await pilot.press("comma", "slash")
        app.screen.query_one(SearchLine).value = typed
        box = app.screen.query_one("#box")
        await until(pilot, lambda: f"found for {meant}" in str(box.border_title))
        await pilot.press("enter")
        assert app.focused is not None
        assert app.focused.id == id_of(setting)


async def test_enter_goes_to_a_name_before_an_explanation(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 45)) as pilot:
        await pilot.press("comma", "ctrl+f", *"step")
        await until(pilot, lambda: "found" in str(app.screen.query_one("#box").border_title))
        assert app.screen.query_one("#row-agent-mode").display, "its explanation has the word, too"
        await pilot.press("enter")
        assert app.focused is not None
        assert app.focused.id == "limits-max-steps"


async def test_the_drawn_bar_names_the_way_out_of_the_search(app: SandboxTui) -> None:
    def ways_out() -> int:
        return app.export_screenshot().count("all&#160;settings")  # in the border and in the bar

    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("ctrl+f", *"time", "enter")
        await until(pilot, lambda: ways_out() == 2)
        await pilot.press(*"abc", "ctrl+s", "escape")
        await until(pilot, lambda: ways_out() == 0)


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
@pytest.mark.parametrize("name", ["limits.max_steps", "limits.max_attempts", "agent.mode"])
async def test_the_setting_chosen_in_the_palette_is_in_view(
    app: SandboxTui, size: tuple[int, int], name: str
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        await pilot.press(*name, "enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await until(pilot, lambda: is_in_view(app, name))


async def test_the_palette_opens_no_second_settings_screen(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("comma")
        settings = app.screen
        settings.query_one("#limits-max-steps", Input).value = "9"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        await pilot.press(*"grace", "enter")
        await until(pilot, lambda: app.screen is settings)
        await until(pilot, lambda: getattr(app.focused, "id", "") == "sandbox-grace")
        assert settings.query_one("#limits-max-steps", Input).value == "9"


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_each_setting_that_keys_go_to_is_in_view(
    app: SandboxTui, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("comma")
        for _ in ROWS:
            await pilot.press("pagedown")
            await until(pilot, lambda: is_in_view(app, (app.focused or app.screen).id or ""))
        await pilot.resize_terminal(size[0], 18)
        await until(pilot, lambda: is_in_view(app, (app.focused or app.screen).id or ""))


def is_in_view(app: SandboxTui, name: str) -> bool:
    """Return whether the field of a setting has the focus and lies in the visible part."""
    field, rows = app.screen.query_one(f"#{id_of(name)}"), app.screen.query_one("#rows")
    visible = app.screen.region.intersection(rows.content_region)
    return app.focused is field and visible.contains_region(field.region)


async def test_own_keys_are_shown_and_found(app: SandboxTui, own_home: Path) -> None:
    keys = '[keys]\n"live.approve" = "f7"\nfind = ["/", "ctrl+f"]\n'
    with (own_home / "config.toml").open("a") as file:
        file.write(keys)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: len(app.settings.now.keys) == 2)
        await pilot.press("comma")
        own = app.screen.query_one("#own-keys", Label)
        await until(pilot, lambda: "changed" in str(own.content))
        assert str(own.content) == "2 changed in config.toml · `sandbox-tui keys` lists them"
        await pilot.press("ctrl+f")
        line = app.screen.query_one(SearchLine)
        line.value = "live.approve"
        await until(
            pilot, lambda: "settings · 1 found" in str(app.screen.query_one("#box").border_title)
        )
        assert own.parent is not None
        assert own.parent.display
        hint = str(app.screen.query_one("#hint", Label).content)
        assert "[keys]" in hint
        assert "sandbox-tui config set keys." in hint
        await pilot.press("enter")
        assert isinstance(app.screen, SettingsScreen)
        line.value = "temperature"
        await until(pilot, lambda: not own.parent.display)
        line.value = "shortcuts"
        await until(pilot, lambda: own.parent.display)


@pytest.mark.parametrize(
    ("theme", "why"),
    [("broken", "Not in use: line 6: primary = 'brown' is not a colour"), ("gone", "no theme")],
)
async def test_a_theme_that_is_not_in_use_says_why(
    own_home: Path, store: Store, theme: str, why: str
) -> None:
    (own_home / "themes").mkdir(parents=True)
    (own_home / "themes" / "broken.toml").write_text(theme_text(None, "brown"))
    (own_home / "themes" / "other.toml").write_text(theme_text(None, "brown"))
    write({"ui.theme": theme})
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(160, 45)) as pilot:
        said = "\n".join(str(note.message) for note in app._notifications)
        assert f"{theme}" in said
        assert "other.toml" not in said
        await pilot.press("comma")
        about = app.screen.query_one("#about-ui-theme", Label)
        await until(pilot, lambda: why in str(about.content))
        assert why in str(app.screen.query_one("#hint", Label).content)
        app.screen.query_one("#limits-max-steps", Input).value = "9"
        app.screen.query_one("#ui-theme", Choice).value = "daylight"
        hint = app.screen.query_one("#hint", Label)
        await until(pilot, lambda: "broken.toml, other.toml" in str(hint.content))
        assert "previewed" in str(hint.content)
        app.screen.query_one("#ui-theme", Choice).value = theme
        await pilot.press("ctrl+s")  # which is no mistake of this screen
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert "max_steps = 9" in (own_home / "config.toml").read_text()


async def test_a_theme_that_is_chosen_while_its_file_is_fixed_is_in_use(
    own_home: Path, store: Store
) -> None:
    (own_home / "themes").mkdir(parents=True)
    (own_home / "themes" / "mine.toml").write_text(theme_text(None, "brown"))
    write({"ui.theme": "mine"})
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("comma")
        about = app.screen.query_one("#about-ui-theme", Label)
        await until(pilot, lambda: "Not in use" in str(about.content))
        (own_home / "themes" / "mine.toml").write_text(theme_text(None))
        await until(pilot, lambda: "Not in use" not in str(about.content))
        assert app.theme == "mine"
