"""The formats of an export in the palette, such as `export html`."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App
from textual.screen import Screen

from sandbox_tui.tui.film.export_formats import FORMATS
from sandbox_tui.tui.keys.available_actions import ActionHere, available_actions
from sandbox_tui.tui.screens.palette.actions.evaluation_actions import evaluation_of
from sandbox_tui.tui.screens.palette.entry import Entry

OTHER_WORDS = {
    "html": "web page browser",
    "markdown": "md text",
    "asciicast": "asciinema cast",
    "chat-jsonl": "jsonl openai finetuning training",
    "svg": "picture screenshot",
    "film": "video gif animation movie",
}
"""Other words for formats."""

MIN_CHARACTERS = 2
"""Minimum length of a word that begins the name of a format."""


def export_entries(app: App[int], below: Screen[object], typed: str) -> Sequence[Entry]:
    """Return the exports of the session below in the formats that are meant.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        typed: the typed text, in lower case.
    """
    words = typed.split()
    meant = [form for form in FORMATS if is_meant(words, form, OTHER_WORDS.get(form, ""))]
    if not meant or evaluation_of(below) is not None:
        return ()
    exports = (one for one in available_actions(below) if one.name.endswith(".export"))
    here = next(exports, None)
    return () if here is None else [_entry(app, here, form) for form in meant]


def is_meant(words: Sequence[str], form: str, also: str) -> bool:
    """Return whether a word begins the name of a format, or one of the other words for it."""
    names = (form, *also.split())
    long_enough = (word for word in words if len(word) >= MIN_CHARACTERS)
    return any(name.startswith(word) for word in long_enough for name in names)


def _entry(app: App[int], here: ActionHere, form: str) -> Entry:
    from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog

    async def export() -> None:
        await here.run(app)
        if isinstance(app.screen, ExportDialog):
            app.screen.start_with(form)

    also = f"export save share write file download as {OTHER_WORDS.get(form, '')}"
    return Entry("Actions", f"export_{form}", f"Export as {form}", "", export, here.off, also)
