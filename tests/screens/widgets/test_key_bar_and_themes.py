"""The key bar, and themes that change while they are shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.color import Color
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Select

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.keymap import read_keymap
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.waiting import until


class Keys(Screen[None]):
    BINDINGS = [  # noqa: RUF012
        Binding("a", "act('a')", "alpha"),
        Binding("b", "act('b')", "a rather long description"),
        Binding("c", "act('c')", "gamma"),
        Binding("question_mark", "help", "help", key_display="?"),
    ]
    done = ""

    def compose(self) -> ComposeResult:
        yield KeyBar()

    def action_act(self, what: str) -> None:
        self.done += what

    def action_help(self) -> None:
        self.done += "?"


class Bar(App[None]):
    def on_mount(self) -> None:
        self.push_screen(Keys())


def line(app: App[None]) -> str:
    return app.screen.query_one(KeyBar).render_line(0).text


class Menu(Keys):
    def compose(self) -> ComposeResult:
        yield Select([("one", 1), ("two", 2)], allow_blank=False)
        yield KeyBar()


async def test_an_open_menu_has_its_own_keys() -> None:
    app = Bar()
    async with app.run_test(size=(60, 12)) as pilot:
        await app.push_screen(Menu())
        await pilot.press("enter")
        await until(pilot, lambda: line(app).split() == ["enter", "choose", "esc", "close"])
        await pilot.press("down", "enter")
        await until(pilot, lambda: "a alpha" in line(app))
        select = app.screen.query_one(Select)
        assert select.value == 2
        await pilot.press("enter")
        await until(pilot, lambda: "enter choose" in line(app))
        await pilot.press("escape")
        await until(pilot, lambda: "a alpha" in line(app))


@pytest.mark.parametrize("width", [12, 20, 30, 44, 60, 100])
async def test_no_key_is_cut(width: int) -> None:
    app = Bar()
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        shown = line(app)
        assert len(shown) <= width
        words = ["a alpha", "b a rather long description", "c gamma"]
        whole = [text for text in words if text in shown]
        assert width != 44 or whole == ["a alpha", "c gamma"], "a short one uses the room"
        if width >= 30:
            assert "? help" in shown
            assert shown.rstrip().endswith("palette")
            left = shown.partition("? help")[0].strip()
            assert left == "  ".join(whole), "only whole ones"
        if width == 100:
            assert whole == words


class WithWayOut(Keys):
    BINDINGS = [  # noqa: RUF012
        *Keys.BINDINGS[:3],
        Binding("q", "leave", "back"),
        Binding("z", "act('z')", "zoom"),
    ]


@pytest.mark.parametrize("width", [34, 44, 60, 100])
async def test_the_way_out_is_the_last_to_be_left_out(width: int) -> None:
    class Out(App[None]):
        def on_mount(self) -> None:
            self.push_screen(WithWayOut())

    app = Out()
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        shown = line(app)
        assert len(shown) <= width
        assert "q back" in shown
        if width == 100:
            assert shown.index("gamma") < shown.index("q back") < shown.index("z zoom")


class Greedy(Widget, can_focus=True):
    """Consumes all keys until released."""

    attached = True

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self.attached

    def action_release(self) -> None:
        self.attached = False


async def test_while_a_shell_has_the_keyboard_the_bar_says_how_to_get_it_back() -> None:
    class WithShell(Keys):
        def compose(self) -> ComposeResult:
            yield Greedy()
            yield KeyBar()

    class Shells(App[None]):
        def on_mount(self) -> None:
            self.push_screen(WithShell())

    app = Shells()
    async with app.run_test(size=(60, 8)) as pilot:
        greedy = app.screen.query_one(Greedy)
        greedy.focus()
        await pilot.pause()
        assert line(app).strip() == "ctrl+] release the keyboard"
        await pilot.click(app.screen.query_one(KeyBar), offset=(3, 0))
        assert not greedy.attached
        assert "a alpha" in line(app)


async def test_a_click_is_the_key() -> None:
    app = Bar()
    async with app.run_test(size=(100, 5)) as pilot:
        await pilot.pause()
        bar = app.screen.query_one(KeyBar)
        for words in ("c gamma", "a alpha", "? help"):
            await pilot.click(bar, offset=(1 + line(app).index(words) + 2, 0))
        assert app.screen.done == "ca?"  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [100, 160])
async def test_the_order_does_not_depend_on_the_keymap(
    own_home: Path, tmp_path: Path, width: int
) -> None:
    shown: list[list[str]] = []
    for keys in ({}, {"find": "f8", "wall": "f9"}):
        app = SandboxTui(load({"model.local_ports": [1]}), Store(tmp_path / "s.db"))
        async with app.run_test(size=(width, 30)) as pilot:
            app.choose_keys(read_keymap(keys).keys)
            app.screen.refresh_bindings()
            await pilot.pause()
            bar = app.screen.query_one(KeyBar)
            shown.append([known.action for known in bar.keys_shown])
    most = min(map(len, shown)) - 3  # the new keys are a column longer
    assert "find" in shown[0]
    assert shown[0][:most] == shown[1][:most]


def theme(name: str, accent: str) -> str:
    import importlib.resources

    text = importlib.resources.files("sandbox_tui.themes").joinpath("lamplight.toml").read_text()
    return text.replace('"lamplight"', f'"{name}"').replace("#e3a94b", accent)


async def test_a_theme_is_shown_as_its_file_is(own_home: Path, tmp_path: Path) -> None:
    folder = own_home / "themes"
    folder.mkdir(parents=True)
    file = folder / "mine.toml"
    file.write_text(theme("mine", "#00ff00"))
    app = SandboxTui(load({"ui.theme": "mine"}), Store(tmp_path / "s.db"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.pause()
        assert app.theme == "mine"
        assert Color.parse(app.get_css_variables()["accent"]).rgb[1] > 200
        file.write_text(theme("mine", "#ff0000"))
        os.utime(file, ns=(1, 1))
        app._themes._reload()
        await pilot.pause()
        assert Color.parse(app.get_css_variables()["accent"]).rgb[0] > 200
        file.write_text(theme("mine", "#ff0000").replace("[roles]", "[rolls]"))
        app._themes._reload()
        await pilot.pause()
        toasts = " ".join(str(toast.message) for toast in app._notifications)
        assert "mine.toml" in toasts
        assert "line" in toasts
        assert app.theme in ("mine", "lamplight"), "and something is shown all the same"


async def test_a_theme_whose_file_is_removed_is_there_no_longer(
    own_home: Path, tmp_path: Path
) -> None:
    folder = own_home / "themes"
    folder.mkdir(parents=True)
    for name in ("mine", "other"):
        (folder / f"{name}.toml").write_text(theme(name, "#00ff00"))
    app = SandboxTui(load({"ui.theme": "mine"}), Store(tmp_path / "s.db"))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert {"mine", "other"} <= set(app.available_themes)
        (folder / "other.toml").unlink()
        app._themes._reload()
        assert "other" not in app.available_themes
        assert app.theme == "mine"
        (folder / "mine.toml").unlink()
        app._themes._reload()
        await pilot.pause()
        assert "mine" not in app.available_themes
        assert app.theme == "lamplight"
