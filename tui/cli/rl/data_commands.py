"""`sandbox-tui rl data`: generates, converts, splits and checks the tasks for training."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import click

from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.completion.items import complete_file
from sandbox_tui.tui.cli.completion.names import complete_scorer
from sandbox_tui.tui.cli.settings.output_file import (
    FILE,
    file_or_stdout,
    force_option,
    output_option,
)


@click.group(cls=Subcommands, short_help="Make, convert, split and check tasks.")
def data() -> None:
    """Make, convert, split and check tasks: questions whose answers are in documents.

    Task files are JSON Lines. A suite reads one as `dataset: {path: tasks.jsonl}`.
    """


@data.command(short_help="Generate tasks from a seed.")
@click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Number of tasks.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Random seed.")
@click.option(
    "--domain", "domains", metavar="NAME", multiple=True, help="Only this domain; repeatable."
)
@click.option(
    "--level",
    "levels",
    metavar="N",
    multiple=True,
    type=click.IntRange(1, 4),
    help="Only this level (1 is the easiest); repeatable.",
)
@output_option("The task file to write", required=True)
@force_option
def generate(
    count: int,
    seed: int,
    domains: tuple[str, ...],
    levels: tuple[int, ...],
    *,
    output: Path,
    force: bool,
) -> None:
    """Generate tasks without downloads: documents, a question about them, and its answer."""
    from sandbox_tui.core.rl.data.generated.generate import DOMAINS, LEVELS, generate_tasks
    from sandbox_tui.tui.cli.rl.data_report import write_task_file

    file = file_or_stdout(output, force=force)
    tasks = generate_tasks(count, seed=seed, domains=domains or DOMAINS, levels=levels or LEVELS)
    write_task_file(file, list(tasks))


@data.command(short_help="Convert questions and documents into tasks.")
@click.argument("source", shell_complete=complete_file)
@output_option("The task file to write", required=True)
@force_option
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="The column of a field: problem, target, id, domain, context, document, choices …",
)
@click.option(
    "--documents",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the documents that rows name.",
)
@click.option("--domain", metavar="NAME", default="", help="Domain of tasks that name none.")
@click.option(
    "--scorer",
    metavar="NAME",
    default="",
    shell_complete=complete_scorer,
    help="Scorer of tasks that name none.",
)
@click.option(
    "--parts",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Join or split each task's documents into this many files; 0 leaves them as they are.",
)
@click.option(
    "--distractors",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Documents of other tasks to add to each task.",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=0,
    show_default=True,
    help=("Random seed for the distractors."),
)
def convert(
    source: str, *, output: Path, force: bool, columns: tuple[str, ...], **options: Any
) -> None:
    """Convert questions and their documents into tasks: the question in the prompt, beside files.

    SOURCE is a file of rows (JSON, JSON Lines, CSV, Parquet), or a suite such as instruct_pretrain.
    A row has its document in the column "context", or names it in the column "document".
    """
    from sandbox_tui.core.rl.data.conversion import convert as conversion
    from sandbox_tui.tui.cli.rl.data_report import write_task_file

    _check_distinct(Path(source), output)
    file = file_or_stdout(output, force=force)
    how = conversion.Conversion(
        columns=_columns(columns), folder=options.pop("documents"), **options
    )
    write_task_file(file, conversion.convert(source, how))


def _check_distinct(*paths: Path) -> None:
    """Refuse to write a file over another one that the command reads or writes.

    Raises:
        BadParameter: two paths are the same.
    """
    for one, other in combinations(paths, 2):
        if one.expanduser().resolve() == other.expanduser().resolve():
            raise click.BadParameter(f"{other} is given twice.")


def _columns(assignments: tuple[str, ...]) -> dict[str, str]:
    """Parse columns by field.

    Raises:
        BadParameter: an argument is not FIELD=COLUMN.
    """
    for text in assignments:
        if not all(text.partition("=")):
            raise click.BadParameter(f"{text!r} is not FIELD=COLUMN.", param_hint="--column")
    return {field: name for field, _, name in (text.partition("=") for text in assignments)}


@data.command(short_help="Split tasks into training and held-out tasks.")
@click.argument("tasks", type=FILE)
@click.option(
    "--share",
    metavar="SHARE",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="Share of each domain's tasks to hold out.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Random seed.")
@click.option(
    "--train",
    metavar="FILE",
    type=FILE,
    required=True,
    help="The file to write training tasks to.",
)
@click.option(
    "--held-out",
    metavar="FILE",
    type=FILE,
    required=True,
    help=("The file to write held-out tasks to."),
)
@force_option
def split(
    tasks: Path, share: float, seed: int, *, train: Path, held_out: Path, force: bool
) -> None:
    """Split the file TASKS by document.

    No document of a held-out task, nor anything nearly the same, is in a training task; nor is its
    question with its answer.
    """
    from sandbox_tui.core.rl.data.split import split_by_document
    from sandbox_tui.core.rl.data.task_file import read_tasks
    from sandbox_tui.tui.cli.rl.data_report import write_task_file

    _check_distinct(tasks, train, held_out)
    files = [file_or_stdout(file, force=force) for file in (train, held_out)]
    halves = split_by_document(read_tasks(tasks), share=share, seed=seed)
    for file, half in zip(files, (halves.train, halves.held_out), strict=True):
        write_task_file(file, half)


@data.command(short_help="Check that nothing leaks from held-out tasks.")
@click.argument("train", type=FILE)
@click.argument("held_out", type=FILE)
@click.option(
    "--ngram",
    metavar="N",
    type=click.IntRange(1),
    default=13,
    show_default=True,
    help="Length of an n-gram, in words.",
)
@click.option(
    "--overlap",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Largest share of a task's n-grams that may occur in training documents.",
)
@click.option("--json", "as_json", is_flag=True, help="Print every leak as JSON, one per line.")
def check(train: Path, held_out: Path, ngram: int, overlap: float, as_json: bool) -> None:
    """Check what the tasks of HELD_OUT have in common with those of TRAIN; exit code 1: something.

    Documents are compared byte for byte, word for word, by runs of five words (near duplicates)
    and by n-grams; questions together with their answers.
    """
    from sandbox_tui.core.rl.data.leaks import find_leaks
    from sandbox_tui.core.rl.data.task_file import read_tasks
    from sandbox_tui.tui.cli.rl.data_report import print_leaks

    report = find_leaks(read_tasks(train), read_tasks(held_out), ngram=ngram, max_overlap=overlap)
    print_leaks(report, as_json=as_json)
    if report.leaks:
        click.get_current_context().exit(1)
