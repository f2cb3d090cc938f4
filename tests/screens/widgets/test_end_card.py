"""The card at the end of a run, at small and large sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs
from textual.app import App, ComposeResult
from textual.screen import Screen

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.kinds.values import REBUILT
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.unit.event_streams import started
from tests.waiting import until


class OneCard(App[None]):
    """An app with only the card."""

    def __init__(self, height: int) -> None:
        super().__init__()
        self.max_height = height

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        card = EndCard("20260101-120000-sampl")
        card.styles.max_height = self.max_height
        yield card


def finished_state(output: Path | None, answer: str | None = "one\n\ntwo\nthree") -> RunState:
    state = RunState()
    totals = e.Totals(
        steps=7, calls=6, failed_calls=1, usage=e.Usage(input_tokens=10_500), cost=0.02, seconds=83
    )
    where = str(output) if output else None
    state.apply(
        e.RunFinished(reason="submitted", error=None, totals=totals, answer=answer, output=where)
    )
    return state


async def shown(
    height: int, state: RunState, holds: str, size: tuple[int, int] = (100, 30)
) -> list[str]:
    app = OneCard(height)
    async with app.run_test(size=size) as pilot:
        card = app.query_one(EndCard)
        card.sync(state)
        await until(pilot, lambda: holds in card.render().plain)
        await pilot.pause()
        lines = card.render().plain.split("\n")
        assert len(lines) == card.content_size.height
        return lines


def rebuilt_state(reason: e.FinishReason) -> RunState:
    """The state at the end of a session that was rebuilt from another recording."""
    state = RunState()
    state.apply(structs.replace(started(), sandbox=REBUILT))
    state.apply(e.RunFinished(reason=reason, error=None, totals=e.Totals(seconds=1)))
    return state


async def test_the_card_of_a_rebuilt_session_says_what_the_recording_does_not_tell() -> None:
    lines = await shown(12, rebuilt_state("imported"), "imported")
    assert lines[0].startswith("○ imported  how it ended is not in the recording")
    assert "output/" not in "".join(lines)
    lines = await shown(12, rebuilt_state("submitted"), "submitted")
    assert lines[0].startswith("✓ submitted  no answer: the recording does not contain it")


async def test_the_card_shows_the_whole_outcome(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/a.csv").write_text("a,b")
    (tmp_path / "answer.txt").write_text("one")
    lines = await shown(12, finished_state(tmp_path), "a.csv")
    assert lines[0] == "✓ submitted  one"
    assert [line.strip() for line in lines[1:3]] == ["two", "three"]
    assert lines[3].startswith("  2 files, 6B, in /")
    assert lines[4] == "  answer.txt 3B · tables/a.csv 3B"
    assert lines[5] == "  7 steps · 6 calls, 1 failed · 10.5k tok · $0.02 · 01:23"
    assert lines[6].endswith("session 20260101-120000-sampl")


@pytest.mark.parametrize("height", [1, 2, 3, 4])
async def test_small_cards_keep_the_keys(height: int, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("one")
    lines = await shown(height, finished_state(tmp_path), "q leave")
    assert len(lines) == height
    assert "q leave" in lines[-1]
    if height > 1:
        assert lines[0].startswith("✓ submitted")


async def test_a_narrow_card_keeps_the_keys_that_the_bar_below_lacks(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("one")
    last = (await shown(6, finished_state(tmp_path), "q leave", size=(60, 20)))[-1]
    assert "V replay" in last
    assert "E export" in last
    assert "open folder" not in last


@pytest.mark.parametrize(
    ("answer", "why"),
    [(None, "output/answer.txt was not written"), ("\n", "output/answer.txt is empty")],
)
async def test_the_card_says_why_there_is_no_answer(answer: str | None, why: str) -> None:
    lines = await shown(12, finished_state(None, answer), "submitted")
    assert lines[0].rstrip() == f"✓ submitted  no answer: {why}"


async def test_the_card_shows_an_answer_that_was_only_said_in_submit() -> None:
    state = RunState()
    arguments = '{"answer": "7919"}'
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments=arguments)
    state.apply(e.CallProposed(call=call))
    state.apply(e.RunFinished(reason="submitted", error=None, totals=e.Totals(steps=1, calls=1)))
    lines = await shown(12, state, "submitted")
    assert lines[0] == "✓ submitted  7919 (said in submit; output/answer.txt was not written)"


async def test_the_card_shows_that_submit_said_something_else() -> None:
    state = RunState()
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments='{"answer": "42"}')
    state.apply(e.CallProposed(call=call))
    end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="17\n")
    state.apply(end)
    lines = await shown(12, state, "submitted")
    assert lines[0] == "✓ submitted  17 (output/answer.txt; submit said 42)"


async def test_a_long_answer_is_cut_and_says_so() -> None:
    lines = await shown(12, finished_state(None, "\n".join(map(str, range(40)))), "q leave")
    assert "… 36 more lines" in "\n".join(lines)
    assert "  no files in output/" in lines


async def test_results_that_were_not_asked_for_are_not_called_missing() -> None:
    """Samples of evaluations write an answer, too; only their folder is not copied out."""
    for sandbox, output, words in (
        ("docker", None, "output/ was not copied out"),
        ("docker", "/results", "no files in output/"),
        ("none", None, "no files in output/"),
    ):
        state, settings = RunState(), e.RunSettings(output=output)
        state.apply(structs.replace(started(), sandbox=sandbox, settings=settings))
        state.apply(finished_state(None).finished)  # type: ignore[arg-type]
        assert f"  {words}" in await shown(12, state, words)


async def test_results_that_could_not_be_copied_are_not_called_missing() -> None:
    state = RunState()
    why = "Directory '/etc/passwd' is a file."
    state.apply(e.Warned(text=f"The results could not be copied out: {why}"))
    state.apply(finished_state(None).finished)  # type: ignore[arg-type]
    lines = await shown(12, state, "not copied")
    at = lines.index(f"  results were not copied out: {why}")
    assert lines[at + 1].endswith(
        "run again, with an output folder that has room and can be written"
    )
    assert "no files in output/" not in "".join(lines)
    (line,) = [line for line in await shown(4, state, "not copied", (60, 20)) if "copied" in line]
    assert line.startswith("  results were not copied out: Directory")


async def test_small_cards_list_the_files_on_one_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "answer.txt").write_text("one")
    (tmp_path / "tables-with-a-long-name-of-their-own.csv").write_text("a,b")
    lines = await shown(4, finished_state(tmp_path), "answer.txt", size=(60, 20))
    assert lines[0].startswith("✓ submitted")
    assert lines[1].startswith("  answer.txt 3B · tables-with-a-long-name")
    assert lines[1].endswith("…")
    assert "q leave" in lines[-1]


async def test_deleted_results_are_not_shown_as_present(tmp_path: Path) -> None:
    lines = await shown(12, finished_state(tmp_path / "gone"), "not on this machine")
    assert lines[3].startswith("  results are not on this machine; they were in /")


async def test_what_was_not_submitted_is_shown_and_marked() -> None:
    state = RunState()
    totals = e.Totals(steps=3, calls=3)
    why = "The run reached its limit of 3 steps."
    answer = "Corvane 1914 8409\nand more"
    state.apply(e.RunFinished(reason="max_steps", error=why, totals=totals, answer=answer))
    lines = await shown(12, state, "max steps")
    assert lines[0] == f"✗ max steps  {why}"
    assert lines[1] == "             (not submitted) Corvane 1914 8409 …"


async def test_a_small_card_shows_where_the_results_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "output" / "20260101-120000-sampl"
    folder.mkdir(parents=True)
    (folder / "answer.txt").write_text("one")
    monkeypatch.chdir(tmp_path)
    lines = await shown(6, finished_state(folder, "one"), "answer.txt", size=(60, 20))
    assert lines[1] == "  1 file, 3B, in output/20260101-120000-sampl"
    assert lines[2] == "  answer.txt 3B"


def after_words(reason: e.FinishReason, error: str | None, steps: int = 1) -> RunState:
    """A run that ended without an answer, after a reply and one without words."""
    state = RunState()
    for step, text in ((1, "The answer is **42**.\n\nBye."), (2, "")):
        reply = e.ModelReplied(
            step=step, message={}, text=text, reasoning="", usage=e.Usage(), finish_reason="stop",
            latency=1.0,
        )  # fmt: skip
        state.apply(reply)
    state.apply(e.RunFinished(reason=reason, error=error, totals=e.Totals(steps=steps)))
    return state


async def test_without_an_answer_the_last_reply_is_shown_as_such() -> None:
    lines = await shown(12, after_words("submitted", None), "q leave")
    assert lines[0].endswith("no answer: output/answer.txt was not written")
    assert lines[1] == "  last reply: The answer is 42. Bye."
    lines = await shown(12, after_words("max_steps", "It reached 2 steps."), "q leave")
    assert lines[:2] == ["✗ max steps  It reached 2 steps.", "  last reply: The answer is 42. Bye."]
    assert "last reply" not in "\n".join(await shown(12, finished_state(None), "q leave"))


async def test_another_model_is_offered_where_the_model_failed() -> None:
    for steps, words in (
        (1, "F fork with another model"),
        (0, "ctrl+r run again with another model"),
    ):
        state = after_words("model_error", "There is no such model.", steps)
        for size in ((100, 30), (60, 20)):
            lines = await shown(12, state, "q leave", size=size)
            assert lines[2] == f"  {words}"
            assert lines[-1].count("fork") == 0
    lines = await shown(12, after_words("max_steps", "It reached 2 steps."), "q leave")
    assert "another model" not in "\n".join(lines)
    assert "F fork" in lines[-1]


@pytest.mark.parametrize(("asks", "word"), [(True, "leave"), (False, "back")])
async def test_the_card_and_the_key_bar_call_leaving_alike(
    asks: bool, word: str, tmp_path: Path
) -> None:
    finished = e.RunFinished(
        reason="submitted", error=None, totals=e.Totals(), answer="1", output=None
    )
    store = Store(tmp_path / "s.db")
    app, watched = SandboxTui(load(), store), WatchedRun([sample_run()[0], finished])
    async with app.run_test(size=(160, 45)) as pilot:
        await app.push_screen(Screen())  # as the wall, from which the run is opened
        screen = LiveScreen(watched, store, confirm_leave=asks)
        await app.push_screen(screen)
        card, bar = screen.query_one(EndCard), screen.query_one(KeyBar)
        await until(pilot, lambda: f"q {word}" in card.render().plain)
        await until(pilot, lambda: f"q {word}" in bar.render_line(0).text)
