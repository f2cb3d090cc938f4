"""Finds and stops runs that go on without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.remote.client import end_run
from sandbox_tui.sessions.remote.sockets import is_detached, remove_left_socket
from sandbox_tui.sessions.store.run_summary import has_lost_sandbox
from sandbox_tui.tui.cli.open_store import session_named
from sandbox_tui.tui.format.next_command import how_to_go_on
from sandbox_tui.tui.format.outcome import now_words, outcome_words
from sandbox_tui.tui.format.titles import cut_title, task_title

MAX_LOOKED_AT = 500
"""Newest runs among which detached ones are looked for."""

MAX_TASK = 60
"""Maximum columns of a task in a list of runs."""

MAX_TITLE = 40
"""Maximum columns of a title within a sentence."""


def detached_run(store: Store, name: str | None) -> RunSummary:
    """Return the detached run with this name; without a name, and for `last`, the newest one.

    Raises:
        ConfigError: there is none.
    """
    if name is None:
        return detached_runs(store)[0]
    found = _named(store, name)
    if not (problem := why_not_detached(found)):
        return found
    raise ConfigError(problem if found.outcome == "running" else _nothing_to_attach_to(found))


def _nothing_to_attach_to(run: RunSummary) -> str:
    """Return that a run has ended, and on lines of their own, since they are there to be copied,
    what to do with it."""
    go_on = how_to_go_on(run, has_lost_sandbox=has_lost_sandbox(run))
    words = f"{run.id} has ended ({outcome_words(run)}): there is nothing left to attach to."
    return "\n".join(dict.fromkeys((words, go_on, f"`sandbox-tui replay {run.id}` replays it.")))


def _named(store: Store, name: str) -> RunSummary:
    """Return the session with this name; for `last`, the newest detached run if there is any."""
    newest = _running_detached(store)[:1] if name == "last" else []
    return newest[0] if newest else session_named(store, name)


def why_not_detached(run: RunSummary) -> str:
    """Return why a session is no detached run, as a sentence; empty if it is one."""
    if run.outcome == "running" and run.elsewhere:
        return f"{run.id} is running in {run.program}."
    if run.outcome == "running" and is_detached(run.id):
        return ""
    if run.outcome == "running":
        return (
            f"{run.id} is not a detached run: it runs in another terminal. "
            f"`sandbox-tui replay {run.id}` shows its recording so far."
        )
    return f"{run.id} has ended ({outcome_words(run)})."


class NamedRuns(NamedTuple):
    """The sessions that a command names.

    Attributes:
        detached: the detached runs among them, each once.
        ended: for each that has ended, a sentence that says so.
        problems: why nothing can be done about the others.
    """

    detached: list[RunSummary]
    ended: list[str]
    problems: list[str]


def named_runs(store: Store, names: Sequence[str]) -> NamedRuns:
    """Return what the names stand for; a wrong one does not affect the others."""
    found: dict[str, RunSummary] = {}
    named = NamedRuns([], [], [])
    for name in names:
        try:
            run = _named(store, name)
            found.setdefault(run.id, run)
        except SandboxTuiError as error:
            named.problems.append(str(error))
    for run in found.values():
        if not (why := why_not_detached(run)):
            named.detached.append(run)
        elif run.outcome == "running":
            named.problems.append(why)
        else:
            named.ended.append(why)
    return named


def only_detached_run(store: Store) -> RunSummary:
    """Return the detached run if there is exactly one.

    Raises:
        ConfigError: there is none, or the message lists them.
    """
    first, *others = detached_runs(store)
    if not others:
        return first
    runs = up_to_now(store, [first, *others])
    widest = max(len(now_words(run)) for run in runs)
    listed = "".join(
        f"\n  {run.id}  {now_words(run):<{widest}}  {cut_title(task_title(run), MAX_TASK)}"
        for run in runs
    )
    raise ConfigError(f"{len(runs)} detached runs. Name those to stop, or use --all:{listed}")


def detached_runs(store: Store) -> Sequence[RunSummary]:
    """Return all detached runs, the newest one first; at least one.

    Raises:
        ConfigError: there is none.
    """
    found = _running_detached(store)
    if not found:
        raise ConfigError(_none_is_left(store))
    return found


def _running_detached(store: Store) -> list[RunSummary]:
    """Return all detached runs, the newest one first."""
    running = [
        run for run in store.standalone_runs(limit=MAX_LOOKED_AT) if run.outcome == "running"
    ]
    for run in running:
        remove_left_socket(run.id)
    return [run for run in running if is_detached(run.id)]


def _none_is_left(store: Store) -> str:
    """Return that there is no detached run, how the last run ended, and on a line of its own, since
    it is there to be copied, what to do with it."""
    runs = store.standalone_runs(limit=MAX_LOOKED_AT)
    last = next((run for run in runs if not run.imported), None)
    if last is None:
        return "There is no detached run; `sandbox-tui run --detach` starts one."
    if last.outcome == "running":
        return f"There is no detached run. {why_not_detached(last)}"
    title = cut_title(task_title(last), MAX_TITLE)
    return (
        f"There is no detached run. The newest run, “{title}”, has ended ({outcome_words(last)}).\n"
        f"{how_to_go_on(last, has_lost_sandbox=has_lost_sandbox(last))}"
    )


def stop_run(run: RunSummary, store: Store) -> None:
    """End a detached run and wait until it has ended.

    Raises:
        SandboxTuiError: its program cannot be reached.
    """
    asyncio.run(end_run(run, store))
