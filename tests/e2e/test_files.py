"""Files in the real program in a real terminal."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.tmux import Terminal
from tests.integration.conftest import require


def test_files_of_the_demo(own_home: Path, tmp_path: Path) -> None:
    """Filter, preview, compare, edit by hand, copy out; then view the same session in a replay."""
    require("bubblewrap")
    demo = ("demo", "--speed", "40", "--sandbox", "bubblewrap", "--step", "--output", str(tmp_path))
    with Terminal(*demo, home=own_home) as terminal:
        terminal.wait_for("waits for you", "1 bash")
        for number in range(1, 10):
            terminal.press("a")
            terminal.wait_for(
                f"{number + 1} bash" if number in (1, 2, 4, 6, 8, 9) else f"{number + 1} edit"
            )
            terminal.wait_for("waits for you")
        terminal.press("3")
        terminal.wait_for("d diff")
        terminal.press("/")
        terminal.wait_for("enter keep")
        terminal.type("grain")
        terminal.wait_gone("aldwick.txt   ")
        terminal.press("Enter")
        terminal.wait_for("“grain” 1", "PNG picture, 320 × 180 pixels", "▀▀▀▀▀▀")
        terminal.press("Escape")
        terminal.wait_gone("“grain”")
        terminal.press("/")
        terminal.wait_for("enter keep")
        terminal.type("solve")
        terminal.press("Enter")
        terminal.wait_for("“solve” 1", "import json")
        terminal.press("d")
        terminal.wait_for("→ now · +1 -1")
        terminal.press("E")
        terminal.wait_for("edit /testbed/solve.py", "visible to model")
        terminal.type("# by hand")
        terminal.press("Enter", "C-s")
        terminal.wait_for("by you +1 -0", "visible to model", "+ # by hand")
        terminal.press("p")
        terminal.wait_for("copy out solve.py")
        terminal.press("Enter")
        terminal.wait_for("Copied out to")
        assert (tmp_path / "solve.py").read_text().startswith("# by hand\n")
        terminal.press("a")
        terminal.wait_for("11 submit", "waits for you")
        terminal.press("a")
        terminal.wait_for("submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0
    with Terminal("replay", "last", home=own_home) as terminal:
        terminal.wait_for("replay", "playing")
        terminal.press("$", "3")
        terminal.wait_for("by you +1 -0", "d diff")
        terminal.press("/")
        terminal.wait_for("enter keep")
        terminal.type("solve")
        terminal.press("Enter")
        terminal.wait_for("“solve” 1", "# by hand")
        terminal.press("d")
        terminal.wait_for("+ # by hand")
        terminal.press("o")
        terminal.wait_for("esc close", '"""Find the largest', "1 + # by hand")
        terminal.press("q")
        terminal.wait_for("replay")
        terminal.press("q")
        assert terminal.exit_code() == 0
