"""The terminal pane: clickable tabs, a search line, copied selections."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.terminal.search.search_bar import TerminalSearchBar
from tests.waiting import until


class Demo(App[None]):
    CSS = "TerminalPane { border: round blue; height: 1fr; }"

    def __init__(self, *, live: bool = True) -> None:
        super().__init__()
        self.pane = TerminalPane(live=live)
        self.typed: list[tuple[str, bytes]] = []
        self.asked: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_terminal_pane_typed(self, event: TerminalPane.Typed) -> None:
        self.typed.append((event.terminal, event.data))

    def on_terminal_pane_shell_requested(self) -> None:
        self.asked.append("new")

    def on_terminal_pane_close_requested(self, event: TerminalPane.CloseRequested) -> None:
        self.asked.append(f"end {event.terminal}")

    @property
    def title_shown(self) -> str:
        return str(self.pane._border_title)

    @property
    def subtitle_shown(self) -> str:
        return str(self.pane._border_subtitle)

    @property
    def count_shown(self) -> str:
        return str(self.pane.query_one("#terminal-search-count").render())


async def settle(pilot: Pilot[None], app: Demo) -> None:
    """Wait until all output has been parsed and drawn."""
    for _ in range(200):
        await pilot.pause(0.02)
        views = app.pane.views.values()
        if all(not v._pump.waiting and v._frame is None and not v.search.pending for v in views):
            break
    await pilot.pause(0.1)


async def with_two_shells(pilot: Pilot[None], app: Demo) -> None:
    app.pane.opened("shell", 80, 24)
    app.pane.opened("shell-2", 80, 24)
    await settle(pilot, app)


async def click_title(pilot: Pilot[None], app: Demo, text: str, skip: int = 0) -> None:
    at = app.title_shown.index(text) + skip
    await pilot.click(app.pane, offset=(3 + at, 0))
    await pilot.pause(0.1)


async def test_tabs_are_clicked_closed_and_opened() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.title_shown == "‹model›"
        await with_two_shells(pilot, app)
        assert app.title_shown == "‹model› │ shell × │ shell-2 × │ +"
        await click_title(pilot, app, "shell-2")
        assert app.pane.shown == "shell-2"
        assert app.pane.view.has_focus
        assert app.title_shown == "model │ shell × │ ‹shell-2› × │ +"
        await click_title(pilot, app, "+")
        assert app.asked == ["new"]
        await click_title(pilot, app, "shell ×", skip=6)
        assert app.asked == ["new", "end shell"]
        app.pane.closed("shell")  # what the run reports a moment later
        await pilot.pause()
        assert app.title_shown == "model │ ‹shell-2› × │ +"
        await pilot.press("left_square_bracket")
        assert app.pane.shown == "model"


async def test_a_shell_that_ended_by_itself_stays_until_it_is_closed() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.switch("shell")
        app.pane.action_attach()
        app.pane.closed("shell")
        await pilot.pause(0.1)
        assert not app.pane.view.attached
        assert "‹shell› ended ×" in app.title_shown
        assert app.pane.shells == ["shell-2"]
        await pilot.press("enter")
        assert not app.pane.view.attached
        await pilot.press("delete")
        await pilot.pause(0.1)
        assert app.title_shown == "‹model› │ shell-2 × │ +"
        assert app.pane.view.has_focus
        assert app.asked == []


async def test_output_nobody_has_seen_is_marked() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        await app.pane.feed("shell", b"something")
        await app.pane.feed("model", b"seen")
        await settle(pilot, app)
        assert "shell • ×" in app.title_shown
        assert "‹model› │" in app.title_shown
        app.pane.switch("shell")
        assert "•" not in app.title_shown


async def test_a_replay_opens_and_closes_nothing() -> None:
    app = Demo(live=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        assert app.title_shown == "‹model› │ shell │ shell-2"
        app.pane.action_show_tab(1)
        await pilot.pause(0.1)
        await pilot.press("delete", "plus", "enter")
        assert app.asked == []
        assert not app.pane.view.attached


async def test_a_recording_shows_the_terminal_that_is_not_empty() -> None:
    """A recording of a shell alone has nothing in the model's terminal."""
    app = Demo(live=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.view.focus()
        app.pane.opened("shell", 80, 24)
        await app.pane.feed("shell", b"recorded")
        await settle(pilot, app)
        app.pane.sync(RunState())
        await pilot.pause()
        assert app.pane.shown == "shell"
        assert app.title_shown == "‹shell›"
        assert app.pane.view.has_focus
        await app.pane.feed("model", b"a command")
        await settle(pilot, app)
        app.pane.sync(RunState())
        assert app.title_shown == "‹model› │ shell"
        app.pane.switch("shell")
        app.pane.sync(RunState())
        assert app.title_shown == "model │ ‹shell›"  # what the user chose stays
        app.pane.replace({"model": Screen(80, 24)})  # before the shell was opened
        assert app.title_shown == "‹model›"
        app.pane.replace({"model": Screen(80, 24), "shell": Screen(80, 24)})
        assert app.pane.shown == "shell"


async def test_a_hostile_name_is_only_text() -> None:
    app = Demo(live=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.opened("[@click=app.quit]\x1b]0;x\x07x[/]", 80, 24)
        await settle(pilot, app)
        assert "[@click=app.quit]␛]0;x␇x[/]" in app.title_shown
        await click_title(pilot, app, "app.quit")
        assert app.is_running


# --- search


async def test_search_goes_from_place_to_place_and_leaves_without_a_trace() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.view.focus()
        lines = b"".join(b"line %d%s\r\n" % (n, b" Needle" * (n % 50 == 0)) for n in range(300))
        await app.pane.feed("model", lines)
        await settle(pilot, app)
        await pilot.press("slash", *"needle")
        await settle(pilot, app)
        view = app.pane.view
        assert app.count_shown == "6/6 · ↑ ↓"
        assert view.search.position == (6, 6)
        assert any("line 250 Needle" in view.render_line(y).text for y in range(20))
        await pilot.press("up", "down", "enter", "N")
        assert view.has_focus
        assert app.count_shown == "5/6 · n N"
        await pilot.press("n", "n")
        assert app.count_shown == "1/6 · n N"  # wraps around at the end
        assert any("line 0 Needle" in view.render_line(y).text for y in range(20))
        (marked,) = view.render_lines(Region(0, -view.scroll_offset.y, 80, 1))
        assert any(s.style and s.style.reverse and s.text == "Needle" for s in marked)
        before = [view.render_line(y).text for y in range(20)]
        await app.pane.feed("model", b"more Needle\r\n" * 10_000)
        await settle(pilot, app)
        assert [view.render_line(y).text for y in range(20)] == before
        assert view.search.position == (1, 10_006)
        assert app.count_shown == "1/10006 · n N"
        await pilot.press("escape")
        assert not view.search.active
        assert not app.pane.query_one(TerminalSearchBar).display
        assert [view.render_line(y).text for y in range(20)] == before
        (first,) = view.render_lines(Region(0, 0, 80, 1))
        assert not any(s.style and s.style.reverse for s in first)


async def test_search_minds_capitals_once_one_is_typed_and_says_when_there_is_nothing() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.view.focus()
        await app.pane.feed("model", b"error Error ERROR\r\n")
        await settle(pilot, app)
        await pilot.press("slash", *"error")
        await settle(pilot, app)
        assert app.pane.view.search.position == (3, 3)
        await pilot.press("home", "delete", "E")
        await settle(pilot, app)
        assert app.pane.view.search.position == (1, 1)
        await pilot.press("x")
        await settle(pilot, app)
        assert app.count_shown == "nothing"
        await pilot.press("escape")
        assert app.pane.view.has_focus


async def test_a_search_in_a_replay_says_that_it_ends_at_the_present() -> None:
    app = Demo(live=False)
    async with app.run_test(size=(80, 20)) as pilot:
        await app.pane.feed("model", b"a word")
        await settle(pilot, app)
        app.pane.action_search()
        await pilot.press(*"later")
        await settle(pilot, app)
        assert app.count_shown == "nothing up to here"


async def test_the_search_line_changes_no_terminal_and_covers_no_text() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.view.focus()
        await app.pane.feed("model", b"".join(b"line %d\r\n" % n for n in range(300)) + b"last")
        await settle(pilot, app)
        size = app.pane.view.emulator.lines
        await pilot.press("slash", *"last")
        await settle(pilot, app)
        assert app.pane.view.emulator.lines == size
        strips = app.screen._compositor.render_strips()
        rows = ["".join(segment.text for segment in row) for row in strips]
        assert "last" in rows[-3]
        assert "/" in rows[-2]
        await pilot.press("escape")
        app.pane.view.action_scroll_end()
        await settle(pilot, app)
        strips = app.screen._compositor.render_strips()
        assert "last" in "".join(segment.text for segment in strips[-2])


async def test_keys_of_a_search_are_free_without_one() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app)
        assert not app.pane.check_action("again", (1,))
        assert not app.pane.check_action("end_search", ())
        assert not app.pane.check_action("copy", ())


# --- what waits for the user


def waiting(*, answerable: bool, hidden: bool = False) -> RunState:
    state = RunState()
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    state.apply(e.CallProposed(call=call))
    state.apply(e.CallStarted(call=1))
    state.apply(e.InputAwaited(program="ssh", answerable=answerable, hidden=hidden))
    return state


async def test_a_command_that_waits_is_reported_and_answered() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app)
        app.pane.view.focus()
        await pilot.pause()
        state = waiting(answerable=True, hidden=True)
        app.pane.sync(state)
        assert app.subtitle_shown == "ssh waits for a password · enter answers · esc interrupts"
        await pilot.press("enter", "y")
        assert app.typed == [("model", b"y")]
        assert "keyboard goes to the sandbox · ctrl+] releases it" in app.subtitle_shown
        state.apply(e.TerminalOutput(terminal="model", data=b"thank you"))
        app.pane.sync(state)
        assert app.pane.view.attached
        state.apply(e.CallFinished(call=1, observation="", ok=True))
        app.pane.sync(state)
        await pilot.pause(0.1)
        assert not app.pane.view.attached
        assert app.subtitle_shown == "following ↓"


