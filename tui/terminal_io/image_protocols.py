"""Chooses how to draw images: kitty's protocol, sixel, or half blocks, which always work.

The terminal can be queried only before the screen begins, since afterwards its answers go to
Textual. `prepare` does so; without it, images are drawn in half blocks. On import,
textual-image would query the terminal itself and could mistake late answers for keys: this module
prevents that and passes it the result.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Literal

from sandbox_tui.tui.terminal_io.capabilities import Answers, asked_terminal

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from textual.widget import Widget

Way = Literal["kitty", "sixel", "blocks", "none"]

_KITTY_TERMINALS = ("kitty", "ghostty")
"""Terminals that support kitty's placeholders."""

_found: list[Way] = []
_typed: list[str] = []


Wanted = Literal["auto", "kitty", "sixel", "blocks", "none"]


def prepare(wanted: Wanted = "auto") -> Way:
    """Determine how images are drawn. Must be called before the screen begins."""
    with preparing(wanted):
        pass
    return way()


@contextlib.contextmanager
def preparing(wanted: Wanted = "auto") -> Generator[None, None, None]:
    """Like `prepare`, around other work that can be done while the terminal answers."""
    if wanted in ("blocks", "none"):
        _found[:] = [wanted]
        yield
        return
    with asked_terminal(about_kitty=_may_be_kitty(os.environ)) as answers:
        yield
        _settle(wanted, answers())


def _settle(wanted: Literal["auto", "kitty", "sixel"], answers: Answers) -> None:
    _typed[:] = answers.typed
    way: Way = "kitty" if answers.kitty else "sixel" if answers.sixel else "blocks"
    _found[:] = [way if wanted == "auto" else wanted]
    if _found[0] != "blocks" and answers.cell is not None and _load():
        from textual_image import _terminal

        size = _terminal.CellSize(*(max(1, pixels) for pixels in answers.cell))
        vars(_terminal.get_cell_size)["_result"] = size


def way() -> Way:
    """Return how images are drawn."""
    return _found[0] if _found else "blocks"


def take_typed() -> str:
    """Return what the user typed while the terminal was queried, once: for the first screen."""
    typed = "".join(_typed)
    _typed.clear()
    return typed


def picture_widget(picture: Picture) -> Widget | None:
    """Return a widget that shows a decoded image; None if that is impossible."""
    if way() == "none" or not _load():
        return None
    from textual_image.widget import HalfcellImage, SixelImage, TGPImage

    kinds = {"kitty": TGPImage, "sixel": SixelImage, "blocks": HalfcellImage}
    return kinds[way()](picture)


def _may_be_kitty(environment: Mapping[str, str]) -> bool:
    """Return whether to query kitty's protocol; inside tmux or screen the answer would not be the
    terminal's."""
    name = f"{environment.get('TERM', '')} {environment.get('TERM_PROGRAM', '')}".lower()
    inside_another = "TMUX" in environment or "STY" in environment
    return not inside_another and any(terminal in name for terminal in _KITTY_TERMINALS)


def _load() -> bool:
    """Import textual-image without letting it query the terminal; return False if it is missing."""
    if "textual_image.widget" in sys.modules:
        return True
    real = sys.__stdout__
    setattr(sys, "__stdout__", io.StringIO())  # noqa: B010 - declared as final, which it is not
    try:
        import textual_image.widget  # noqa: F401 # pyright: ignore[reportUnusedImport]
    except ImportError:
        return False
    finally:
        setattr(sys, "__stdout__", real)  # noqa: B010
    return True
