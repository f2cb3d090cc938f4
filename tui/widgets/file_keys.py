"""Keys that work on the selected file, in tree and preview; the screen carries them out."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PREVIEW_KEYS: list[BindingType] = [
    Binding("d", "screen.cycle_diff", "diff"),
    Binding("D", "screen.choose_version", "Compare with a chosen step", show=False),
    Binding("v", "screen.toggle_source", "As it stands in the file", show=False),
    Binding("o", "screen.open_file", "whole"),
    Binding("p", "screen.pull_file", "pull"),
    Binding("P", "screen.push_file", "push"),
    Binding("E", "screen.edit_file", "edit file"),
    Binding("O", "screen.open_outside", "Open outside", show=False),
]
