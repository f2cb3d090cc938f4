"""`sandbox-tui eval ls`: lists evaluations."""

from __future__ import annotations

import click
import msgspec

from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
from sandbox_tui.core.evals.reporting.evaluation_differences import what_differs
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.json import for_programs
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.evals.coloured_lines import may_colour
from sandbox_tui.tui.format.outcome import mode_scores, without_score
from sandbox_tui.tui.format.titles import model_title


def print_evals(store: Store, limit: int, *, as_json: bool) -> None:
    """Print a heading, then a line for each evaluation, newest first, and below it what tells it
    from others of the same suite and model.

    Raises:
        StoreError: the database cannot be read.
    """
    summaries = ledger.summaries(store, limit)
    if not summaries:
        click.echo(ledger.NO_EVALUATION, err=True)
    elif not as_json:
        click.echo(
            f"{'evaluation':21}  {'status':11}  {'done':^16}  {'suite':12}  {'model':20}  score"
        )
    differing = what_differs([found.info for found in summaries])
    for found in summaries:
        if as_json:
            click.echo(sanitize_json(_as_json(found)))
            continue
        info = found.info
        click.echo(
            sanitize_line(
                f"{info.id:21}  {found.status:11}  {found.over:>6} of {found.samples:<6}"
                f"  {info.suite:12}  {model_title(info.model):20}"
                f"  {mode_scores(info.modes, found.scores)}"
            )
        )
        for words in (
            without_score(found.lost),
            found.stopped_because,
            differing.get(info.id, ""),
        ):
            if words:
                click.echo(
                    click.style(sanitize_line(f"{'':23}{words}"), dim=True), color=may_colour()
                )


def _as_json(found: ledger.EvalSummary) -> str:
    fields = {
        **for_programs(found.info),
        "status": found.status,
        "samples": found.samples,
        "over": found.over,
        "without_score": found.lost,
        "scores": found.scores,
        "stopped_because": found.stopped_because,
    }
    return msgspec.json.encode(fields).decode()
