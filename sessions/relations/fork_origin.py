"""Where a fork comes from: its parent, what was changed there, and what the two have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.calls import call_of, spent_before_forks

MAX_EVENTS_READ = 1_000
"""Maximum number of a fork's own events that are searched for what was changed."""


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
        message: sent to the model when it was forked; empty for none.
        call: number of the call that was changed; None if none was.
        tool, arguments: of that call, as changed; the arguments are JSON text.
        model: name of the model if it is another one than the parent's; empty otherwise.
    """

    parent: str
    step: int
    message: str = ""
    call: int | None = None
    tool: str = ""
    arguments: str = ""
    model: str = ""


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
    if run.parent is None or run.parent_seq is None:
        return None
    own = islice(store.events(run.id, after=run.parent_seq, output=False), MAX_EVENTS_READ)
    forked = next(own, None)
    if not isinstance(forked, e.Forked):
        return None
    origin = ForkOrigin(parent=forked.parent, step=forked.step, model=_other_model(store, forked))
    for event in own:
        match event:
            case e.HumanMessage(text=text):
                origin = replace(origin, message=text)
            case e.CallDecided(verdict="edit", call=call, arguments=arguments):
                row = call_of(store, run.id, call)
                tool = "" if row is None else row.tool
                origin = replace(origin, call=call, tool=tool, arguments=arguments or "")
            case e.CallStarted() | e.ModelAsked() | e.RunFinished():
                break
            case _:
                pass
    return origin


def _other_model(store: Store, forked: e.Forked) -> str:
    """Return the fork's model if its parent is known to have another one."""
    if not store.has_run(forked.parent) or store.run(forked.parent).model == forked.model:
        return ""
    return forked.model
