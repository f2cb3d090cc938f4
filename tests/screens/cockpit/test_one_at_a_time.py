from __future__ import annotations

from sandbox_tui.tui.screens.cockpit.live.ending_runs import EndingRunsDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.home.missing_image import MissingImageDialog


def test_screens_that_close_in_turn_keep_the_style_rules_of_what_they_are() -> None:
    assert "Cockpit" in LiveScreen._css_type_names
    for screen in (EditFileScreen, MissingImageDialog, EndingRunsDialog):
        assert "ModalScreen" in screen._css_type_names
