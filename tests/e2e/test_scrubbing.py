"""Moving back and forth in a recorded session, in a real terminal."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.tmux import Terminal, record_demo
from tests.integration.conftest import require


def test_the_demo_is_scrubbed(own_home: Path) -> None:
    """Go to a step, a failure, a match, a point of the timeline by mouse; the panes follow."""
    require("bubblewrap")
    record_demo(own_home)
    with Terminal("replay", "last", home=own_home) as terminal:
        terminal.wait_for("replay", "playing", "┼", "✗")
        terminal.press(":")
        terminal.wait_for("enter go")
        terminal.type("6")
        terminal.press("Enter")
        terminal.wait_for("paused", "step 6 of", "step 6 ")
        assert "solve.py" in terminal.screen()
        terminal.press("0")
        terminal.wait_for("event 0/")
        terminal.wait_gone("solve.py")
        terminal.press("n")
        terminal.wait_for("✗ exit 1", "report_parser")
        terminal.press("1", "/")
        terminal.wait_for("search")
        terminal.type("grain.png")
        screen = terminal.wait_for(" of ", " found ─")
        found = re.search(r"(\d+) of (\d+) found", screen)
        assert found is not None
        terminal.press("Enter")
        terminal.wait_gone("enter keep for")
        terminal.press("N")
        place, count = int(found[1]), int(found[2])
        terminal.wait_for(f"{place - 1 or count} of {count} found")

        line = next(i for i, text in enumerate(terminal.screen().split("\n"), 1) if "┼" in text)
        terminal.type(f"\x1b[<0;4;{line}M")
        terminal.wait_for("calls 0", "00:00 /")
        terminal.type(f"\x1b[<32;150;{line}M")
        terminal.type(f"\x1b[<0;150;{line}m")
        terminal.wait_for("calls 11", "✓ submitted")
        terminal.press("S-Left")
        terminal.wait_gone("✓ submitted")
        terminal.press("$")
        terminal.wait_for("✓ submitted")
        terminal.press("Space")  # play from the beginning at full speed
        terminal.press(*"++++++")
        terminal.wait_for("playing ×64")
        terminal.wait_for("paused ×64", "✓ submitted", "calls 11")
        terminal.press("q")
        assert terminal.exit_code() == 0
