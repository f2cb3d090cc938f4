"""What a list of sessions shows of one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.processes import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run at a glance.

    Attributes:
        title: a name a person gave it, None where the task is its name.
        started_at, ended_at: seconds since the epoch; no end while it runs or was interrupted.
        outcome: why it ended, or `running`, or `interrupted` when its program is gone.
        steps, calls, failed_calls, input_tokens, output_tokens, seconds: sums so far.
        cost: US dollars, None where the price is not known.
        last_seq: number of its last event.
        parent, parent_seq: the session it was forked from, and the last event in common.
        imported: whether it was recorded elsewhere.
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
    output: str | None
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
    imported: bool = False


def summary(row: dict[str, Any]) -> RunSummary:
    """A row of the table `runs` as a summary."""
    owner = Owner(row.pop("owner_pid"), row.pop("owner_started"), row.pop("owner_host"))
    reason = row.pop("reason")
    del row["params"]
    outcome = reason or ("running" if owner.alive else "interrupted")
    imported = bool(row.pop("imported"))
    return RunSummary(outcome=outcome, imported=imported, **row)
