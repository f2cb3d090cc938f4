"""`sandbox-tui eval`: runs the same tasks with and without a computer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.completion.names import complete_domain, complete_scorer, complete_suite
from sandbox_tui.tui.cli.completion.stored import (
    complete_evaluation,
    complete_model,
    complete_resumable_evaluation,
    complete_running_evaluation,
)
from sandbox_tui.tui.cli.evals.checks import check_model, check_scorer
from sandbox_tui.tui.cli.evals.list_suites import suites
from sandbox_tui.tui.cli.evals.scoring.list_scorers import scorers
from sandbox_tui.tui.cli.evals.scoring.rescore import rescore
from sandbox_tui.tui.cli.open_store import open_store, store_to_read, unique_by_id
from sandbox_tui.tui.cli.options import (
    added,
    delete_options,
    headless_option,
    image_option,
    json_lines_option,
    limit_options,
    list_options,
    load_settings,
    max_steps_option,
    network_option,
    overrides_of,
    request_options,
    sandbox_option,
    server_option,
    wait_for_server_option,
)
from sandbox_tui.tui.cli.settings.budget_options import (
    budget_from,
    budget_options,
    new_budget_options,
)
from sandbox_tui.tui.cli.settings.output_file import (
    FormatChoice,
    file_or_stdout,
    force_option,
    format_of,
    output_option,
)
from sandbox_tui.tui.cli.show_app import is_terminal

if TYPE_CHECKING:
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.sessions import Store
    from sandbox_tui.sessions.evals.cluster.cluster_executor import RayCluster
    from sandbox_tui.sessions.evals.evaluation import Evaluation

MAX_CONCURRENCY = 1024

MEANT = {
    "show": "`eval watch` opens an evaluation, `eval report` prints it",
    "score": "`eval rescore` scores the recorded answers of an evaluation again",
    "export": "`eval report --output FILE` writes an evaluation to a file",
}

MODES = ["vanilla", "sandbox", "sandbox-context", "all"]


_work_options = added(
    click.option(
        "--concurrency",
        metavar="N",
        type=click.IntRange(1, MAX_CONCURRENCY),
        help="Samples at once (with --ray: per machine). Default: as many as fit in memory.",
    ),
    click.option(
        "--ray",
        metavar="ADDRESS",
        help="Run the samples on all machines of a Ray cluster: HOST:PORT, auto or local.",
    ),
    headless_option,
    json_lines_option("samples"),
)
"""The options of commands that run an evaluation."""

_BY_ENDING = "Default: by the ending of --output, else text."
_output_option = output_option("Write to this file")

_explain_option = click.option(
    "--explain", is_flag=True, help="Also print how figures are computed."
)


@click.group(
    "eval",
    cls=Subcommands,
    meant=MEANT,
    short_help="Run suites of tasks with and without a computer.",
)
def eval_group() -> None:
    """Run suites of tasks with and without a computer, and report what the computer adds."""


@eval_group.command(short_help="Run a suite.")
@click.argument("suite", shell_complete=complete_suite)
@click.option(
    "--model", metavar="NAME", shell_complete=complete_model, help="Model name, as served."
)
@server_option
@wait_for_server_option
@request_options
@click.option(
    "--mode", "modes", multiple=True, type=click.Choice(MODES), help=("Only this mode; repeatable.")
)
@click.option(
    "--domain",
    "domains",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_domain,
    help="Only tasks of this domain; repeatable.",
)
@click.option(
    "--limit", metavar="N", type=click.IntRange(1), help="Maximum number of tasks of each domain."
)
@click.option(
    "--samples", metavar="N", type=click.IntRange(1), help="Samples of each task in each mode."
)
@click.option(
    "--scorer",
    metavar="NAME",
    shell_complete=complete_scorer,
    help="Scorer of tasks that name none, in place of the suite's `scorers`; see `eval scorers`.",
)
@sandbox_option
@image_option
@network_option
@max_steps_option("a sample")
@limit_options("a sample", "a sample's conversation")
@budget_options
@_work_options
@click.pass_obj
def run(theme: str | None, suite: str, **options: Any) -> None:
    """Run a SUITE: its name (`sandbox-tui eval suites`), a YAML file, a data file (.jsonl, .json,
    .csv, .parquet), or a folder of the reference.

    Each sample is a session of its own. An evaluation that is interrupted can be resumed.
    """
    from sandbox_tui.core.evals.suite_file import load_suite
    from sandbox_tui.sessions.evals.concurrency import default_concurrency
    from sandbox_tui.sessions.evals.evaluation import begin_evaluation
    from sandbox_tui.sessions.store.tables.eval_ledger import Budget

    overrides = overrides_of(options)
    settings = load_settings(overrides, theme)
    loaded = load_suite(suite, overrides=_suite_overrides(options, overrides))
    check_model(loaded, settings)
    check_scorer(loaded, options["scorer"])
    cluster = _cluster(options, settings)
    at_once = cluster.concurrency if cluster is not None else options["concurrency"]
    with open_store() as store:
        evaluation = begin_evaluation(
            store,
            loaded,
            settings,
            concurrency=at_once or default_concurrency(settings.sandbox.memory),
            budget=budget_from(options, Budget()),
            command=_command_line(),
            cluster=cluster,
        )
        code = _execute(evaluation, settings, store, options)
    sys.exit(code)


@eval_group.command(short_help="Resume an evaluation that was interrupted.")
@click.argument("evaluation", default="last", shell_complete=complete_resumable_evaluation)
@click.option(
    "--failed",
    "rerun_failed",
    is_flag=True,
    help="Also rerun the samples that have no score because of an error.",
)
@new_budget_options
@_work_options
@click.pass_obj
def resume(theme: str | None, evaluation: str, *, rerun_failed: bool, **options: Any) -> None:
    """Run what is left of an EVALUATION (its id, either end of it, its suite, or "last": the
    newest that can be resumed), with the whole budget again if it has one."""
    from sandbox_tui.sessions.evals.evaluation import resume_evaluation
    from sandbox_tui.sessions.store.tables.evals.budgets import budget_in_force
    from sandbox_tui.tui.cli.evals.named_evaluation import evaluation_to_resume

    settings = load_settings({}, theme)
    cluster = _cluster(options, settings)
    at_once = cluster.concurrency if cluster is not None else options["concurrency"]
    with open_store() as store:
        eval_id = evaluation_to_resume(store, evaluation, rerun_failed=rerun_failed)
        budget = budget_from(options, budget_in_force(store, eval_id).budget)
        taken = resume_evaluation(
            store, eval_id, settings, at_once, cluster, rerun_lost=rerun_failed, budget=budget
        )
        code = _execute(taken, settings, store, options)
    sys.exit(code)


@eval_group.command(short_help="Watch a running evaluation, or open a finished one.")
@click.argument("evaluation", default="last", shell_complete=complete_evaluation)
@headless_option
@json_lines_option("samples")
@click.pass_obj
def watch(theme: str | None, evaluation: str, headless: bool, as_json: bool) -> None:
    """Watch an EVALUATION (its id, either end of it, its suite, or "last"), running anywhere.

    Without a screen: prints a line as each sample ends, until no program runs it any more.
    """
    from sandbox_tui.sessions.store.tables import eval_ledger as ledger

    if headless or as_json or not is_terminal():
        from sandbox_tui.tui.cli.evals.watch_headless import watch_headless

        with store_to_read() as store:
            code = watch_headless(store, ledger.summary(store, evaluation), as_json=as_json)
    else:
        from sandbox_tui.tui.cli.evals.on_screen import show_recorded

        settings = load_settings({}, theme)
        with open_store() as store:
            code = show_recorded(ledger.summary(store, evaluation), settings, store)
    sys.exit(code)


@eval_group.command(short_help="Stop an evaluation that runs without a screen.")
@click.argument("evaluation", default="last", shell_complete=complete_running_evaluation)
def stop(evaluation: str) -> None:
    """Stop an EVALUATION that runs in a program of its own, or headless in another terminal (its
    id, either end of it, its suite, or "last": the newest such).

    Its running samples end and are requeued; `eval resume` runs what is left.
    """
    from sandbox_tui.tui.cli.evals.stop_eval import stop_evaluation

    with open_store() as store:
        found = stop_evaluation(store, evaluation)
        left = found.samples - found.over
        then = f"; `sandbox-tui eval resume {found.info.id}` runs the other {left}" if left else ""
        click.echo(f"stopped {found.info.id}: {found.over} of {found.samples} samples done{then}")


@eval_group.command("ls", short_help="List evaluations.")
@list_options("evaluations")
def list_(limit: int, as_json: bool) -> None:
    """List evaluations, newest first."""
    from sandbox_tui.tui.cli.evals.list_evals import print_evals

    with store_to_read() as store:
        print_evals(store, limit, as_json=as_json)


@eval_group.command("rm", short_help="Delete evaluations.")
@click.argument("evaluation", nargs=-1, required=True, shell_complete=complete_evaluation)
@delete_options("samples")
def rm(evaluation: tuple[str, ...], sessions: bool, yes: bool) -> None:
    """Delete EVALUATIONS with their scores; the sessions of their samples stay by default."""
    from sandbox_tui.sessions.store.tables import eval_ledger as ledger
    from sandbox_tui.tui.cli.evals.delete_evals import delete_alone, delete_whole

    with open_store() as store:
        named = (ledger.summary(store, name, strict=True) for name in evaluation)
        chosen = unique_by_id(named, lambda summary: summary.info.id)
        (delete_whole if sessions else delete_alone)(store, chosen, ask=not yes)


@eval_group.command(short_help="Report an evaluation.")
@click.argument("evaluation", default="last", shell_complete=complete_evaluation)
@click.option(
    *("--format", "-f"),
    "form",
    type=FormatChoice(["text", "markdown", "html", "csv", "cells", "json"]),
    help="csv has one line per sample, cells one per domain and mode; json has both. " + _BY_ENDING,
)
@click.option("--json", "as_json", is_flag=True, help="The same as -f json.")
@_output_option
@force_option
@click.option(
    "--sessions", is_flag=True, help=("Also write a page for each session, next to the report.")
)
@_explain_option
def report(
    evaluation: str,
    form: str | None,
    output: Path | None,
    *,
    as_json: bool,
    force: bool,
    sessions: bool,
    explain: bool,
) -> None:
    """Report an EVALUATION (its id, either end of it, its suite, or "last": the newest that runs
    or has results)."""
    from sandbox_tui.tui.cli.evals.report import REPORTS, write_report

    if as_json and form not in (None, "json"):
        raise click.UsageError(f"Use --json or -f {form}, not both.")
    form = "json" if as_json else form or format_of(output, REPORTS, "text")
    output = file_or_stdout(output, force=force)
    with store_to_read() as store:
        write_report(store, evaluation, form, output, sessions=sessions, explain=explain)


@eval_group.command(short_help="Compare two evaluations task by task.")
@click.argument("left", shell_complete=complete_evaluation)
@click.argument("right", shell_complete=complete_evaluation)
@click.option(
    *("--format", "-f"),
    "form",
    type=FormatChoice(["text", "markdown", "html"]),
    help=_BY_ENDING,
)
@_output_option
@force_option
@_explain_option
def compare(
    left: str,
    right: str,
    form: str | None,
    output: Path | None,
    *,
    force: bool,
    explain: bool,
) -> None:
    """Compare two evaluations by task and mode: two models, or two checkpoints of one.

    LEFT and RIGHT are ids as `eval ls` lists them, either end of one, or suites.
    """
    from sandbox_tui.tui.cli.evals.report import COMPARISONS, write_comparison

    form = form or format_of(output, COMPARISONS, "text")
    output = file_or_stdout(output, force=force)
    with store_to_read() as store:
        write_comparison(store, left, right, form, output, explain=explain)


eval_group.add_command(suites)
eval_group.add_command(scorers)
eval_group.add_command(rescore)


def _suite_overrides(options: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Return the suite's values that the command line overrides."""
    modes = options["modes"]
    own = {
        name: value
        for name, value in overrides.items()
        if name.startswith(("model.", "limits.", "sandbox."))
        and name not in ("model.name", "model.base_url")
    }
    return {
        **own,
        "modes": (MODES[:-1] if "all" in modes else list(modes)) or None,
        "samples": options["samples"],
        "scorers": options["scorer"],
        "seed": options["seed"],
        "dataset.limit": options["limit"],
        "dataset.domains": list(options["domains"]) or None,
    }


def _cluster(options: dict[str, Any], settings: Settings) -> RayCluster | None:
    """Return the cluster given on the command line, if any.

    Raises:
        ConfigError: the cluster cannot be joined.
    """
    if options["ray"] is None:
        return None
    from sandbox_tui.sessions.evals.cluster.cluster_executor import RayCluster

    return RayCluster.join(options["ray"], options["concurrency"], settings.sandbox.memory)


def _command_line() -> str:
    import shlex

    return shlex.join(["sandbox-tui", *sys.argv[1:]])


def _execute(
    evaluation: Evaluation, settings: Settings, store: Store, options: dict[str, Any]
) -> int:
    if options["headless"] or options["as_json"] or not is_terminal():
        from sandbox_tui.tui.cli.evals.headless import work_headless

        return work_headless(evaluation, store, options)
    from sandbox_tui.tui.cli.evals.on_screen import show_work

    return show_work(evaluation, settings, store)
