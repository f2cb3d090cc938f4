"""Summaries of runs, for lists of sessions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events.kinds.values import REBUILT, RESUMABLE
from sandbox_tui.sessions.store.ids import time_of

NO_CONVERSATION = "a recording of a terminal has no conversation to fork"
"""Why a session without a conversation cannot be forked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Summary of a run.

    Attributes:
        title: given by the user; None if the task serves as the name.
        started_at, ended_at: seconds since the epoch; `ended_at` is None while the run is active or
            if it was interrupted.
        outcome: why the run ended, or `running`, or `interrupted` if its program has ended.
        steps, calls, failed_calls, input_tokens, output_tokens, seconds: totals so far.
        tokens_estimated: whether some token counts are estimates, not from the server.
        counted_replies, uncounted_replies: replies whose tokens the server counted, and those whose
            tokens are estimates; replies that broke off are among the latter.
        cost: US dollars; None if the price is unknown.
        last_seq: number of its last event.
        parent, parent_seq: the session it was forked from, and the last event in common.
        samples: the label shared by all samples of its task; None if it is not a sample.
        sample: its number among them, counted from 1; None if it was not recorded.
        imported: whether it was recorded elsewhere.
        imported_from, import_format: name of the file it was imported from, and the short name of
            its format; None if it was not imported, or if that was not recorded.
        said: the answer in the call of `submit`, if its file holds none; empty without one.
        waits: whether it waits for the user's decision, if `up_to_now` looked.
        paused: whether the user paused it, if `up_to_now` looked.
        frozen: whether the sandbox of a paused one is frozen, too.
        elsewhere: name of the other host on which its program runs, so that `running` is a guess;
            empty for this host.
    """

    id: str
    task: str
    model: str
    sandbox: str
    title: str | None
    started_at: float
    ended_at: float | None
    outcome: str
    error: str | None
    answer: str | None
    results_dir: str | None
    steps: int
    calls: int
    failed_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    last_seq: int
    parent: str | None
    parent_seq: int | None
    samples: str | None = None
    sample: int | None = None
    imported: bool = False
    imported_from: str | None = None
    import_format: str | None = None
    tokens_estimated: bool = False
    counted_replies: int = 0
    uncounted_replies: int = 0
    elsewhere: str = ""
    said: str = ""
    waits: bool = False
    paused: bool = False
    frozen: bool = False

    @property
    def is_resumable(self) -> bool:
        """Whether it can be resumed, judged by how it ended: its sandbox may be gone."""
        return self.outcome == "interrupted" or self.outcome in RESUMABLE

    @property
    def is_rebuilt(self) -> bool:
        """Whether it was rebuilt from a recording of another kind, which lacks parts."""
        return self.sandbox == REBUILT

    @property
    def has_conversation(self) -> bool:
        """Whether there is a conversation to fork: a recording of a terminal has none."""
        return not self.is_rebuilt or self.steps > 0

    @property
    def program(self) -> str:
        """Which program runs it, in words, with what to do if it cannot be seen from here."""
        if not self.elsewhere:
            return "another program"
        return (
            f"a program on {self.elsewhere}, as far as can be told from here: watch and resume it "
            "there; if that machine is gone, fork the session, or delete it"
        )

    @property
    def has_token_counts(self) -> bool:
        """Whether its tokens are known: a recording of another kind may not say how many."""
        return not self.is_rebuilt or self.input_tokens + self.output_tokens > 0

    @property
    def tokens(self) -> str:
        """Its token counts in words; empty if they are unknown."""
        if not self.has_token_counts:
            return ""
        return f"{self.input_tokens} in, {self.output_tokens} out{self._estimate}"

    @property
    def _estimate(self) -> str:
        """Which of the token counts are estimates, in words; empty if none is."""
        if not self.tokens_estimated:
            return ""
        if not (self.counted_replies and self.uncounted_replies):
            return " (estimated: the server reported no counts)"
        replies = "1 reply" if self.uncounted_replies == 1 else f"{self.uncounted_replies} replies"
        return f" (partly estimated: {replies} without counts)"

    @property
    def run_started_at(self) -> float:
        """When the run started, in seconds since the epoch. A fork's `started_at` is its parent's,
        since its events are timed from there."""
        made = time_of(self.id) if self.parent is not None else None
        return self.started_at if made is None else max(made, self.started_at)


def has_lost_sandbox(run: RunSummary) -> bool:
    """Return whether a run could be resumed if its sandbox still existed; it can be forked. Blocks
    while the Docker engine is asked, which only runs that could be resumed need."""
    if not run.is_resumable or run.imported or run.elsewhere:
        return False
    from sandbox_tui.core.sandboxes.left_behind import is_gone  # imports the Docker client

    return is_gone(run.sandbox, run.id)


def summary(row: dict[str, Any], given_up: Collection[str] = ()) -> RunSummary:
    """Return the summary of a row of `runs`; `given_up` holds the runs that programs have
    released."""
    owner = ProcessIdentity(row["owner_pid"], row["owner_started"], row["owner_host"] or "")
    runs = owner.alive and row["id"] not in given_up
    outcome = row["finish_reason"] or ("running" if runs else "interrupted")
    known = {name: row[name] for name in _COLUMNS}  # a newer version may have added columns
    return RunSummary(
        outcome=outcome,
        imported=bool(row["imported"]),
        elsewhere="" if owner.here else owner.host_name or "another machine",
        tokens_estimated=bool(row["tokens_estimated"]),
        **known,
    )


_NO_COLUMNS = (
    *("outcome", "imported", "elsewhere", "tokens_estimated", "said", "waits", "paused", "frozen"),
)
_COLUMNS = tuple(field.name for field in fields(RunSummary) if field.name not in _NO_COLUMNS)