async def test_an_ended_run_is_not_followed() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app)
        app.pane.sync(state := RunState())
        assert app.subtitle_shown == "following ↓"
        state.apply(e.RunFinished(reason="submitted", error=None, totals=e.Totals()))
        app.pane.sync(state)
        assert app.subtitle_shown == ""


async def test_a_recording_is_read_rather_than_followed() -> None:
    app = Demo(live=False)
    async with app.run_test(size=(100, 24)) as pilot:
        await app.pane.feed("model", b"".join(b"line %d\r\n" % n for n in range(100)))
        await settle(pilot, app)
        app.pane.sync(RunState())
        assert app.subtitle_shown == ""
        app.pane.view.focus()
        await pilot.press("pageup")
        await settle(pilot, app)
        assert app.subtitle_shown == "↓ more below · end"


async def test_the_key_to_answer_is_named_while_another_pane_has_the_focus() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, app)
        app.pane.sync(waiting(answerable=True))
        app.pane.view.focus()
        await pilot.pause()
        assert app.subtitle_shown == "ssh waits for input · enter answers · esc interrupts"
        app.pane.view.blur()
        await pilot.pause()
        assert app.subtitle_shown == "ssh waits for input · 2, enter answers · esc interrupts"


async def test_only_interrupting_is_offered_where_answering_is_impossible() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.sync(waiting(answerable=False))
        assert app.subtitle_shown == "ssh waits for input · esc interrupts"
        app.pane.view.focus()
        await pilot.press("enter")
        assert not app.pane.view.attached
        app.pane.switch("shell")
        assert app.title_shown.startswith("model ? │ ‹shell›")


