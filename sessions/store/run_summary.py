"""A run at a glance, for lists of sessions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.sessions.store.ids import time_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run at a glance.

    Attributes:
        title: a name a person gave it, None where the task is its name.
        started_at, ended_at: seconds since the epoch; no end while it runs or was interrupted.
        outcome: the reason it ended, or `running`, or `interrupted` when its program is gone.
        steps, calls, failed_calls, input_tokens, output_tokens, seconds: sums so far.
        tokens_estimated: whether the server did not count some of the tokens.
        cost: US dollars, None where the price is not known.
        last_seq: number of its last event.
        parent, parent_seq: the session it was forked from, and the last event in common.
        samples: the label it shares with other samples of its task; None: it is none.
        imported: whether it was recorded elsewhere.
        elsewhere: name of the other host on which its program is, so that `running` is a guess;
            empty where that is this host.
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
    imported: bool = False
    tokens_estimated: bool = False
    elsewhere: str = ""

    @property
    def program(self) -> str:
        """Whose program runs it, in words, with what to do where that cannot be seen from here."""
        if not self.elsewhere:
            return "another program"
        return (
            f"a program on {self.elsewhere}, as far as can be told from here: watch and resume it "
            "there; if that machine is gone, fork the session, or delete it"
        )

    @property
    def tokens(self) -> str:
        """Its tokens in words."""
        estimated = " (estimated: the server reported no counts)" if self.tokens_estimated else ""
        return f"{self.input_tokens} in, {self.output_tokens} out{estimated}"

    @property
    def begun_at(self) -> float:
        """When it was begun, in seconds since the epoch: a fork's `started_at` is its parent's,
        since its events are counted from there."""
        made = time_of(self.id) if self.parent is not None else None
        return self.started_at if made is None else max(made, self.started_at)


def summary(row: dict[str, Any], given_up: Collection[str] = ()) -> RunSummary:
    """A summary of a row of `runs`; programs have released the runs in `given_up`."""
    owner = ProcessIdentity(row["owner_pid"], row["owner_started"], row["owner_host"] or "")
    runs = owner.alive and row["id"] not in given_up
    outcome = row["finish_reason"] or ("running" if runs else "interrupted")
    known = {name: row[name] for name in _COLUMNS}  # a newer version may have added others
    return RunSummary(
        outcome=outcome,
        imported=bool(row["imported"]),
        elsewhere="" if owner.here else owner.host_name or "another machine",
        tokens_estimated=bool(row["tokens_estimated"]),
        **known,
    )


_COLUMNS = tuple(
    field.name
    for field in fields(RunSummary)
    if field.name not in ("outcome", "imported", "elsewhere", "tokens_estimated")
)
