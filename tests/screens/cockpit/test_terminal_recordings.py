"""Imported recordings of a terminal: there is output, but no conversation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ForkRefused
from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.screens.home.test_find_sessions import at_home
from tests.security.crafted import asciicast
from tests.waiting import until

NO_CONVERSATION = "a recording of a terminal has no conversation to fork"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a recording of a terminal, the session `last`."""
    file = asciicast(tmp_path / "a.cast", ((n * 0.1, "o", f"line {n}\r\n") for n in range(9)))
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        import_file(made, file)
        yield made


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_the_terminal_of_the_recording_is_shown(store: Store, size: tuple[int, int]) -> None:
    (run,) = store.runs()
    app = SandboxTui(load({}), store, run)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign")
        await until(pilot, lambda: screen.shows(run.last_seq))
        pane = screen.query_one(TerminalPane)
        await until(pilot, lambda: pane.view.size.height and "line 8" in drawn(pane))
        assert pane.shown == "shell"
        assert "model" not in str(pane.border_title)  # nothing is in it
        await until(pilot, lambda: pane.view.has_focus)
        (fork,) = (one for one in available_actions(screen) if one.name == "replay.fork")
        assert fork.off == NO_CONVERSATION
        assert "fork" not in screen.query_one(EndCard).render().plain


def drawn(pane: TerminalPane) -> str:
    return "\n".join(pane.view.render_line(y).text for y in range(pane.view.size.height))


async def test_home_says_why_it_cannot_be_forked(store: Store) -> None:
    async with at_home(store) as (home, _pilot):
        assert isinstance(home, HomeScreen)
        (fork,) = (one for one in available_actions(home) if one.name == "home.fork")
        assert fork.off == NO_CONVERSATION


@pytest.mark.parametrize("at", ["0", "end", "seq:3"])
def test_the_command_line_refuses_to_fork_it(store: Store, at: str) -> None:
    (run,) = store.runs()
    with pytest.raises(ForkRefused, match="no conversation to fork") as refused:
        ForkPlan(store, run, at)
    assert refused.value.exit_code == 2
