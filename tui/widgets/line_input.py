"""A borderless one-row text input."""

from __future__ import annotations

from textual.widgets import Input


class LineInput(Input):
    """An `Input` for bars that draw the border themselves."""

    DEFAULT_CSS = """
    LineInput {
        border: none; height: 1; padding: 0; background: transparent; width: 1fr;
        &:focus { border: none; background: transparent; }
    }
    """
