from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widgets import Static
from textual.widgets._toast import Toast, ToastRack

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.tui.screens.cockpit.live.end_toast import toast_end
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.textual_support.toasts import (
    MIN_LASTING_SECONDS,
    RESULT_SECONDS,
    UNSEEN_SECONDS,
    DedupedToasts,
    NoticesMoveNothing,
    complain_here,
)
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.unit.event_streams import started
from tests.waiting import until


class Speaker(DedupedToasts[None]):
    def compose(self) -> ComposeResult:
        yield Static("a screen")


async def shown(app: Speaker, pilot: Pilot[None]) -> list[str]:
    await pilot.pause()
    await pilot.pause()
    return [toast._notification.message for toast in app.screen.query(Toast)]


async def test_the_same_words_are_there_once_and_others_beside_them() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        for _ in range(12):
            app.notify("This run is over.", timeout=60)
        app.notify("Another thing.", timeout=60)
        app.notify("This run is over.", title="but with a title", timeout=60)
        words = ["Another thing.", "This run is over."]
        assert await shown(app, pilot) == words


async def test_a_toast_of_the_same_kind_replaces_the_earlier_one() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        for step in (99, 100):
            app.notify(f"There is no step {step}.", timeout=60)
        assert await shown(app, pilot) == ["There is no step 100."]


async def test_a_lasting_toast_makes_no_room() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 60), notifications=True) as pilot:
        for words, seconds in (("disk is full", 86400), ("one", 60), ("two", 60), ("three", 60)):
            app.notify(words, timeout=seconds)
        assert await shown(app, pilot) == ["disk is full", "two", "three"]


async def test_a_notice_disappears_with_its_screen_and_other_toasts_stay() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 60), notifications=True) as pilot:
        await app.push_screen(Screen[None]())
        app.notify("There is no step 99.")
        app.notify("exported", timeout=RESULT_SECONDS)
        assert await shown(app, pilot) == ["There is no step 99.", "exported"]
        await app.push_screen(ModalScreen[None]())
        assert await shown(app, pilot) == ["There is no step 99.", "exported"]
        app.pop_screen()
        app.pop_screen()
        assert await shown(app, pilot) == ["exported"]


async def test_an_error_that_answers_a_key_disappears_with_its_screen() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 60), notifications=True) as pilot:
        complain_here(app.screen, "This session is already here: r.")
        app.notify("the run ended", severity="error", timeout=10)
        await app.push_screen(ModalScreen[None]())
        both = ["This session is already here: r.", "the run ended"]
        assert await shown(app, pilot) == both
        app.pop_screen()
        await app.push_screen(Screen[None]())
        assert await shown(app, pilot) == ["the run ended"]


async def test_the_oldest_make_room() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        for letter in "abcdefghijkl":
            app.notify(f"words {letter}\nand more", timeout=60)
        words = await shown(app, pilot)
        assert words == ["words k\nand more", "words l\nand more"]
        assert all(toast.region.y >= 15 for toast in app.screen.query(Toast))
        app.notify("long " * 400, timeout=60)
        assert await shown(app, pilot) == ["long " * 400]


async def test_one_toast_is_withdrawn_and_the_others_stay() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 60), notifications=True) as pilot:
        app.notify("disk is full", title="the run waits", timeout=1000)
        app.notify("another thing", timeout=1000)
        await pilot.pause()
        app.remove_shown_toast("disk is full", "the run waits")
        await pilot.pause()
        assert await shown(app, pilot) == ["another thing"]


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_toasts_that_were_replaced_leave_no_lines_after_another_theme(
    size: tuple[int, int],
) -> None:
    app = Speaker()
    async with app.run_test(size=size, notifications=True) as pilot:
        for step in range(4):
            app.notify(f"There is no step {step}.", timeout=60)
            assert await shown(app, pilot) == [f"There is no step {step}."]
        rack = app.screen.query_one(ToastRack)
        for theme in ("textual-light", "nord"):
            app.theme = theme
            app.notify(f"The theme is {theme}.", timeout=60)
            await shown(app, pilot)
            toasts = list(app.screen.query(Toast))
            assert len(rack.children) == len(toasts)
            await until(pilot, lambda: rack.region.height == len(app.screen.query(Toast)))


async def test_a_replaced_toast_leaves_no_lines_on_the_screen_below_a_dialog() -> None:
    app = Speaker()
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        app.notify("step 1", timeout=60)
        assert await shown(app, pilot) == ["step 1"]
        await app.push_screen(ModalScreen[None]())
        app.notify("step 2", timeout=60)
        assert await shown(app, pilot) == ["step 2"]
        app.pop_screen()
        assert await shown(app, pilot) == ["step 2"]
        assert len(app.screen.query_one(ToastRack).children) == 1


