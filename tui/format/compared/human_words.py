"""What the user did, in the words of the list of calls."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.relations.aligned_calls import Call
from sandbox_tui.sessions.relations.human_acts import Act, ActKind
from sandbox_tui.sessions.store.tables.calls import CallRow

_VERDICTS = {
    "edit": "edited",
    "reject": "rejected",
    "skip": "skipped",
    "answer": "answered",
}

_ACTS: dict[ActKind, str] = {
    "message": "message",
    "command": "you",
    "pull": "copy out",
    "push": "copy in",
    "edit": "edit",
    "interrupt": "you",
    "note": "✎",
}


def decision_words(call: Call | CallRow) -> str:
    """Return who edited, rejected, skipped or answered a call; empty if it ran as the model
    wrote it."""
    done = _VERDICTS.get(call.verdict or "")
    if done is None:
        return ""
    return f"{done} by {'the policy' if call.decided_by == 'policy' else 'you'}"


def act_words(act: Act) -> tuple[str, str]:
    """Return the name of an act, and what it was."""
    text = "stopped the reply" if act.kind == "interrupt" else act.text
    return _ACTS[act.kind], sanitize_line(" ".join(text.split()))
