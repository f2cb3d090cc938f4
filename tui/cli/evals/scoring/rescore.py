"""`sandbox-tui eval rescore`: scores the recorded answers of an evaluation again."""

from __future__ import annotations

import sys

import click

from sandbox_tui.tui.cli.completion.names import complete_scorer
from sandbox_tui.tui.cli.completion.stored import complete_evaluation
from sandbox_tui.tui.cli.open_store import open_store


@click.command(short_help="Score the recorded answers again.")
@click.argument("evaluation", default="last", shell_complete=complete_evaluation)
@click.option(
    "--scorer",
    metavar="NAME",
    shell_complete=complete_scorer,
    help="Scorer of all tasks, instead of their own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON line for each changed sample.")
def rescore(evaluation: str, scorer: str | None, as_json: bool) -> None:
    """Score the recorded answers of an EVALUATION (its id, either end of it, its suite, or "last")
    again, without running a model.

    If a verdict changes, the new scores are a new evaluation with the same sessions; the old one
    stays as it is. Without `--scorer`, the scorers of the tasks score again: a judge, or a scorer
    of your own that you have fixed. Scorers that work in a sandbox (command, hidden_tests,
    swe_bench) cannot.
    """
    import asyncio

    from sandbox_tui.core.evals.reporting.outcomes import exit_code
    from sandbox_tui.core.evals.reporting.table import eval_table
    from sandbox_tui.sessions.evals.rescore import rescore as score_again
    from sandbox_tui.tui.cli.evals.coloured_lines import write_outcome
    from sandbox_tui.tui.cli.evals.named_evaluation import evaluation_with_results
    from sandbox_tui.tui.cli.evals.progress import say_progress
    from sandbox_tui.tui.cli.evals.scoring.rescore_lines import (
        change_as_json,
        change_line,
        summary_lines,
    )

    def say_scored(done: int, total: int) -> None:
        say_progress(f"{done} of {total} scored")

    with open_store() as store:
        eval_id = evaluation_with_results(store, evaluation).info.id
        found = asyncio.run(score_again(store, eval_id, scorer or "", say_scored))
    say_progress("")
    write = change_as_json if as_json else change_line
    for change in found.changes:
        click.echo(write(change))
    if found.info is not None and not as_json:
        write_outcome(eval_table(found.info, found.results))
    for line in summary_lines(found):
        click.echo(line, err=as_json)
    sys.exit(exit_code(one for one in found.results if one.over))