@pytest.mark.parametrize("width", [30, 40, 60, 100])
async def test_the_release_chord_is_always_in_sight(width: int) -> None:
    app = Demo()
    async with app.run_test(size=(width, 12)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.switch("shell")
        app.pane.action_attach()
        await pilot.pause(0.1)
        lowest = app.screen._compositor.render_strips()[-1]
        assert "ctrl+]" in "".join(segment.text for segment in lowest)
        await pilot.press(RELEASE)
        await pilot.pause(0.5)
        assert not app.pane.view.attached


async def test_the_models_terminal_is_in_front_again_when_the_shell_gives_the_keys_back() -> None:
    app = Demo()
    async with app.run_test(size=(60, 12)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.visit("shell")
        app.pane.action_attach()
        await pilot.press(RELEASE)
        await until(pilot, lambda: app.pane.shown == "model")
        await until(pilot, lambda: app.pane.view.has_focus)
        app.pane.switch("shell")  # the user's choice stays
        app.pane.visit("shell")
        app.pane.action_attach()
        await pilot.press(RELEASE)
        await until(pilot, lambda: not app.pane.view.attached)
        assert app.pane.shown == "shell"


# --- selecting


def copied(app: Demo, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    monkeypatch.setattr(app, "copy_to_clipboard", seen.append)
    return seen


async def test_a_double_click_selects_a_word_and_a_triple_click_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Demo()
    seen = copied(app, monkeypatch)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.pane.feed("model", "see /tmp/日本/x.py:12 (twice)\r\n".encode())
        await settle(pilot, app)
        await pilot.click(app.pane.view, offset=(8, 0), times=2)
        await pilot.press("y")
        await pilot.click(app.pane.view, offset=(8, 0), times=3)
        await pilot.press("ctrl+c")
        assert seen == ["/tmp/日本/x.py:12", "see /tmp/日本/x.py:12 (twice)"]
        await pilot.click(app.pane.view, offset=(60, 0), times=2)
        assert app.pane.view.text_selection is None


async def drag(pilot: Pilot[None], app: Demo, start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(app.pane.view, offset=start)
    await pilot.hover(app.pane.view, offset=end)
    await pilot.mouse_up(app.pane.view, offset=end)


async def test_wide_characters_are_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Demo()
    seen = copied(app, monkeypatch)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.pane.feed("model", "ab日本語cd\r\n".encode())
        await settle(pilot, app)
        for first, last in ((2, 4), (3, 5), (1, 6)):  # left halves, right halves, from outside
            await drag(pilot, app, (first, 0), (last, 0))
            await pilot.press("y")
        assert seen == ["日本", "本語", "b日本語"]


async def test_a_selection_stays_on_its_text_in_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Demo()
    seen = copied(app, monkeypatch)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.pane.feed("model", b"".join(b"line %d here\r\n" % n for n in range(300)))
        await settle(pilot, app)
        app.pane.view.scroll_to(y=100, animate=False, immediate=True)
        await pilot.pause()
        await pilot.mouse_down(app.pane.view, offset=(0, 2))
        for row in range(3, 8):
            await app.pane.feed("model", b"\x1b[31mmore\x1b[0m and more\r\n" * 3000)
            await pilot.hover(app.pane.view, offset=(7, row))
        await pilot.mouse_up(app.pane.view, offset=(7, 7))
        await app.pane.feed("model", b"still more\r\n" * 3000)
        await settle(pilot, app)
        await pilot.press("y")
        want = "\n".join(f"line {n} here" for n in range(102, 107)) + "\nline 107"
        assert seen == [want]


async def test_while_attached_ctrl_c_copies_what_is_selected_and_then_goes_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Demo()
    seen = copied(app, monkeypatch)
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.switch("shell")
        app.pane.action_attach()
        await app.pane.feed("shell", b"some words\r\n")
        await settle(pilot, app)
        await pilot.click(app.pane.view, offset=(6, 0), times=2)
        await pilot.press("ctrl+c", "ctrl+c")
        assert seen == ["words"]
        assert app.typed == [("shell", b"\x03")]


# --- the mouse, focus and paste while attached


@pytest.mark.parametrize(
    ("modes", "report"),
    [
        (b"\x1b[?1000;1006h", [b"\x1b[<0;5;3M", b"\x1b[<0;5;3m"]),
        (b"\x1b[?1000h", [b"\x1b[M %#", b"\x1b[M#%#"]),
        (b"", []),
    ],
)
async def test_programs_that_ask_for_the_mouse_get_it(modes: bytes, report: list[Any]) -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.switch("shell")
        await app.pane.feed("shell", modes)
        await settle(pilot, app)
        await pilot.click(app.pane.view, offset=(4, 2))
        assert app.typed == []  # only while attached
        app.pane.action_attach()
        await pilot.click(app.pane.view, offset=(4, 2))
        assert [data for _, data in app.typed] == report


async def test_focus_is_reported_when_the_keyboard_comes_and_goes() -> None:
    app = Demo()
    async with app.run_test(size=(80, 24)) as pilot:
        await with_two_shells(pilot, app)
        app.pane.switch("shell")
        await app.pane.feed("shell", b"\x1b[?1004h")
        await settle(pilot, app)
        app.pane.action_attach()
        await pilot.pause(0.1)
        app.pane.view.release()
        await pilot.pause(0.1)
        assert [data for _, data in app.typed] == [b"\x1b[I", b"\x1b[O"]


def first_line(app: Demo) -> str:
    view = app.pane.view
    width = view.scrollable_content_region.width
    return view.render_lines(Region(0, 0, width, 1))[0].text


async def test_a_line_that_is_wider_than_the_pane_is_marked_and_reached_by_key() -> None:
    app = Demo(live=False)
    async with app.run_test(size=(40, 12)) as pilot:
        app.pane.opened("model", 100, 4)
        await settle(pilot, app)
        assert "< >" not in app.subtitle_shown, "a blank terminal has nothing to scroll to"
        await app.pane.feed("model", b"".join(b"%02d=======-" % n for n in range(10)) + b"\r\n")
        await settle(pilot, app)
        app.pane.sync(RunState())  # as after each event of a run
        app.pane.view.focus()
        await pilot.pause()
        assert "> cuts long lines" in app.subtitle_shown
        await pilot.press("greater_than_sign")
        shown = first_line(app)
        assert shown.startswith("00=======-01")
        assert shown.endswith("›")
        whole = app.pane.view.render_lines(Region(0, 0, app.pane.view.size.width, 1))[0].text
        assert whole.rstrip() == shown, "nothing stands behind the sign, where a scrollbar may be"
        assert "wider than this pane: < >" in app.subtitle_shown
        await pilot.press("right")
        assert first_line(app) == shown, "that key is a step of the replay"
        seen = shown
        for _ in range(8):
            await pilot.press("greater_than_sign")
            seen += first_line(app)
        assert first_line(app).startswith("‹")
        assert first_line(app).rstrip().endswith("09=======-")
        assert all(b"%02d=" % n in seen.encode() for n in range(10))
        while app.pane.view.scroll_offset.x:
            await pilot.press("less_than_sign")
        assert first_line(app) == shown
        await pilot.press("less_than_sign")
        assert "> cuts long lines" in app.subtitle_shown
        assert "›" not in first_line(app)

        await pilot.resize_terminal(120, 12)
        await settle(pilot, app)
        assert "›" not in first_line(app)
        assert "< >" not in app.subtitle_shown
