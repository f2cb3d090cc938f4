"""`sandbox-tui eval ls`: lists evaluations."""

from __future__ import annotations

import click
import msgspec

from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.format.titles import model_title


def print_evals(store: Store, limit: int, *, as_json: bool) -> None:
    """Print a line for each evaluation, newest first.

    Raises:
        StoreError: the database cannot be read.
    """
    summaries = ledger.summaries(store, limit)
    if not summaries:
        click.echo(ledger.NO_EVALUATION, err=True)
    for found in summaries:
        if as_json:
            click.echo(sanitize_json(_as_json(found)))
            continue
        info = found.info
        click.echo(
            sanitize_line(
                f"{info.id}  {found.status:11}  {found.over:>6} of {found.samples:<6}"
                f"  {info.suite}  {model_title(info.model)}"
            )
        )
        if found.stopped_because:
            click.echo(sanitize_line(f"{'':17}{found.stopped_because}"))


def _as_json(found: ledger.EvalSummary) -> str:
    fields = {
        **msgspec.to_builtins(found.info),
        "status": found.status,
        "samples": found.samples,
        "over": found.over,
        "stopped_because": found.stopped_because,
    }
    return msgspec.json.encode(fields).decode()
