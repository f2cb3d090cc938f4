"""Where a fork comes from: its parent, what was changed there, and what the two have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sandbox_tui.core.events import types as e
from sandbox_tui.core.tools.call_difference import difference_words
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.calls import (
    ForkChange,
    changes_of_forks,
    spent_before_forks,
)
from sandbox_tui.sessions.store.tables.events import read_first_own
from sandbox_tui.sessions.store.tables.runs import seconds_away


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPart:
    """What a fork took over from its parent, whose events it begins with.

    Attributes:
        seconds: on the run's clock.
        input_tokens, output_tokens: of the replies it took over.
        cost: US dollars; None if the price is unknown.
    """

    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkOrigin:
    """Where a fork comes from.

    Attributes:
        parent: id of the session it was forked from.
        step: the last step they have in common.
        is_within: whether only the beginning of this step is in common.
        message: sent to the model when it was forked; empty for none.
        call: number of the call that was changed; None if none was.
        tool, arguments: of that call, as changed; the arguments are JSON text.
        proposed: its arguments as the model wrote them.
        model: name of the model if it is another one than the parent's; empty otherwise.
    """

    parent: str
    step: int
    message: str = ""
    call: int | None = None
    tool: str = ""
    arguments: str = ""
    proposed: str = ""
    model: str = ""
    is_within: bool = False

    @property
    def place(self) -> str:
        """Where the fork parts from its parent, such as `after step 4`."""
        if not self.step:
            return "before step 1"
        return f"{'in' if self.is_within else 'after'} step {self.step}"

    @property
    def changes(self) -> Sequence[tuple[str, str]]:
        """What was changed when it was forked, each with its label."""
        found = [("message", self.message)] if self.message else []
        if self.call is not None:
            words = difference_words(self.proposed, self.arguments)
            found.append((f"call {self.call}", f"changed: {words}"))
        return found


def shared_part(store: Store, run: RunSummary) -> SharedPart:
    """Return what a session took over from its parent: nothing if it is not a fork.

    Raises:
        StoreError: the database cannot be read.
    """
    return shared_parts(store, [run]).get(run.id, SharedPart())


def shared_parts(store: Store, runs: Iterable[RunSummary]) -> dict[str, SharedPart]:
    """Return what each fork among these sessions took over from its parent, in one query.

    Raises:
        StoreError: the database cannot be read.
    """
    forks = [run.id for run in runs if run.parent_seq is not None]
    return {
        fork: SharedPart(
            seconds=spent.seconds,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost=spent.cost,
        )
        for fork, spent in (spent_before_forks(store, forks) if forks else {}).items()
    }


def own_part(run: RunSummary, shared: SharedPart) -> RunSummary:
    """Return a session with the time, tokens and cost of its own part only."""
    if shared == SharedPart():
        return run
    return replace(
        run,
        seconds=max(0.0, run.seconds - shared.seconds),
        input_tokens=max(0, run.input_tokens - shared.input_tokens),
        output_tokens=max(0, run.output_tokens - shared.output_tokens),
        cost=None if run.cost is None else max(0.0, run.cost - (shared.cost or 0.0)),
    )


def read_origin(store: Store, run: RunSummary) -> ForkOrigin | None:
    """Return where a session was forked from, and what was changed; None if it is not a fork.

    Raises:
        StoreError: the database cannot be read.
    """
    return read_origins(store, [run]).get(run.id)


def read_origins(store: Store, runs: Iterable[RunSummary]) -> dict[str, ForkOrigin]:
    """Return where each fork among these sessions comes from, in two queries.

    Raises:
        StoreError: the database cannot be read.
    """
    forks = [run.id for run in runs if run.parent is not None and run.parent_seq is not None]
    first = read_first_own(store, forks) if forks else {}
    changes = changes_of_forks(store, list(first)) if first else {}
    return {
        name: _origin(event, changes[name])
        for name, event in first.items()
        if isinstance(event, e.Forked) and name in changes  # not deleted in between
    }


def _origin(forked: e.Forked, change: ForkChange) -> ForkOrigin:
    # a later call may have been edited while it waited, but it is of a later step
    is_edited = bool(change.arguments) and change.step <= forked.step
    origin = ForkOrigin(
        parent=forked.parent,
        step=forked.step,
        message=change.message,
        model="" if change.parent_model in ("", forked.model) else forked.model,
        is_within=change.call > 0 and change.step == forked.step,
    )
    if not is_edited:
        return origin
    return replace(
        origin,
        call=change.call,
        tool=change.tool,
        arguments=change.arguments,
        proposed=change.proposed,
    )


def clock_began_at(store: Store, run: RunSummary) -> float:
    """Return the time at which a run's clock was 0, in seconds since the epoch.

    Raises:
        StoreError: the database cannot be read.
    """
    return clocks_began_at(store, [run])[run.id]


def clocks_began_at(store: Store, runs: Sequence[RunSummary]) -> dict[str, float]:
    """Return the time at which each run's clock was 0, in seconds since the epoch.

    The clock of a fork begins with the part that it shares with its parent.

    Raises:
        StoreError: the database cannot be read.
    """
    away = seconds_away(store, [run.id for run in runs])
    shared = shared_parts(store, runs)
    return {
        run.id: run.run_started_at
        + away.get(run.id, 0.0)
        - shared.get(run.id, SharedPart()).seconds
        for run in runs
    }
