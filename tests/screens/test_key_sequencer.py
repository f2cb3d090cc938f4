"""Keys are handled in the order in which they were pressed, however fast they arrive."""

from __future__ import annotations

import asyncio
import time
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from sandbox_tui.tui.keys.key_sequencer import (
    BURST_SECONDS,
    DIALOG_TIMEOUT_SECONDS,
    REPEATED_KEYS,
    SequentialKeys,
    ignore_burst,
    keys_for_dialog,
)
from tests.waiting import until

NAMES = {" ": "space", "\x7f": "backspace", "\r": "enter", "\x1b": "escape"}


class Asked(ModalScreen[None]):
    """Closes at its first key."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "dismiss", "yes", id="asked.yes")]

    def compose(self) -> ComposeResult:
        yield Label("really?")


class Refusing(ModalScreen[None]):
    """Closes with escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", id="x.close")]

    def compose(self) -> ComposeResult:
        yield Label("here")

    def key_o(self) -> None:
        ignore_burst(self)


class Typing(SequentialKeys[None]):
    """An input line, and keys that work outside of it."""

    AUTO_FOCUS = None

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "type", "type", id="typing.type"),
        Binding("d", "destroy", "destroy", id="typing.destroy"),
        Binding("a", "ask", "ask", id="typing.ask"),
        Binding("r", "read", "read", id="typing.read"),
        Binding("o", "refuse", "open", id="typing.open"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.destroyed = 0
        self.sent: list[str] = []
        self.reading_seconds = 0.1
        self.shows_dialog = True

    def compose(self) -> ComposeResult:
        with Vertical(), Vertical():
            yield Input()

    def action_type(self) -> None:
        self.set_focus_of_line()

    def set_focus_of_line(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    def action_destroy(self) -> None:
        self.destroyed += 1

    def action_refuse(self) -> None:
        self.ignore_burst()

    def action_ask(self) -> None:
        self.push_screen(Asked())

    def action_read(self) -> None:
        self.run_worker(keys_for_dialog(self, self._read_and_ask()))

    async def _read_and_ask(self) -> None:
        await asyncio.to_thread(time.sleep, self.reading_seconds)
        if self.shows_dialog:
            self.push_screen(Asked())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.sent.append(event.value)
        event.input.value = ""


def burst(pilot: Pilot[None], text: str) -> None:
    """Post all keys of `text` at once, as a slow connection delivers them."""
    for character in text:
        name = NAMES.get(character, character)
        printable = character if character.isprintable() else None
        pilot.app.post_message(Key(name, printable))


async def test_backspace_deletes_what_was_typed_before() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.set_focus_of_line()
        burst(pilot, "be kwick\x7f\x7f\x7f\x7f\x7fquick\r")
        await until(pilot, lambda: app.sent)
        assert app.sent == ["be quick"]


async def test_lines_stay_lines() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.set_focus_of_line()
        burst(pilot, "one\rtwo\rthree\r")
        await until(pilot, lambda: len(app.sent) == 3)
        assert app.sent == ["one", "two", "three"]


async def test_text_typed_right_after_a_key_goes_to_its_input() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        burst(pilot, "iddd\r")
        await until(pilot, lambda: app.sent or app.destroyed)
        assert (app.sent, app.destroyed) == (["ddd"], 0)


async def test_a_closing_screen_does_not_swallow_the_next_key() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        burst(pilot, "ayd")
        await until(pilot, lambda: app.destroyed)
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("times", [200])
async def test_many_keys_come_through(times: int) -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.set_focus_of_line()
        burst(pilot, "ab\x7f" * times + "\r")
        await until(pilot, lambda: app.sent)
        assert app.sent == ["a" * times]


async def test_a_dialog_gets_the_keys_pressed_while_its_contents_are_read() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        burst(pilot, "ryd")
        await until(pilot, lambda: app.destroyed)
        assert len(app.screen_stack) == 1, "y closed the dialog"


async def test_keys_come_through_if_no_dialog_opens_or_the_reading_takes_too_long() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.shows_dialog = False
        burst(pilot, "rd")
        await until(pilot, lambda: app.destroyed)
        app.reading_seconds = DIALOG_TIMEOUT_SECONDS * 2
        burst(pilot, "rd")
        await until(pilot, lambda: app.destroyed == 2)
        assert [worker for worker in app.workers if not worker.is_finished]


async def test_what_was_typed_for_an_input_that_did_not_open_is_ignored() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        burst(pilot, "oddd" * 50 + "\r")
        late = Key("d", "d")
        late.time += BURST_SECONDS * 2
        app.post_message(late)
        await until(pilot, lambda: app.destroyed)
        assert app.destroyed == 1, "the key after the pause alone"


async def test_a_key_that_is_held_down_is_not_ignored_for_ever() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        burst(pilot, "o" + "d" * 20)
        await until(pilot, lambda: app.destroyed == 21 - REPEATED_KEYS)


async def test_escape_works_in_an_ignored_burst() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.push_screen(Refusing())
        await pilot.pause()
        burst(pilot, "od\x1bd")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.pause()
        assert app.destroyed == 0


async def test_a_question_that_ends_lets_no_keys_go_that_wait_for_another() -> None:
    """As when the next dialog is asked for while the answer to the last is still being written."""
    app = Typing()
    async with app.run_test() as pilot:
        first, second = asyncio.Event(), asyncio.Event()

        async def ask_after(event: asyncio.Event) -> None:
            await event.wait()

        async def ask_and_show() -> None:
            await second.wait()
            app.push_screen(Asked())

        earlier = app.run_worker(keys_for_dialog(app, ask_after(first)))
        app.run_worker(keys_for_dialog(app, ask_and_show()))
        burst(pilot, "d")
        first.set()
        await earlier.wait()
        await pilot.pause()
        second.set()
        await until(pilot, lambda: isinstance(app.screen, Asked))
        await pilot.pause()
        assert app.destroyed == 0  # the key went to the dialog
