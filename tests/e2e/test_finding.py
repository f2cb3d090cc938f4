"""Finding sessions on the home screen, in a real terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.tmux import Terminal, record_demo
from tests.integration.conftest import require


@pytest.mark.parametrize("size", [(160, 45), (60, 20)], ids=["160x45", "60x20"])
def test_a_session_is_named_tagged_found_opened_at_the_place_and_deleted(
    size: tuple[int, int], own_home: Path
) -> None:
    require("bubblewrap")
    record_demo(own_home)
    with Terminal(home=own_home, columns=size[0], rows=size[1]) as terminal:
        terminal.wait_for("sessions 1")
        terminal.press("R")
        terminal.wait_for("enter save")
        terminal.type("grain and harbours")
        terminal.press("Enter")
        terminal.wait_gone("enter save")
        terminal.wait_for("grain and harbours")
        terminal.press("t")
        terminal.wait_for("enter save")
        terminal.type("Good")
        terminal.press("Enter")
        terminal.wait_for("#good")
        terminal.press("/")
        terminal.wait_for("search all sessions")
        terminal.type("tool:bash Corv")
        terminal.wait_for("1 session ·", "found", "output")
        terminal.press("Enter")
        terminal.wait_for("replay", " of 4 found")
        terminal.press("w")
        terminal.wait_for("note on step")
        terminal.type("the very place")
        terminal.press("Enter")
        terminal.wait_for("✎")  # in the timeline; a small screen shows the match
        terminal.press("q")
        terminal.wait_for("1 session ·")
        terminal.press("C-u")  # the line has the focus again
        terminal.type('tag:good "very place"')
        terminal.wait_for("1 session · 1 found", "note")
        terminal.press("Tab")
        terminal.press("x")
        terminal.wait_for("Delete “grain and harbours”", "kept.", "undone.")
        terminal.press("y")
        terminal.wait_for("No matches in any session")
        terminal.press("Escape")
        terminal.wait_gone("Deleted.")
        terminal.press("Escape")  # the first one put the notice away
        terminal.wait_for("Nothing here yet")
        terminal.press("q")
        assert terminal.exit_code() == 0
