"""The form for a new run: what it starts, what it refuses, what it keeps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.content import Content
from textual.events import Paste
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.last_model import LastModel
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.setting_text import HINTS, text_of_setting
from sandbox_tui.tui.format.wrap_cells import wrap_cells
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.start_anyway import StartAnywayDialog
from sandbox_tui.tui.screens.new_run.kept_draft import KeptDraft
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.new_run.run_fields import ONE_SERVER, SETTINGS
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.model_offers import Offer
from tests.scripted_server import ScriptedServer
from tests.unit.sample_run import keep, sample
from tests.waiting import until

Started = list[RunRequest]


@pytest.fixture
def app(store: Store) -> SandboxTui:
    return SandboxTui(config.load({"model.name": "m", "model.base_url": "http://x/v1"}), store)


async def fill_field(pilot: Pilot[int], name: str, text: str) -> None:
    pilot.app.screen.query_one(f"#{name}", Input).value = text
    await pilot.pause()


@pytest.mark.parametrize("how", ["ctrl+s", "f2", "button"])
async def test_the_form_starts_a_run(app: SandboxTui, started: Started, how: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"fix it")
        if how == "button":
            await pilot.click("#start")
        else:
            await pilot.press(how)
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert [(r.task, r.mode, r.settings.sandbox.kind) for r in started] == [
        ("fix it", "auto", "auto")
    ]


@pytest.mark.parametrize("kind", ["auto", "docker", "bubblewrap"])
@pytest.mark.parametrize("mode", ["auto", "ask", "step"])
async def test_every_choice_is_taken(
    app: SandboxTui,
    started: Started,
    kind: str,
    mode: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n", *"one", "enter", *"---", "enter", *"two")
        for name, text in (("model", "other"), ("url", ""), ("input", str(tmp_path))):
            await fill_field(pilot, name, text)
        for name, text in (("steps", "7"), ("samples", "2")):
            await fill_field(pilot, name, text)
        for name, value in (("kind", kind), ("mode", mode)):
            await choose(pilot, name, value)
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert [r.task for r in started] == ["one", "one", "two", "two"]
    for request in started:
        settings = request.settings
        assert (request.mode, settings.sandbox.kind) == (mode, kind)
        assert (settings.model.name, settings.model.base_url) == ("other", "")
        assert (request.input, settings.limits.max_steps) == (tmp_path, 7)


async def choose(pilot: Pilot[int], name: str, value: str) -> None:
    """Choose a value by keyboard: open the drop-down, move to the value, select it."""
    select: Any = pilot.app.screen.query_one(f"#{name}", Select)
    select.focus()
    await pilot.press("enter")
    values = [each for _, each in select._options]
    await pilot.press("home", *["down"] * values.index(value), "enter")
    await pilot.pause()


async def test_escape_closes_the_open_drop_down_alone(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"my task")
        form = app.screen
        select: Any = form.query_one("#kind", Select)
        select.focus()
        await pilot.press("enter")
        await pilot.pause()
        assert select.expanded
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is form
        assert not select.expanded
        assert form.query_one(TextArea).text == "my task"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_a_draft_is_kept_until_it_is_started(app: SandboxTui, started: Started) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"long task")
        await fill_field(pilot, "samples", "3")
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("n")
        assert app.screen.query_one(TextArea).text == "long task"
        assert app.screen.query_one("#samples", Input).value == "3"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert [r.task for r in started] == ["long task"] * 3
        await pilot.press("n")
        assert app.screen.query_one(TextArea).text == ""
        assert app.screen.query_one("#samples", Input).value == "1"


async def test_a_reopened_draft_marks_its_wrong_values_at_once(store: Store) -> None:
    app = SandboxTui(config.load({"model.base_url": "http://x/v1"}), store)
    wrong = {"url": "5", "input": "2", "steps": "-3", "samples": "abc"}
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        for name, text in wrong.items():
            await fill_field(pilot, name, text)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert title_of(app) == "new run · 5 fields need attention"
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("n")
        await pilot.pause()
        assert title_of(app) == "new run · 4 fields need attention", "the model is only missing"
        marked = {name for name in wrong if app.screen.query_one(f"#{name}").has_class("-wrong")}
        assert marked == set(wrong)
        assert app.focused is app.screen.query_one("#task")
        await pilot.press("f8")
        await pilot.pause()
        assert title_of(app) == "new run"
        await pilot.press("f8")
        await pilot.pause()
        assert title_of(app) == "new run · 4 fields need attention"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert title_of(app) == "new run · 5 fields need attention"
        await fill_field(pilot, "steps", "3")
        assert title_of(app) == "new run · 4 fields need attention"


def title_of(app: SandboxTui) -> str:
    return Content.from_markup(app.screen.query_one("#box").border_title).plain


@pytest.mark.parametrize("keys", [("q", "q"), ("ctrl+q", "ctrl+q"), ("q", "ctrl+q")])
async def test_a_draft_that_is_kept_nowhere_holds_up_quitting_only_once(
    app: SandboxTui, started: Started, keys: tuple[str, str]
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        KeptDraft().write({"task": "of another program"})
        await pilot.press(keys[0])
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        assert not app._exit
        await pilot.press(keys[1])
        await until(pilot, lambda: app._exit)


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("task", " ", "Enter a task."),
        ("model", " ", "Enter a model's name."),
        ("url", "", "Enter a URL, or set OPENAI_API_KEY."),
        ("url", "models", "Begin with http:// or https://."),
        ("seed", "-", "a whole number"),
        ("input", "/not/there", "This path does not exist."),
        ("input", f"/tmp/{'x' * 300}", "This path does not exist."),
        ("input", "~nobody-of-that-name/x", "This path does not exist."),
        ("steps", "0", "more than 0"),
        ("steps", "", "more than 0"),
        ("samples", "1000", "whole, 1 to 256"),
    ],
)
async def test_an_error_is_shown_at_its_field(
    app: SandboxTui, started: Started, field: str, text: str, words: str
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        form = app.screen
        form.query_one(TextArea).text = "a task"
        place: Any = form.query_one(f"#{field}")
        if field == "task":
            place.text = text
        else:
            place.value = text
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.screen is form
        assert place.has_class("-wrong")
        assert place.border_subtitle == words
        assert app.focused is place
        assert not list(app._notifications)
        await pilot.press("9")
        await pilot.pause()
        assert not place.has_class("-wrong")
    assert not started


async def test_the_key_for_more_settings_is_in_the_bar_only_while_some_are_hidden(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: "f5 more settings" in bar.render_line(0).text)
        await pilot.resize_terminal(160, 45)
        await until(pilot, lambda: app.screen.has_class("-tallest"))
        await until(pilot, lambda: "f5" not in bar.render_line(0).text)
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: "f5 more settings" in bar.render_line(0).text)


@pytest.mark.parametrize("size", [(100, 30), (60, 20)])
async def test_the_first_of_the_further_settings_gets_the_focus_and_is_in_view(
    app: SandboxTui, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("n", "f5")
        form = app.screen
        await until(pilot, lambda: form.focused is form.query_one("#output"))
        fields = form.query_one("#fields").region
        await until(pilot, lambda: fields.contains_region(form.query_one("#output").region))
        await pilot.press("x")
        assert form.query_one("#output", Input).value.endswith("x")


async def test_the_bar_names_enter_for_a_list(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        bar = app.screen.query_one(KeyBar)
        app.screen.query_one("#mode").focus()
        await until(pilot, lambda: bar.keys_shown[0][:2] == ("enter", "open"))
        app.screen.query_one("#steps").focus()
        await until(pilot, lambda: bar.keys_shown[0].words == "start")


async def test_the_seed_is_that_of_the_first_sample(app: SandboxTui, started: Started) -> None:
    async with app.run_test(size=(100, 45)) as pilot:
        await pilot.press("n", "x")
        await fill_field(pilot, "seed", "7")
        await fill_field(pilot, "samples", "2")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: started)
    assert [request.seed for request in started] == [7, 8]


@pytest.mark.parametrize("how", ["tab", "f3", "ctrl+s"])
async def test_a_server_needs_no_scheme(app: SandboxTui, started: Started, how: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        form = app.screen
        server = form.query_one("#url", Input)
        server.focus()
        await fill_field(pilot, "url", "127.0.0.1:18744/v1")
        await pilot.press(how)
        await until(pilot, lambda: server.value == "http://127.0.0.1:18744/v1")
        if how == "tab":
            await until(pilot, lambda: "http:// added" in str(server.border_subtitle))
            server.focus()
            await fill_field(pilot, "url", "models.invalid/v1")
            await pilot.press("tab")
            await until(pilot, lambda: server.value == "https://models.invalid/v1")
            await until(pilot, lambda: "https:// added" in str(server.border_subtitle))
        assert not server.has_class("-wrong")
        if how == "ctrl+s":
            await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
            await pilot.press("y")
            await until(pilot, lambda: started)
    assert [r.settings.model.base_url for r in started] == ["http://127.0.0.1:18744/v1"] * (
        how == "ctrl+s"
    )


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_all_errors_are_shown_at_once_and_counted(
    app: SandboxTui, started: Started, size: tuple[int, int]
) -> None:
    wrong = {"url": "localhost", "input": "/not/there", "samples": "0", "cost": "-1"}
    async with app.run_test(size=size) as pilot:
        await pilot.press("n")
        form = app.screen
        for name, text in wrong.items():
            await fill_field(pilot, name, text)
        await fill_field(pilot, "prompts", "nobody")
        await pilot.press("ctrl+s")
        await pilot.pause()
        marked = {field.id for field in form.query(".-wrong") if field.id != "hint"}
        assert marked == {"task", "prompts", *wrong}
        assert app.focused is form.query_one("#task"), "the first of them"
        box = form.query_one("#box")
        assert Content.from_markup(box.border_title).plain == "new run · 6 fields need attention"
        assert str(form.query_one("#hint", Label).content) == "Enter a task."
        await pilot.press("x")
        await pilot.pause()
        assert Content.from_markup(box.border_title).plain == "new run · 5 fields need attention"
    assert not started


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("steps", "4x", "a whole number"),
        ("samples", "x", "a whole number from 1 to 256"),
        ("samples", "1.5", "a whole number from 1 to 256"),
        ("tokens", "many", "a whole number"),
        ("temperature", "warm", "a number"),
    ],
)
async def test_a_number_field_takes_every_character_and_says_what_fits(
    app: SandboxTui, name: str, typed: str, words: str
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        field = app.screen.query_one(f"#{name}", Input)
        field.value = ""
        field.focus()
        await pilot.press(*typed)
        await pilot.pause()
        assert field.value == typed
        assert str(field.border_subtitle) == words.replace("a whole number from", "whole,")
        assert str(app.screen.query_one("#hint", Label).content) == f"Must be {words}."
        await pilot.press("end", *["backspace"] * len(typed), "2")
        await pilot.pause()
        assert not field.has_class("-wrong")
        assert str(app.screen.query_one("#box").border_title) == "new run"


@pytest.mark.parametrize(
    ("name", "typed", "short", "whole"),
    [
        ("steps", "4x", "digits only", "Must be a whole number."),
        ("samples", "x", "1-256", "Must be a whole number from 1 to 256."),
        ("tokens", "many", "a whole number", "Must be a whole number."),
        ("cost", "0", "more than 0", "Must be more than 0."),
        ("url", "here", "http:// or https://", "Begin with http:// or https://."),
    ],
)
async def test_a_mistake_in_a_narrow_field_is_said_in_words_that_fit(
    app: SandboxTui, name: str, typed: str, short: str, whole: str
) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n", "x", "f5")
        await fill_field(pilot, name, typed)
        field = app.screen.query_one(f"#{name}", Input)
        field.focus()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: str(field.border_subtitle) == short)
        assert str(app.screen.query_one("#hint", Label).content) == whole
        assert len(f"─ {short} ─") <= field.outer_size.width - 2


async def test_no_title_and_no_mistake_is_cut_on_a_small_terminal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = SandboxTui(config.load({"model.name": "m", "model.base_url": ""}), store)
    wrong = {"input": "/not/there", "samples": "9999", "steps": "", "prompts": "nobody"}
    wrong |= {"temperature": "warm", "tokens": "9x", "time": "-1", "cost": "1.5.5"}
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n", "f5")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        for name, text in wrong.items():
            await fill_field(pilot, name, text)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: form.query_one("#url").has_class("-wrong"))
        await pilot.pause()
        for name, field in form.fields():
            for words in (field.border_title, field.border_subtitle):
                assert len(f"─ {words} ─") <= field.outer_size.width - 2, (name, str(words))
        for name in (*wrong, "url"):
            assert str(form.query_one(f"#{name}").border_subtitle), name


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_the_button_and_every_border_is_on_the_screen(
    app: SandboxTui, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("n")
        await pilot.pause()
        box = app.screen.query_one("#box")
        assert Region(0, 0, *size).contains_region(box.region)
        button = app.screen.query_one("#start", Button)
        assert button.display is (size != (60, 20)), "its room is for the line that explains"
        assert not button.display or box.region.contains_region(button.region)
        for select in app.screen.query("#fields > .row Select"):
            assert select.size.height == 1, "a line between two borders"
            assert select.outer_size.height == 3
            words = f"─ {select.border_title} ─"
            assert len(words) <= select.outer_size.width - 2, "a title that is cut"
            assert app.screen.query_one("#fields").region.contains_region(select.region)


async def test_the_key_for_more_settings_says_when_it_hides_them(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        bar = app.screen.query_one(KeyBar)
        for words in ("f5 more settings", "f5 fewer settings", "f5 more settings"):
            await until(pilot, lambda words=words: words in bar.render_line(0).text)
            await pilot.press("f5")


async def test_a_form_that_is_left_without_a_word_says_nothing(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert not list(app._notifications)
        await pilot.press("n")
        assert isinstance(app.screen, NewRunDialog)


@pytest.mark.parametrize("size", [(20, 10), (30, 10), (40, 12)])
async def test_the_choices_open_on_the_narrowest_terminals(
    app: SandboxTui, size: tuple[int, int]
) -> None:
    """Textual cannot wrap the label of an option that has no width."""
    async with app.run_test(size=size) as pilot:
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
        for name in ("kind", "mode", "calls"):
            select = app.screen.query_one(f"#{name}", Select)
            select.focus()
            await pilot.press("enter")
            await pilot.pause()
            assert select.expanded
            await pilot.press("escape")
            await pilot.pause()


LESS_OFTEN = {
    "output": ("agent.output", "elsewhere"),
    "prompts": ("agent.prompts", "short"),
    "network": ("sandbox.network", "none"),
    "tty": ("agent.tty", "yes"),
    "policy": ("policy.default", "deny"),
    "temperature": ("model.temperature", "0.5"),
    "tokens": ("limits.token_limit", "5000"),
    "time": ("limits.time_limit", "1m"),
    "cost": ("limits.cost_limit", "0.25"),
}


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_settings_are_changed_for_one_run(
    app: SandboxTui, started: Started, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("n", *"fix it")
        if size[1] < 38:
            await pilot.press("f5")
        for field, (_, text) in LESS_OFTEN.items():
            if isinstance(app.screen.query_one(f"#{field}"), Input):
                await fill_field(pilot, field, text)
            else:
                await choose(pilot, field, text)
        await pilot.press("ctrl+s")
        await pilot.pause()
    (request,) = started
    for name, text in LESS_OFTEN.values():
        assert text_of_setting(request.settings, name) == text
        assert text_of_setting(app.settings.now, name) == text_of_setting(config.load({}), name)


async def test_settings_are_saved_for_all_new_runs(app: SandboxTui, started: Started) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"fix it", "f5")
        await fill_field(pilot, "temperature", "0.5")
        await pilot.press("f4")
        await until(pilot, lambda: config.load({}).model.temperature == 0.5)
        await fill_field(pilot, "temperature", "0.7")
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert started[0].settings.model.temperature == 0.7
    assert config.load({}).model.temperature == 0.5


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("temperature", "warm", "a number"),
        ("cost", "-1", "more than 0"),
        ("prompts", "nobody", "no such prompt pack"),
    ],
)
async def test_an_error_in_a_folded_field_is_shown(
    app: SandboxTui, started: Started, field: str, text: str, words: str
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"fix it")
        await fill_field(pilot, field, text)
        await pilot.press("ctrl+s")
        await pilot.pause()
        place = app.screen.query_one(f"#{field}")
        assert place.has_class("-wrong")
        assert words in str(place.border_subtitle)
        assert place.region.height == 3
    assert not started


async def test_of_a_long_path_the_end_is_shown(store: Store) -> None:
    path = "/home/stranger/.cache/small-model/of-some-length/qwen2.5-coder.gguf"
    app = SandboxTui(config.load({"model.name": path, "model.base_url": "http://x/v1"}), store)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("n")
        field = app.screen.query_one("#model", Input)

        def shown() -> str:
            return field.render_line(0).text

        await until(pilot, lambda: "qwen2.5-coder.gguf" in shown())
        field.focus()
        await pilot.press("home")
        await until(pilot, lambda: "/home/stranger" in shown())
        await pilot.press("tab")
        await until(pilot, lambda: "qwen2.5-coder.gguf" in shown())
        assert field.value == path


async def test_the_field_with_the_focus_is_explained(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 45)) as pilot:
        await pilot.press("n")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        said: dict[str, str] = {}
        for name, field in form.fields():
            field.focus()
            await until(pilot, lambda field=field: field.has_focus_within or field.has_focus)
            await pilot.pause()
            said[name] = str(form.query_one("#hint", Label).content)
        for name, words in said.items():
            assert len(words) > 10, name
            hint = form.doubt_about(name) or HINTS[SETTINGS[name]] if name in SETTINGS else ""
            assert words.startswith(hint)
        assert len(set(said.values())) == len(said)
        form.query_one("#start").focus()
        await until(pilot, lambda: not str(form.query_one("#hint", Label).content).strip())


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_no_explanation_is_cut(app: SandboxTui, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press("n")
        await pilot.pause()
        label = app.screen.query_one("#hint", Label)
        if label.size.height > 1:
            for words in HINTS.values():
                assert len(wrap_cells(words, label.content_size.width, 9)) <= label.size.height, (
                    words
                )


async def test_the_next_run_starts_with_the_model_of_the_last_one(
    store: Store, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[1]")
    url = "http://127.0.0.1:8123/v1"
    (first, *rest), contents = sample()
    params = {"base_url": url, "temperature": None}
    first = msgspec.structs.replace(first, model="qwen", model_params=params)
    keep(store, [first, *rest], contents, run_id="whole")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        banner = app.screen.query_one(HomeBanner)
        words = "m qwen at 127.0.0.1:8123 · from your last run"
        await until(pilot, lambda: words in str(banner.render()))
        await pilot.press("n")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        model, server = form.query_one("#model", Input), form.query_one("#url", Input)
        assert (model.value, server.value) == ("qwen", url)
        assert model.border_subtitle == server.border_subtitle == "from your last run"
        assert form.unsaved == {}
        await fill_field(pilot, "model", "other")
        assert model.border_subtitle == ""
        await fill_field(pilot, "model", "qwen")
        await pilot.press("f4")
        assert model.border_subtitle == "", "now they are the defaults"
        assert config.load().model.name == "qwen"
        assert config.load().model.base_url == url
        await pilot.press("escape")
        await until(pilot, lambda: "qwen at 127.0.0.1:8123 · auto" in str(banner.render()))


async def test_a_chosen_model_comes_before_that_of_the_last_run(app: SandboxTui) -> None:
    form = NewRunDialog(app.settings, last_model=LastModel("last", "http://y/v1"))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(form)
        await pilot.pause()
        assert form.query_one("#model", Input).value == "m"
        assert form.query_one("#model").border_subtitle == ""


async def test_the_header_follows_the_model_of_a_newer_run_of_another_program(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[1]")
    (first, *rest), contents = sample()

    def kept(store: Store, run_id: str, model: str, at: float) -> None:
        params = {"base_url": "http://127.0.0.1:8123/v1", "temperature": None}
        began = msgspec.structs.replace(
            first, model=model, model_params=params, started_at=first.started_at + at
        )
        keep(store, [began, *rest], contents, run_id=run_id)

    path = tmp_path / "shared.db"
    with contextlib.closing(Store(path)) as store, contextlib.closing(Store(path)) as other:
        kept(store, "one", "alpha", 0)
        app = SandboxTui(config.load(), store)
        async with app.run_test(size=(100, 30)) as pilot:
            banner = app.screen.query_one(HomeBanner)
            await until(pilot, lambda: "m alpha" in str(banner.render()))
            kept(other, "two", "beta", 60)
            await until(pilot, lambda: "m beta" in str(banner.render()))


async def start_anyway(pilot: Pilot[int], started: Started) -> None:
    """Answer the question about a server that does not answer, if it is known in time."""
    app = pilot.app
    await until(pilot, lambda: started or isinstance(app.screen, StartAnywayDialog))
    if not started:
        await pilot.press("y")
        await until(pilot, lambda: bool(started))


async def test_several_models_run_the_same_tasks(app: SandboxTui, started: Started) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"one", "enter", *"---", "enter", *"two")
        await fill_field(pilot, "model", "m1, m2,, m1 ")
        await fill_field(pilot, "samples", "2")
        await pilot.press("ctrl+s")
        await start_anyway(pilot, started)
    found = [(r.task, r.settings.model.name) for r in started]
    assert found == [
        *[("one", "m1")] * 2,
        *[("one", "m2")] * 2,
        *[("two", "m1")] * 2,
        *[("two", "m2")] * 2,
    ]
    groups = [r.labels["samples"] for r in started]
    assert len(set(groups)) == 4, "answers of different models are not counted as one group"


@pytest.mark.parametrize("names", [",", " , ,"])
async def test_commas_alone_are_no_model(app: SandboxTui, started: Started, names: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        await fill_field(pilot, "model", names)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.screen.query_one("#model").has_class("-wrong")
    assert not started


async def test_the_cursor_stays_behind_its_text_when_the_scheme_is_added(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        server = app.screen.query_one("#url", Input)
        server.focus()
        await pilot.press("ctrl+u", *"127.0.0.1:9", "left", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        assert server.value == "http://127.0.0.1:9"
        assert server.cursor_position == len("http://127.0.0.1:")
        await pilot.press("escape", "end", "ctrl+u")
        assert server.value == ""
        await pilot.press(*"127.0.0.1:18471/v1")
        assert server.value == "127.0.0.1:18471/v1"


async def test_several_models_are_no_default(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n")
        await fill_field(pilot, "model", "m1, m2")
        await pilot.press("f4")
        await pilot.pause()
        model = app.screen.query_one("#model", Input)
        assert str(model.border_subtitle) == "Only one model can be the default."
        assert app.settings.now.model.name == "m"


async def test_a_chosen_model_is_added_after_a_comma(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        await fill_field(pilot, "model", "m1, ")
        form.take_model(Offer("m2", "http://x/v1", ""))
        assert form.typed()["model"] == "m1, m2"
        await fill_field(pilot, "model", "m1,")
        form.take_model(Offer("m3", "http://elsewhere/v1", ""))
        typed = form.typed()
        assert (typed["model"], typed["url"]) == ("m1,", "http://x/v1"), "one server for all"
        await until(pilot, lambda: [t.message for t in app._notifications] == [ONE_SERVER])
        await fill_field(pilot, "model", "m1, m2")
        for name in ("m3", "m2"):
            form.take_model(Offer(name, "http://x/v1", ""))
            assert form.typed()["model"] == "m1, m2, m3", "each once"
        await fill_field(pilot, "model", "m1")
        form.take_model(Offer("m3", "http://elsewhere/v1", ""))
        assert form.typed()["model"] == "m3"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"samples": "3"}, "start 3 runs"),
        ({"samples": "3", "model": "m1, m2"}, "start 6 runs"),
        ({"samples": "x"}, "start"),
        ({"model": "m1,"}, "start"),
    ],
)
async def test_the_start_key_says_how_many_runs_it_starts(
    app: SandboxTui, fields: dict[str, str], words: str
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"one")
        form = app.screen
        assert str(form.query_one("#start", Button).label) == "start"
        for name, text in fields.items():
            await fill_field(pilot, name, text)
        assert str(form.query_one("#start", Button).label) == words
        assert f"ctrl+s {words} ·" in str(form.query_one("#box").border_subtitle)
        bar = form.query_one(KeyBar)
        await until(pilot, lambda: f"^s {words}  " in bar.render_line(0).text)


async def test_start_and_the_hidden_settings_stay_in_a_narrow_bar(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n", *"one")
        form = app.screen
        await fill_field(pilot, "samples", "242")
        bar = form.query_one(KeyBar)
        await until(pilot, lambda: "^s start 242 runs  f5 more  " in bar.render_line(0).text)
        assert form.styles.background.a == 1.0, "the border of the list below is not seen"
        await pilot.resize_terminal(40, 20)
        await until(pilot, lambda: "^s start 242 runs" in bar.render_line(0).text)


async def test_tasks_count_as_runs(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"one", "enter", *"---", "enter", *"two")
        await pilot.pause()
        assert str(app.screen.query_one("#start", Button).label) == "start 2 runs"


@pytest.mark.parametrize("key", ["y", "ctrl+s"])
async def test_a_start_asks_about_a_model_that_the_server_does_not_list(
    app: SandboxTui,
    started: Started,
    scripted_server: Callable[..., ScriptedServer],
    key: str,
) -> None:
    server = scripted_server()
    server.models = ["qwen3"]
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        form = app.screen
        await fill_field(pilot, "url", server.url)
        await fill_field(pilot, "model", "other, qwen3")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        words = f"The server at {server.url} lists no such model: other. Start anyway?"
        assert str(app.screen.query_one(Static).render()) == words
        await pilot.press("n")
        await until(pilot, lambda: app.screen is form)
        model = form.query_one("#model", Input)
        assert model.border_subtitle == "other: the server lists no such model"
        assert not started
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        await pilot.press(key)
        await until(pilot, lambda: len(started) == 2)


async def test_no_open_list_is_drawn_over_a_question(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n", "x")
        kind = app.screen.query_one("#kind", Select)
        kind.focus()
        await pilot.press("enter")
        await until(pilot, lambda: kind.expanded)
        await app.push_screen(StartAnywayDialog("The server does not answer."))
        await until(pilot, lambda: not kind.expanded)


async def test_a_start_asks_about_a_server_that_does_not_answer(
    app: SandboxTui, started: Started
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        await fill_field(pilot, "url", "http://127.0.0.1:9/v1")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        words = str(app.screen.query_one(Static).render())
        assert words.startswith("The server at http://127.0.0.1:9/v1 cannot be reached (")
        assert words.endswith(". Start anyway?")
        await pilot.press("y")
        await until(pilot, lambda: started)


async def test_a_start_does_not_ask_about_a_model_that_the_server_lists(
    app: SandboxTui, started: Started, scripted_server: Callable[..., ScriptedServer]
) -> None:
    server = scripted_server()
    server.models = ["qwen3"]
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        await fill_field(pilot, "url", server.url)
        await fill_field(pilot, "model", "qwen3")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: started)
        assert isinstance(app.screen, HomeScreen)


async def test_the_button_keeps_the_number_of_runs(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n")
        await fill_field(pilot, "model", "m1, m2")
        button = app.screen.query_one("#start", Button)
        await until(pilot, lambda: str(button.label) == "start 2 runs")
        await fill_field(pilot, "samples", "x")
        await pilot.pause()
        assert str(button.label) == "start 2 runs"


async def test_the_task_keeps_its_lines(app: SandboxTui, started: Started) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"fix it", "ctrl+j", *"now")
        app.post_message(Paste("\rand here\r\nthere"))
        await pilot.pause()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    assert [request.task for request in started] == ["fix it\nnow\nand here\nthere"]


async def test_an_input_that_does_not_exist_is_said_once_its_field_is_left(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        form.query_one("#input").focus()
        await pilot.press(*"/nowhere")
        assert not form.query_one("#input").has_class("-wrong")
        await pilot.press("tab")
        await until(pilot, lambda: form.query_one("#input").has_class("-wrong"))
        assert form.query_one("#steps").has_focus, "the focus stays where it went"
        form.query_one("#input").focus()
        await pilot.press(*["backspace"] * len("nowhere"))
        await until(pilot, lambda: not form.query_one("#input").has_class("-wrong"))


async def test_the_server_of_the_settings_is_checked_once_its_field_is_left(
    store: Store, started: Started
) -> None:
    settings = {"model.name": "m", "model.base_url": "http://127.0.0.1:9/v1"}
    app = SandboxTui(config.load(settings), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", "x")
        url = app.screen.query_one("#url")
        url.focus()
        await pilot.press("tab")
        await until(pilot, lambda: "does not answer now" in str(url.border_subtitle))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        assert not started


async def test_the_key_that_saves_defaults_is_in_a_narrow_bar(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("n")
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: "f4 save  " in bar.render_line(0).text)


@pytest.mark.parametrize("folder", ["/etc/passwd", "/proc/nope"])
async def test_an_output_folder_that_cannot_be_one_is_refused(
    app: SandboxTui, started: Started, folder: str
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n", *"fix it")
        await fill_field(pilot, "output", folder)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.screen.query_one("#output").has_class("-wrong"))
        assert f"Directory '{folder}'" in str(app.screen.query_one("#hint", Label).content)
    assert not started


async def test_an_empty_field_of_a_setting_stands_for_the_default(
    app: SandboxTui, started: Started
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("n", *"fix it")
        await fill_field(pilot, "prompts", "")
        await fill_field(pilot, "output", "")
        assert app.screen.query_one("#prompts", Input).placeholder == "empty for general"
        assert app.screen.query_one("#output", Input).placeholder == "empty for output"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    (request,) = started
    assert (request.settings.agent.prompts, request.settings.agent.output) == ("general", "output")
