"""Where a fork comes from, as a labelled fact."""

from __future__ import annotations

from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.tui.format.titles import model_title


def fork_place(origin: ForkOrigin) -> str:
    """Return the parent of a fork, where it parts from it, and another model."""
    model = f", with the model {model_title(origin.model)}" if origin.model else ""
    return f"{origin.parent}, {origin.place}{model}"
