"""The progress of a film on the command line."""

from __future__ import annotations

import io
import sys

import pytest

from sandbox_tui.tui.cli.sessions.drawing_progress import show_progress


def test_without_a_terminal_every_tenth_of_a_film_is_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", written)
    for drawn in range(1, 51):
        show_progress(drawn, 50)
    first, *others = written.getvalue().splitlines()
    assert first == "Drawing 50 frames may take 10 seconds."
    assert others == [f"Drew frame {drawn} of 50." for drawn in range(5, 51, 5)]


def test_one_screenshot_needs_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", written)
    show_progress(1, 1)
    assert written.getvalue() == ""
