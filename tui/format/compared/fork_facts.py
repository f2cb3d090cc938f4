"""Where a fork comes from and what was changed there, as labelled facts."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.tools.call_difference import difference_words
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.tui.format.titles import model_title


def fork_place(origin: ForkOrigin) -> str:
    """Return the parent of a fork, where it parts from it, and another model."""
    model = f", with the model {model_title(origin.model)}" if origin.model else ""
    return f"{origin.parent}, {origin.place}{model}"


def fork_changes(origin: ForkOrigin) -> Sequence[tuple[str, str]]:
    """Return what was changed when a session was forked, each with its label."""
    found: list[tuple[str, str]] = []
    if origin.message:
        found.append(("message", origin.message))
    if origin.call is not None:
        words = difference_words(origin.proposed, origin.arguments)
        found.append((f"call {origin.call}", f"changed: {words}"))
    return found
