"""Keys that work on the selected file, in tree and preview; the screen carries them out."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PREVIEW_KEYS: list[BindingType] = [
    Binding("d", "screen.cycle_diff", "diff", id="file.diff"),
    Binding(
        "D", "screen.choose_version", "Compare with a chosen step", show=False, id="file.version"
    ),
    Binding("v", "screen.toggle_source", "As it stands in the file", show=False, id="file.source"),
    Binding("o", "screen.open_file", "whole", id="file.whole"),
    Binding("p", "screen.pull_file", "pull", id="file.pull"),
    Binding("P", "screen.push_file", "push", id="file.push"),
    Binding("E", "screen.edit_file", "edit file", id="file.edit"),
    Binding("O", "screen.open_outside", "Open outside", show=False, id="file.outside"),
]
