"""The card at the end of a replay."""

from __future__ import annotations

from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.format.run_end import ResultFiles, result_files
from sandbox_tui.tui.widgets.calls.end_card import AFTER_REPLAY, EndCard


def replay_end_card(run: RunSummary, *, in_film: bool) -> EndCard:
    """Return the outcome of a session; in a film, without keys. For an imported one, its results
    are not looked up."""
    reads = _not_here if run.imported else result_files
    actions = [
        (name, word)
        for name, word in AFTER_REPLAY
        if not in_film and (run.has_conversation or name not in ("replay.fork", "replay.run_again"))
    ]
    return EndCard(run.id, actions=actions, list_files=reads, id="end")


def _not_here(folder: str) -> ResultFiles:
    return ResultFiles()
