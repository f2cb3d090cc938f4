"""The fields of a form, which the palette goes to: they come before the settings, which are the
defaults of other forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.screen import Screen

from sandbox_tui.tui.screens.dialogs.form import FormDialog
from sandbox_tui.tui.screens.new_run.run_fields import SETTINGS
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.setting_words import setting_words
from sandbox_tui.tui.screens.setting_rows import ROWS


def field_entries(below: Screen[object]) -> Sequence[Entry]:
    """Return an entry for each field of the form below, which other words for its setting find,
    too; none if there is no form."""
    if not isinstance(below, FormDialog):
        return ()
    words = {row.name: setting_words(row) for rows in ROWS.values() for row in rows}
    entries: list[Entry] = []
    for name, title in below.TITLES.items():
        go, label = partial(below.go_to_field, name), f"{title[:1].upper()}{title[1:]}"
        text = f"{label} – field of this form"
        also = f"{label.lower()} {words.get(SETTINGS.get(name, ''), '')}".rstrip()
        entry = Entry("Actions", f"field_{name}", text, "", go, now=also, own=len(label))
        entries.append(entry)
    return entries
