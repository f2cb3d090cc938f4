"""The card at the end of a replay."""

from __future__ import annotations

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict, verdict_on
from sandbox_tui.tui.format.run_end import ResultFiles, result_files
from sandbox_tui.tui.widgets.calls.end_card import AFTER_REPLAY, EndCard


def replay_end_card(run: RunSummary, store: Store, *, in_film: bool, eval_id: str = "") -> EndCard:
    """Return the outcome of a session; in a film, without keys. For an imported one, its results
    are not looked up. A sample's score is that in an evaluation, or else in its own."""
    reads = _not_here if run.imported else result_files
    actions = [
        (name, word)
        for name, word in AFTER_REPLAY
        if not in_film and (run.has_conversation or name not in ("replay.fork", "replay.run_again"))
    ]

    def verdict() -> Verdict | None:
        try:
            return verdict_on(store, run.id, eval_id)
        except StoreError:  # the card has everything else
            return None

    return EndCard(run.id, actions=actions, list_files=reads, read_verdict=verdict, id="end")


def _not_here(folder: str) -> ResultFiles:
    return ResultFiles()
