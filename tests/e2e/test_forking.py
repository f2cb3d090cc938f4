"""A fork from the middle of a recorded session, and the comparison of both, in a real terminal."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.tmux import Terminal
from tests.integration.conftest import require


def test_the_demo_is_forked_and_compared(own_home: Path) -> None:
    """Replay, pause, go to a step, fork with a changed call and a message, compare side by side."""
    require("bubblewrap")
    flags = ("--speed", "40", "--sandbox", "bubblewrap", "--snapshots", "every")
    with Terminal("demo", *flags, home=own_home) as terminal:
        terminal.wait_for("submitted", "Corvane 1914 8409", "◇")
        terminal.press("q")
        assert terminal.exit_code() == 0
    with Terminal(home=own_home) as terminal:
        terminal.wait_for("sessions 1")
        terminal.press("Enter")
        terminal.wait_for("replay", "◇")
        terminal.press(":")
        terminal.wait_for("enter go")
        terminal.type("6")
        terminal.press("Enter")
        terminal.wait_for("paused", "step 6 of")
        terminal.press("F")
        terminal.wait_for(
            "a message for the model", "In step 6 of", "no calls have to be run again"
        )
        terminal.press("Tab", "Tab")
        terminal.type("please go on")
        terminal.press("F4")
        terminal.wait_for("fields / JSON")
        terminal.press("Escape")
        terminal.wait_gone("fields / JSON")
        terminal.press("F2")
        terminal.wait_for("forked here from", "please go on", "✓ submitted")
        terminal.press("q")
        terminal.wait_for("paused")
        terminal.press("q")
        terminal.wait_for("sessions 2", "└─", "forked in step 6")
        terminal.press("Home", "Space", "Down", "Space")
        terminal.wait_for("◉")
        terminal.press("c")
        terminal.wait_for("compare", "is a fork of", "your message on the right")
        terminal.press("q")
        terminal.wait_for("sessions 2")
        terminal.press("q")
        assert terminal.exit_code() == 0
