"""Two sessions compared on the screen: where they diverge, their files, replays from that step."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.aligned_calls import Call, Pair
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.compared.facts import Fact, fact_sign
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.both_calls import BothCalls
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.lines import PreviewLines
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_preview_kinds import PALETTE
from tests.waiting import until

SIZES = pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)], ids=str)

Said = tuple[str, int, str]
"""A command, its exit code and its output."""

SAME: Sequence[Said] = (("head -3 a.csv", 0, "id,mass"), ("python3 solve.py", 1, "KeyError"))


def session(store: Store, name: str, calls: Sequence[Said], files: dict[str, bytes]) -> None:
    """Record a session with these calls that leaves these files."""
    events: list[e.AnyEvent] = [started(name, task=f"Weigh the compounds\nas {name}")]
    for number, (command, code, output) in enumerate(calls, 1):
        made = e.ToolCall(
            number=number, step=number, id=f"c{number}", name="execute_bash",
            arguments=json.dumps({"command": command}),
        )  # fmt: skip
        observation = f"Exit code: {code}\n[STDOUT]\n{output}"
        end = e.CallFinished(
            call=number, observation=observation, ok=code == 0, exit_code=code, duration=0.3
        )
        events += [e.CallProposed(call=made), end]
    changes = tuple(
        e.FileChange(
            path=path,
            change="created",
            kind="file",
            size=len(data),
            blob=store.put_blob(name, data),
        )
        for path, data in files.items()
    )
    events.append(e.FilesChanged(step=len(calls), changes=changes))
    totals = e.Totals(steps=len(calls), calls=len(calls))
    events.append(e.RunFinished(reason="submitted", error=None, answer=name, totals=totals))
    store.append(name, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(events, 1)])


@asynccontextmanager
async def compared(
    tmp_path: Path, size: tuple[int, int]
) -> AsyncIterator[tuple[SandboxTui, Pilot[int], ComparisonRows]]:
    store = Store(tmp_path / "s.db")
    both = {"/testbed/same.txt": b"same"}
    mine = {**both, "/testbed/solve.py": b"a\nb\n", "/testbed/mine.txt": b"mine"}
    theirs = {**both, "/testbed/solve.py": b"a\nc\nd\n"}
    session(store, "one", [*SAME, ("make", 0, "built\n12 files"), ("ls", 0, "x")], mine)
    session(store, "two", [*SAME, ("make", 2, "built\nno rule"), ("ls", 0, "y")], theirs)
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=size) as pilot:
        await app.push_screen(CompareScreen(store.run("one"), store.run("two"), store))
        rows = app.screen.query_one(ComparisonRows)
        await until(pilot, lambda: bool(rows.rows))
        await pilot.pause()
        yield app, pilot, rows
    store.close()


def screen_text(app: SandboxTui) -> str:
    """Return the text on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip) for strip in strips)


@SIZES
async def test_the_bar_has_every_key(tmp_path: Path, size: tuple[int, int]) -> None:
    async with compared(tmp_path, size) as (app, _, _rows):
        bar = app.screen.query_one(KeyBar).render_line(0).text
        words = ["n next", "p diverge", "q back", "? help"]
        if size[0] >= 100:
            words += ["h hide equal", "o whole", "/ find", "s swap", "l play left"]
        assert [word for word in words if word not in bar] == []


