"""The tabs of the terminal pane: a clickable title in its border."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from textual.content import Content
from textual.style import Style

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.theming.palette import Palette

_SIGNS = {"": "", "unseen": " •", "waits": " ?"}


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab.

    Attributes:
        name: name of its terminal.
        shown: whether its terminal is visible.
        ended: whether its program has ended.
        closable: whether it can be closed.
        sign: unseen output, or a program that waits for input.
    """

    name: str
    shown: bool
    ended: bool
    closable: bool
    sign: Literal["", "unseen", "waits"]


def title_of(tabs: Sequence[Tab], palette: Palette, *, more: bool) -> Content:
    """Return the title; clicks run the actions `show_tab`, `close_tab` and `new_shell`.

    Args:
        tabs: the tabs in order.
        palette: the palette to draw with.
        more: whether another shell can be opened.
    """
    dim, alert = Style.from_rich_style(palette.dim), Style.from_rich_style(palette.human)
    parts: list[tuple[str, Style]] = []
    for index, tab in enumerate(tabs):
        click = _click(f"show_tab({index})")
        words = sanitize_line(tab.name)
        parts += [(" │ ", dim)] if index else []
        parts.append((f"‹{words}›", click) if tab.shown else (words, dim + click))
        parts += [(" ended", dim + click)] if tab.ended else []
        parts += [(_SIGNS[tab.sign], alert + click)] if tab.sign else []
        parts += [(" ×", dim + _click(f"close_tab({index})"))] if tab.closable else []
    if more:
        parts += [(" │ ", dim), ("+", dim + _click("new_shell"))]
    return Content.assemble(*parts)


def _click(action: str) -> Style:
    return Style.from_meta({"@click": action})