class SpeakerWithTimeline(Speaker):
    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Timeline(gives_way=True)


async def test_the_timeline_returns_after_toasts_that_replaced_others() -> None:
    app = SpeakerWithTimeline()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        timeline = app.screen.query_one(Timeline)
        for step in (1, 2, 3):
            app.notify(f"Call {step} waits for your decision.", timeout=60)
            assert await shown(app, pilot) == [f"Call {step} waits for your decision."]
        assert not timeline.display
        await pilot.click(Toast)  # it disappears as it does when its time is over
        await until(pilot, lambda: timeline.display)


async def test_an_answer_disappears_with_the_next_key_and_warnings_and_results_stay() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 60), notifications=True) as pilot:
        app.notify("It cannot be read.", severity="error")
        app.notify("No call is waiting.")
        app.notify("exported", timeout=RESULT_SECONDS)
        await shown(app, pilot)
        for old in shown_toasts(app):
            old.raised_at -= UNSEEN_SECONDS
        await pilot.press("escape")
        assert await shown(app, pilot) == ["No call is waiting.", "exported"]
        await pilot.press("j")
        assert await shown(app, pilot) == ["exported"]


async def test_a_key_pressed_before_an_answer_was_seen_leaves_it() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.notify("No call is waiting.")
        await pilot.press("j")
        assert await shown(app, pilot) == ["No call is waiting."]
        for old in shown_toasts(app):
            old.raised_at -= 1
        early = Key("j", "j")
        early.time -= 60
        app.post_message(early)
        assert await shown(app, pilot) == ["No call is waiting."]
        await pilot.press("j")
        assert await shown(app, pilot) == []


async def test_short_news_outlast_keys_and_screens() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await app.push_screen(Screen[None]())
        app.notify_news("primes quick: submitted", 4.0)
        await shown(app, pilot)
        for old in shown_toasts(app):
            old.raised_at -= 1
        await pilot.press("j")
        app.pop_screen()
        assert await shown(app, pilot) == ["primes quick: submitted"]


async def test_what_a_dialog_answers_disappears_with_it() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 60), notifications=True) as pilot:
        app.notify("below the dialog")
        await shown(app, pilot)
        await app.push_screen(ModalScreen[None]())
        app.notify("x ends all 12 runs and quits, esc stays.")
        await shown(app, pilot)
        await app.push_screen(ModalScreen[None]())  # such as the help
        both = ["below the dialog", "x ends all 12 runs and quits, esc stays."]
        assert await shown(app, pilot) == both
        app.pop_screen()
        assert await shown(app, pilot) == both
        app.pop_screen()
        assert await shown(app, pilot) == ["below the dialog"]


async def test_an_error_that_comes_while_a_dialog_is_open_outlasts_it() -> None:
    app = Speaker()
    async with app.run_test(size=(100, 60), notifications=True) as pilot:
        await app.push_screen(ModalScreen[None]())
        app.notify("No space is left on the device.", severity="error")
        await shown(app, pilot)
        app.pop_screen()
        assert await shown(app, pilot) == ["No space is left on the device."]


async def test_the_toast_of_an_end_shows_an_answer_that_is_only_in_submit() -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments='{"answer": "42"}')
    app = Speaker()
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        for answer in (None, "43"):
            end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer=answer)
            toast_end(app.screen, end, fold([started(), e.CallProposed(call=call), end]))
        words = ["42 (said in submit; output/answer.txt was not written)", "43"]
        assert sorted(await shown(app, pilot)) == words


class Still(NoticesMoveNothing, Screen[None]):
    """A screen whose notices move nothing."""

    CSS = "Still #whole { height: 1fr; } Still #keys { height: 1; dock: bottom; }"

    def compose(self) -> ComposeResult:
        yield Static("all of it", id="whole")
        yield Static("keys", id="keys")


async def test_notices_move_nothing_on_a_screen_that_asks_for_that() -> None:
    app = Speaker()
    async with app.run_test(size=(80, 20), notifications=True) as pilot:
        await app.push_screen(Still())
        await pilot.pause()
        height = app.screen.query_one("#whole").size.height
        app.screen.notify("Mode auto in all 12 runs.")
        await until(pilot, lambda: bool(app.screen.query(Toast)))
        await pilot.pause()
        assert app.screen.query_one("#whole").size.height == height
        assert app.screen.query_one(Toast).region.bottom == 19, "the keys stay"
        app.screen.notify(
            "A run in the background cannot be stored.", timeout=MIN_LASTING_SECONDS
        )  # it stays longer
        await until(pilot, lambda: len(app.screen.query(Toast)) == 2)
        await until(pilot, lambda: app.screen.query_one("#whole").size.height < height)
        assert all(toast.region.bottom <= 19 for toast in app.screen.query(Toast))
