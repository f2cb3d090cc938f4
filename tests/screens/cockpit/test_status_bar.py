"""The header of a run: what it leaves out so that the title stays readable."""

from __future__ import annotations

import msgspec
import pytest
from textual.app import App, ComposeResult

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState, fold
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.unit.event_streams import started

TITLE = "Use every tool of the sandbox once and write what you saw"
MODEL = "Qwen3-Coder-480B-A35B-Instruct-FP8-with-a-long-name"


class Header(App[None]):
    """Only the header."""

    def __init__(self, state: RunState, prefix: str = "") -> None:
        super().__init__()
        self._state = state
        self._prefix = prefix

    def compose(self) -> ComposeResult:
        bar = StatusBar(self._state, TITLE)
        bar.prefix = self._prefix
        yield bar


def run(*events: e.AnyEvent, labels: dict[str, str] | None = None) -> RunState:
    settings = e.RunSettings(labels=labels or {})
    first = msgspec.structs.replace(started(), model=MODEL, settings=settings)
    text_format = e.ToolFormatChosen(format=e.ToolFormat(mode="text", family="json"), why="")
    return fold([first, text_format, *events])


async def shown(state: RunState, columns: int, prefix: str = "") -> str:
    app = Header(state, prefix)
    async with app.run_test(size=(columns, 5)):
        bar = app.query_one(StatusBar)
        return "".join(segment.text for segment in bar.render_line(0))


@pytest.mark.parametrize("columns", [100, 130, 160])
async def test_the_title_comes_before_the_less_important_parts(columns: int) -> None:
    line = await shown(run(), columns)
    assert TITLE[:23] in line
    assert line.rstrip().endswith("● running")


async def test_with_room_for_everything_nothing_is_left_out() -> None:
    line = await shown(run(), 220)
    assert all(part in line for part in (MODEL, "docker", "calls: text", "mode auto", TITLE))


@pytest.mark.parametrize(
    ("columns", "words"),
    [(160, "‖ pausing after this reply · writing 0s"), (60, "‖ pausing · writing 0s")],
)
async def test_a_pause_waits_for_the_end_of_the_reply(columns: int, words: str) -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    writes = e.ModelDelta(step=1, channel="text", text="words")
    pauses = e.ModeChanged(mode="paused")
    assert (await shown(run(asked, writes, pauses), columns)).rstrip().endswith(words)
    ends = e.ReplyInterrupted(step=1)
    assert (await shown(run(asked, writes, pauses, ends), columns)).rstrip().endswith("‖ paused")


async def test_a_frozen_run_keeps_its_mode() -> None:
    asks = e.ModeChanged(mode="ask")
    line = await shown(run(asks, e.ModeChanged(mode="paused"), e.SandboxFrozen()), 160)
    assert "mode ask" in line
    assert "frozen" in line


@pytest.mark.parametrize("columns", [160, 60])
async def test_a_frozen_run_that_waits_says_both(columns: int) -> None:
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    waits = (e.CallProposed(call=call), e.CallHeld(call=1))
    line = await shown(run(*waits, e.ModeChanged(mode="paused"), e.SandboxFrozen()), columns)
    assert line.rstrip().endswith("mode auto ‖ frozen  ◆ waits for you")


async def test_a_sample_says_which_one_it_is() -> None:
    line = await shown(run(labels={"samples": "a1b2", "sample": "2"}), 200)
    assert "sample 2" in line


async def test_on_a_narrow_line_it_stays_visible_that_another_screen_steers() -> None:
    line = await shown(run(), 60, "you are in control, 2 watching")
    assert "you are in control, 2 watching" in line
    assert line.rstrip().endswith("● running")


@pytest.mark.parametrize("columns", [100, 130, 160])
async def test_the_model_is_shortened_but_named(columns: int) -> None:
    line = await shown(run(), columns)
    assert "Qwen3-Co" in line


@pytest.mark.parametrize("columns", [118, 119])
async def test_the_tokens_are_shown_before_how_full_the_context_is(columns: int) -> None:
    found = e.ContextLengthFound(context=e.ContextLength(tokens=32_768, source="server"))
    usage = e.Usage(input_tokens=469)
    replied = e.ModelReplied(
        step=1, message={}, text="", reasoning="", usage=usage, finish_reason="stop", latency=1.0
    )
    line = await shown(run(found, e.ModelAsked(step=1, digest="", messages=1), replied), columns)
    assert "469 tok" in line
