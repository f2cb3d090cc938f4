"""Keys for the selected file, in the tree and the preview; the screen handles their actions."""

from __future__ import annotations

from textual.binding import BindingType

from sandbox_tui.tui.keys.textual_bindings import binding

PREVIEW_KEYS: list[BindingType] = [
    binding("file.diff", "screen.cycle_diff"),
    binding("file.version", "screen.choose_version", show=False),
    binding("file.source", "screen.toggle_source", show=False),
    binding("file.whole", "screen.open_file"),
    binding("file.pull", "screen.pull_file"),
    binding("file.push", "screen.push_file"),
    binding("file.edit", "screen.edit_file"),
    binding("file.outside", "screen.open_outside", show=False),
]
