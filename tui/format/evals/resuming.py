"""Words about resuming an evaluation."""

from __future__ import annotations

from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary


def why_not_resumed(found: EvalSummary) -> str:
    """Return why an evaluation cannot be resumed; empty if it can."""
    if found.running:
        return "this evaluation is still running"
    return "" if found.can_resume else "nothing is left to run"


def resume_words(found: EvalSummary) -> str:
    """Return what the key that resumes it does."""
    return "rerun failed" if found.status == "finished" and found.lost else "resume"
