"""Saving a screenshot."""

from __future__ import annotations

import html
import re

import pytest
from textual.app import App
from textual.screen import Screen

from sandbox_tui.tui.screens.cockpit.replay.save_screenshot import screenshot_of


@pytest.mark.parametrize("columns", [60, 100, 160])
async def test_the_title_of_a_screenshot_stays_inside_its_frame(columns: int) -> None:
    app: App[None] = App()
    async with app.run_test(size=(columns, 10)):
        screen: Screen[None] = Screen()
        await app.push_screen(screen)
        drawn = screenshot_of(screen, "which harbour lost the most grain " * 9).decode()
    (title,) = re.findall(r"<text[^>]*-title\"[^>]*>([^<]*)</text>", drawn)
    words = html.unescape(title).replace("\xa0", " ")
    assert words.startswith("which harbour")
    assert words.endswith(" …")
    assert len(words) <= columns // 2
