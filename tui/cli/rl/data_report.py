"""Writes task files and reports on their contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.leaks import Leak, LeakReport
from sandbox_tui.core.rl.data.task_file import encode_tasks
from sandbox_tui.tui.cli.settings.output_file import write_output


def write_task_file(path: Path | None, tasks: Sequence[Task]) -> None:
    """Write tasks to a file, or to stdout if it is None, and print the number per domain.

    Raises:
        ConfigError: the file cannot be written, or a document is not text.
    """
    write_output(path, encode_tasks(tasks))
    domains = Counter(task.domain or "no domain" for task in tasks)
    shares = ", ".join(f"{name} {count:,}" for name, count in sorted(domains.items()))
    documents = len({data for task in tasks for data in task.files.values()})
    words = f"{path or 'stdout'}: {len(tasks):,} tasks on {documents:,} documents ({shares})."
    click.echo(sanitize(words), err=path is None)


_KINDS = {
    "document": "the same document",
    "normalised": "the same words",
    "near_duplicate": "nearly the same document",
    "question_and_answer": "the same question and answer",
    "n_grams": "n-grams of a training document",
}
MAX_EXAMPLES = 3
"""Maximum number of leaks printed per kind."""


def print_leaks(report: LeakReport, *, as_json: bool) -> None:
    """Print the number of leaks of each kind with some examples, or all of them as JSON."""
    if as_json:
        for leak in report.leaks:
            click.echo(msgspec.json.encode(leak).decode())
        return
    for kind, words in _KINDS.items():
        found = [leak for leak in report.leaks if leak.kind == kind]
        click.echo(f"{words:32}{len(found):>7,}")
        for leak in found[:MAX_EXAMPLES]:
            click.echo(f"    {sanitize(_example(leak))}")
    overlaps = report.overlaps.values()
    click.echo(
        f"{f'overlap of {report.ngram}-grams':32}{max(overlaps):>7.1%} at most, "
        f"{sum(overlaps) / len(overlaps):.1%} on average"
    )
    click.echo(f"{'the same question alone':32}{report.repeated_questions:>7,}")
    leaking = f"{report.leaking_tasks:,} of {len(overlaps):,} held-out tasks leak."
    click.echo(leaking if report.leaks else f"Nothing leaks from {len(overlaps):,} held-out tasks.")


def _example(leak: Leak) -> str:
    held_out = " ".join(filter(None, [leak.held_out, leak.held_out_document]))
    train = " ".join(filter(None, [leak.train, leak.train_document]))
    similarity = "" if leak.similarity == 1 else f" ({leak.similarity:.0%})"
    return f"{held_out}{f' is in {train}' if train else ''}{similarity}"
