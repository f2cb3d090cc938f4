"""Forks and comparisons on the screen, on a real sandbox."""

from __future__ import annotations

import os
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.integration.conftest import require
from tests.integration.test_runs import settings, watch
from tests.waiting import until

SHOTS = os.environ.get("FORK_SHOTS")
"""Folder for screenshots; none are made if unset."""


async def go_to(pilot: Pilot[int], replay: ReplayScreen, seq: int) -> None:
    """Pause the replay at this event."""
    if replay.query_one(Timeline).playing:
        replay.action_play()
    replay.seek(seq)
    await until(pilot, lambda: replay.position == seq)


def shot(app: SandboxTui, name: str) -> None:
    if SHOTS:
        size = app.size
        app.save_screenshot(f"{name}-{size.width}x{size.height}.svg", SHOTS)


async def recorded(tmp_path: Path) -> tuple[Store, str, Settings]:
    require("bubblewrap")
    usual = settings("bubblewrap", **{"agent.output": str(tmp_path / "out")})
    wanted = demo_request(
        settings("bubblewrap", **{"sandbox.snapshots": "every"}),
        speed=0,
        output=tmp_path / "out",
    )
    _, store, run_id = await watch(wanted, tmp_path)
    return store, run_id, usual


async def test_a_fork_from_the_moment_that_is_shown_and_its_comparison(tmp_path: Path) -> None:
    store, run_id, usual = await recorded(tmp_path)
    end = next(x.seq for x in store.events(run_id) if isinstance(x, e.CallFinished) and x.call == 6)
    app = SandboxTui(usual, store, None)
    async with app.run_test(size=(140, 42)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None and sessions.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        replay = app.screen
        assert isinstance(replay, ReplayScreen)
        await go_to(pilot, replay, end)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        form = app.screen
        await pilot.pause()
        where = str(form.query_one("#where", Static).render())
        assert f"After step 6 of {run_id}" in where
        assert "snapshot after step 6" in str(form.query_one("#repeats", Static).render())
        assert form.query_one("#model", Input).value == "demo script"
        form.query_one("#message", TextArea).text = "Please be brief."
        shot(app, "fork")
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is form)
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, live.worker.ended.is_set)
        await until(pilot, lambda: live.state.finished is not None)
        shot(app, "forked")
        assert live.state.finished is not None
        assert live.state.finished.reason == "submitted"
        assert live.state.humans[1].text == "Please be brief."
        await pilot.press("q")
        await until(pilot, lambda: app.screen is replay)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.block_count() == 2)
        drawn = [line.plain for n in range(2) for line in sessions.draw_block(n, 138)]
        assert drawn[1].startswith(" └─")
        assert drawn[2].strip() == "forked after step 6 · “Please be brief.”"
        sessions.focus()
        await pilot.press("home", "space", "down", "space")
        shot(app, "family")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await until(pilot, lambda: any(rows.rows for rows in app.screen.query(ComparisonRows)))
        rows = app.screen.query_one(ComparisonRows)
        text = "\n".join(rows.draw_block(n, 136)[0].plain for n in range(len(rows.rows)))
        assert "The sessions diverge after call 6 (step 6): your message on the right." in text
        assert "files are identical" in text
        await pilot.press("s", "n")
        await pilot.pause()
        shot(app, "compare")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    store.close()


async def test_a_fork_of_a_submitted_session_starts_before_it_submitted(tmp_path: Path) -> None:
    store, run_id, usual = await recorded(tmp_path)
    last = store.run(run_id).steps
    app = SandboxTui(usual, store, None)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None and sessions.has_focus)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        form = app.screen
        await pilot.pause()
        at, message = form.query_one("#at", Input), form.query_one("#message", TextArea)
        assert (at.value, at.border_subtitle) == (str(last - 1), f"step {last} submits")
        assert message.border_title == "a message for the model, optional"
        shot(app, "fork-before-submit")
        at.value = str(last)
        await until(pilot, lambda: str(message.border_title).endswith("needed after submit"))
        assert at.border_subtitle == ""
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.focused is message)
        assert app.screen is form, "it could only submit again"
        await pilot.press(*"more", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, live.worker.ended.is_set)
    store.close()


async def test_an_imported_demo_is_forked_with_a_model_of_ones_own(tmp_path: Path) -> None:
    store, run_id, usual = await recorded(tmp_path)
    bundle = tmp_path / "demo.db"
    (part,) = EXPORTERS["bundle"].write(Recording(store, run_id))
    bundle.write_bytes(part.data)
    store.close()
    other = Store(tmp_path / "other.db")
    import_file(other, bundle)
    app = SandboxTui(usual, other, None)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None and sessions.has_focus)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        form = app.screen
        await pilot.pause()
        model = form.query_one("#model", Input)
        assert model.value == usual.model.name
        for typed, words in (("", "a model's name"), ("demo script", "Choose a real model")):
            model.value = typed
            await pilot.pause()
            await pilot.press("ctrl+s")
            await until(pilot, lambda words=words: words in str(model.border_subtitle))
            assert model.has_class("-wrong")
            assert (app.screen, app.focused) == (form, model)
            shot(app, f"fork-imported-{typed or 'empty'}")
        model.value = "gpt"
        await until(pilot, lambda: not model.has_class("-wrong"))
    other.close()


async def test_a_finished_call_is_forked_with_other_arguments(tmp_path: Path) -> None:
    """Editing the call moves the fork point to just before it; fork and parent diverge there."""
    store, run_id, usual = await recorded(tmp_path)
    end = next(x.seq for x in store.events(run_id) if isinstance(x, e.CallFinished) and x.call == 5)
    app = SandboxTui(usual, store, store.run(run_id))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        replay = app.screen
        assert isinstance(replay, ReplayScreen)
        await go_to(pilot, replay, end)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        form = app.screen
        shot(app, "fork")
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        field = app.screen.query(TextArea).first()
        assert field.text == "python3 solve.py"
        field.text = "ls -l solve.py"
        await pilot.press("f2")
        await until(pilot, lambda: app.screen is form)
        where = form.query_one("#where", Static)
        await until(pilot, lambda: "with call 5 changed:" in str(where.render()))
        assert "In step 5" in str(where.render())
        changed = form.query_one("#changed", Static)
        assert str(changed.render()).split("\n") == ["- python3 solve.py", "+ ls -l solve.py"]
        shot(app, "fork-changed")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, live.worker.ended.is_set)
        child = live.worker.run_id
        app.push_screen(CompareScreen(store.run(run_id), store.run(child), store))
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await until(pilot, lambda: any(rows.rows for rows in app.screen.query(ComparisonRows)))
        rows = app.screen.query_one(ComparisonRows)
        text = "\n".join(rows.draw_block(n, 96)[0].plain for n in range(len(rows.rows)))
        assert "identical; the sessions diverge at call 5 (step 5): different arguments." in text
        await pilot.pause()
        shot(app, "compare")
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        shot(app, "compare")
        await pilot.press("enter")
        await pilot.pause()
        shot(app, "both-calls")
    store.close()
