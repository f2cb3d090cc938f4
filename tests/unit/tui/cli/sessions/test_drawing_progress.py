"""The progress of a film on the command line."""

from __future__ import annotations

import io
import sys

import pytest

from sandbox_tui.tui.cli.sessions.drawing_progress import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", written)
    for drawn in range(1, 51):
        show_progress(drawn, 50)
    assert written.getvalue() == ""


def test_a_terminal_has_one_line_that_is_cleared_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = Terminal()
    monkeypatch.setattr(sys, "__stderr__", written)
    for drawn in (1, 2, 3):
        show_progress(drawn, 3)
    assert written.getvalue() == (
        "\r\x1b[KDrawing frame 1 of 3.\r\x1b[KDrawing frame 2 of 3.\r\x1b[K"
    )


def test_one_screenshot_needs_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", written)
    show_progress(1, 1)
    assert written.getvalue() == ""
