"""`sandbox-tui eval watch` without a screen: a line for each sample when it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import exit_code, is_lost
from sandbox_tui.core.evals.reporting.table import eval_table
from sandbox_tui.core.evals.sample import SampleKey, SampleResult
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.evals.coloured_lines import write_outcome
from sandbox_tui.tui.cli.evals.sample_lines import json_of, left_line, line_of, lost_line

_ABOUT_LOADING = ("Warned", "ModelReplied")
"""Kinds of the events that say whether a server is still loading its model."""

POLL_SECONDS = 1.0
"""Seconds between checks of the ledger."""


def watch_headless(store: Store, found: ledger.EvalSummary, *, as_json: bool) -> int:
    """Write finished samples until no program works on the evaluation; return the exit code.

    Raises:
        StoreError: the database cannot be read.
    """
    seen: set[SampleKey] = set()
    has_said_loading = False
    while True:
        found = ledger.summary(store, found.info.id)
        results = ledger.results(store, found.info.id)
        _write_new(found, results, seen, as_json=as_json)
        if not found.running:
            _say_outcome(store, found, results, as_json=as_json)
            return exit_code(results)
        if not has_said_loading and _is_loading(store, results):
            has_said_loading = True
            _say(LOADING, as_json=as_json)
        time.sleep(POLL_SECONDS)


def _is_loading(store: Store, results: Sequence[SampleResult]) -> bool:
    """Return whether a running sample waits for a server that is loading its model."""
    for sample in results:
        if sample.status == "running" and sample.run_id:
            last = store.events_of_kinds(sample.run_id, _ABOUT_LOADING)[-1:]
            if any(isinstance(event, e.Warned) and event.text == LOADING for event in last):
                return True
    return False


def _write_new(
    found: ledger.EvalSummary,
    results: Sequence[SampleResult],
    seen: set[SampleKey],
    *,
    as_json: bool,
) -> None:
    over = [one for one in results if one.over]
    for result in sorted(over, key=lambda one: one.ended_at):
        if result.key in seen:
            continue
        seen.add(result.key)
        line = json_of(result) if as_json else line_of(result, len(seen), found.samples)
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _say_outcome(
    store: Store, found: ledger.EvalSummary, results: Sequence[SampleResult], *, as_json: bool
) -> None:
    """Write the results, whether the budget is exceeded, and how many samples are left."""
    over_budget = exceeded_budget(store, found.info)
    if found.over and not as_json:
        write_outcome(eval_table(found.info, results, over_budget=over_budget))
    elif over_budget:
        _say(over_budget, as_json=as_json)
    if found.status != "finished":
        because = found.stopped_because or "Its program has exited."
        line = left_line(found.info.id, found.samples - found.over, because)
        _say(sanitize_line(line), as_json=as_json)
    if lost := list(filter(is_lost, results)):
        _say(lost_line(found.info.id, lost), as_json=as_json)


def _say(words: str, *, as_json: bool) -> None:
    stream = sys.stderr if as_json else sys.stdout
    stream.write(f"{words}\n")
    stream.flush()