@SIZES
async def test_it_begins_where_they_diverge_and_says_how_each_call_ended(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with compared(tmp_path, size) as (app, _, _rows):
        text = screen_text(app)
        for words in ("Calls 1 to 2 are", "diverge", "exit 0 · 0.30s · 2 lines", "exit 2"):
            assert words in text
        assert "line 2: 12 files" in text
        assert "line 2: no rule" in text
        assert text.count("make") == 2
        if size[0] > 60:
            assert "Weigh the compounds" in text
            assert "4, 2 failed" in text


@SIZES
async def test_the_next_differences_are_calls_and_then_files_that_open_as_a_diff(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with compared(tmp_path, size) as (app, pilot, rows):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        await until(pilot, lambda: any(len(x.plain) > 3 for x in app.screen.query(PreviewLines)))
        whole = "\n".join(app.screen.query_one(PreviewLines).plain)
        assert "12 files" in whole
        assert "no rule" in whole
        await pilot.press("escape", "n", "n", "n")
        await until(
            pilot, lambda: "right only" not in screen_text(app) and "left only" in screen_text(app)
        )
        await pilot.press("enter")
        await until(pilot, lambda: any(x.plain for x in app.screen.query(PreviewLines)))
        lines = app.screen.query_one(PreviewLines)
        await until(pilot, lambda: len(lines.plain) > 2)
        assert str(lines.border_title) == "/testbed/solve.py · difference 4 of 4"
        assert str(lines.border_subtitle) == "left 4B → right 6B · +2 -1"
        keys = app.screen.query_one(KeyBar).render_line(0).text
        assert "→ next difference" not in keys, "it is the last one"
        assert "← previous difference" in keys
        await pilot.press("escape", "N", "N")
        assert rows.cursor == len(rows.rows) - 5, "above: heading, blank, first file"


@SIZES
async def test_either_session_is_replayed_from_the_row_under_the_cursor(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with compared(tmp_path, size) as (app, pilot, _):
        for key, name in (("l", "one"), ("r", "two")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            replay = app.screen
            assert isinstance(replay, ReplayScreen)
            assert replay.session[1] == name
            await until(pilot, lambda replay=replay: replay.shows(7))
            await pilot.press("q")
            await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.press("s", "l")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        swapped = app.screen
        assert isinstance(swapped, ReplayScreen)
        assert swapped.session[1] == "two"
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))


@SIZES
async def test_a_running_session_is_not_replayed(tmp_path: Path, size: tuple[int, int]) -> None:
    store = Store(tmp_path / "s.db")
    session(store, "one", SAME, {})
    session(store, "two", SAME, {})
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=size) as pilot:
        running = dataclasses.replace(store.run("one"), outcome="running")
        await app.push_screen(CompareScreen(running, store.run("two"), store))
        rows = app.screen.query_one(ComparisonRows)
        await until(pilot, lambda: bool(rows.rows))
        assert "Identical: all 2 calls and their output." in screen_text(app)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
    store.close()


def proposal(number: int, command: str, started_at: float) -> list[e.AnyEvent]:
    """A call that waits for the user."""
    made = e.ToolCall(
        number=number, step=number, id=f"c{number}", name="execute_bash",
        arguments=json.dumps({"command": command}),
    )  # fmt: skip
    return [e.CallProposed(call=made, t=started_at), e.CallHeld(call=number, t=started_at)]


async def test_a_running_session_says_what_it_does_and_its_rows_follow(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    session(store, "one", SAME, {})
    begun = started("two", task="Weigh", started_at=time.time() - 60)
    waits = [begun, *proposal(1, "head -3 a.csv", 2.0)]
    store.append("two", [msgspec.structs.replace(x, seq=n) for n, x in enumerate(waits, 1)])
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=(160, 45)) as pilot:
        await app.push_screen(CompareScreen(store.run("one"), store.run("two"), store))
        await until(pilot, lambda: "◆ waits for you" in screen_text(app))
        text = screen_text(app)
        assert "compare · right is running · nothing to compare yet" in text
        assert re.search(r"left  .* right \(running\)", text), "at the figures"
        assert "not yet" in text
        assert "waits for approval" in text
        assert "still running" not in text
        assert re.search(r"time .* 01:0\d", text), "the clock goes on while nothing happens"
        done = e.CallFinished(call=1, observation="other", ok=True, exit_code=0, duration=1.0)
        more = [
            e.CallDecided(call=1, verdict="approve", by="human", t=3.0),
            msgspec.structs.replace(done, t=4.0),
            *proposal(2, "python3 other.py", 5.0),
        ]
        store.append("two", [msgspec.structs.replace(x, seq=n) for n, x in enumerate(more, 4)])
        await until(pilot, lambda: "other.py" in screen_text(app))
        assert "diverge at step 2, call 2: different arguments" in screen_text(app)
    store.close()


async def test_output_of_both_that_takes_several_rows_is_marked(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    printed = [("python3 solve.py", 0, "unbroken" * 20)]
    for name in ("one", "two"):
        session(store, name, printed, {})
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.push_screen(CompareScreen(store.run("one"), store.run("two"), store))
        rows = app.screen.query_one(ComparisonRows)
        await until(pilot, lambda: bool(rows.rows))
        rows.cursor = next(n for n, row in enumerate(rows.rows) if isinstance(row, Pair))
        await pilot.press("enter")
        await until(pilot, lambda: "output of both" in screen_text(app))
        assert "↳ " in screen_text(app)
    store.close()


LONG = "cd /testbed && PYTHONWARNINGS=ignore python3 -X dev solve.py --input a.csv --seed {}"


@SIZES
async def test_calls_that_differ_late_show_what_differs_and_open_as_a_diff(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    store = Store(tmp_path / "s.db")
    session(store, "one", [*SAME, (LONG.format(1), 0, "a\nwater")], {})
    session(store, "two", [*SAME, (LONG.format(7), 0, "a\nosmium")], {})
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=size) as pilot:
        await app.push_screen(CompareScreen(store.run("one"), store.run("two"), store))
        await until(pilot, lambda: bool(app.screen.query_one(ComparisonRows).rows))
        await pilot.pause()
        text = screen_text(app)
        assert "--seed 1" in text
        assert "--seed 7" in text
        assert "args" in text
        await pilot.press("h")
        await until(pilot, lambda: "2 identical calls" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: any(x.plain for x in app.screen.query(PreviewLines)))
        lines = app.screen.query_one(PreviewLines)
        await until(pilot, lambda: len(lines.plain) > 6)
        marked = [line for line in lines.plain if "seed" in line or "water" in line]
        assert any("- " in line for line in marked), "a diff, not one after the other"
        assert str(lines.border_title) == "call 3 of both · difference 1 of 1"
        assert str(lines.border_subtitle) == "different arguments"
    store.close()


async def test_words_are_found_in_the_rows_and_their_outputs(tmp_path: Path) -> None:
    async with compared(tmp_path, (160, 45)) as (app, pilot, rows):
        await pilot.press("home", "slash", *"KeyError")
        await until(pilot, lambda: "solve.py" in rows.draw_block(rows.cursor, 150)[0].plain)
        typed = rows.cursor
        await pilot.press("enter")
        await until(pilot, lambda: "“KeyError” 1 of 1 found" in screen_text(app))
        found = rows.cursor
        assert found == typed, "it was there already"
        assert "solve.py" in rows.draw_block(found, 150)[0].plain
        await pilot.press("escape")
        await until(pilot, lambda: "“KeyError”" not in screen_text(app))
        await pilot.press("p")
        assert rows.cursor == rows.divergence_at
        assert rows.cursor != found


async def test_pictures_are_next_to_each_other(tmp_path: Path) -> None:
    from PIL import Image

    store = Store(tmp_path / "s.db")
    for name, colour in (("one", "red"), ("two", "blue")):
        data = io.BytesIO()
        Image.new("RGB", (40, 20), colour).save(data, "PNG")
        session(store, name, SAME, {"/testbed/plot.png": data.getvalue()})
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(CompareScreen(store.run("one"), store.run("two"), store))
        await until(pilot, lambda: bool(app.screen.query_one(ComparisonRows).rows))
        await pilot.press("n", "enter")
        await until(pilot, lambda: bool(app.screen.query("#picture-right")))
        sides = [app.screen.query_one(f"#picture-{side}") for side in ("left", "right")]
        await until(pilot, lambda: all(side.children for side in sides))
        left, right = (side.region for side in sides)
        assert left.y == right.y
        assert left.right <= right.x
    store.close()


async def test_the_row_stays_in_view_when_the_window_changes_below_a_diff(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    calls = [(f"echo {number}", 0, "x") for number in range(60)]
    session(store, "one", [*calls, ("make", 0, "a")], {})
    session(store, "two", [*calls, ("make", 0, "b")], {})
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=(160, 45)) as pilot:
        screen = CompareScreen(store.run("one"), store.run("two"), store)
        await app.push_screen(screen)
        rows = screen.query_one(ComparisonRows)
        await until(pilot, lambda: rows.cursor > 60)
        chosen = rows.current
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        await pilot.resize_terminal(60, 20)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen and rows.size.width < 60)
        await until(pilot, lambda: rows.is_visible(rows.cursor))
        assert rows.current is chosen
    store.close()


@pytest.mark.parametrize(
    ("ran", "told"),
    [
        ("echo a", "right: edited by you; the model wrote the call on the left"),
        ("echo b", "right: edited by you; the model wrote"),
    ],
)
def test_a_call_edited_in_a_fork_is_not_shown_again(ran: str, told: str) -> None:
    """What the model wrote in a fork is usually what its origin ran."""
    origin = Call(
        number=1, step=1, tool="execute_bash", arguments=json.dumps({"command": ran}), ok=True
    )
    fork = dataclasses.replace(
        origin,
        arguments=json.dumps({"command": "echo mine"}),
        verdict="edit",
        decided_by="human",
        proposed_arguments=json.dumps({"command": "echo a"}),
    )
    lines = [line.plain for line in BothCalls(Pair(origin, fork)).lines(80, PALETTE)]
    assert told in lines
    assert lines.count("echo a") == (0 if ran == "echo a" else 1)


@pytest.mark.parametrize("width", [40, 56])
def test_what_an_edited_call_says_wraps_at_words(width: int) -> None:
    origin = Call(number=1, step=1, tool="execute_bash", arguments='{"command": "echo a"}')
    fork = dataclasses.replace(
        origin,
        arguments='{"command": "echo b"}',
        verdict="edit",
        decided_by="human",
        proposed_arguments='{"command": "echo a"}',
    )
    lines = [line.plain for line in BothCalls(Pair(origin, fork)).lines(width, PALETTE)]
    assert "the model wrote the call on the left" in " ".join(line.strip() for line in lines)
    assert all(len(line) <= width for line in lines)


def test_the_header_of_two_calls_wraps_between_its_parts() -> None:
    """Each line fits, and no part is torn."""
    call = Call(
        number=104,
        step=99,
        tool="str_replace_editor",
        arguments="{}",
        ok=False,
        observation="x\n" * 1200,
        duration=75.0,
        verdict="edit",
        decided_by="human",
    )
    lines = [line.plain for line in BothCalls(Pair(call, call)).lines(44, PALETTE)]
    header = lines[: lines.index("")]
    assert max(map(len, header)) <= 44
    assert len(header) == 4
    assert "edited by you" in " · ".join(header)
    assert all(line.startswith(("left  ", "right ", "      ")) for line in header)


def test_each_fact_has_a_sign_unless_it_would_say_nothing() -> None:
    def signs(name: str, *, is_open: bool = False) -> tuple[str, str]:
        equal = Fact(name, "a", "a", is_open=is_open)
        return fact_sign(equal), fact_sign(equal._replace(right="b"))

    assert signs("model") == signs("outcome") == signs("title") == ("=", "≠")
    assert signs("model", is_open=True) == ("=", "≠")
    assert signs("answer", is_open=True) == ("=", "")
    assert signs("session") == ("=", "")
    assert fact_sign(Fact("tokens", "3.8k", "3.8k", "+23")) == "≠"
    assert signs("") == ("", "")


async def test_titles_begin_with_the_numbers_of_tiles_on_the_wall(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    for name in ("one", "two"):
        session(store, name, SAME, {})
    app = SandboxTui(load(), store)
    async with app.run_test(size=(120, 30)) as pilot:
        left, right = store.run("one"), store.run("two")
        await app.push_screen(CompareScreen(left, right, store, tiles={"one": 4, "two": 5}))
        await until(pilot, lambda: "run 4 · Weigh" in screen_text(app))
        assert "run 5 · Weigh" in screen_text(app)
