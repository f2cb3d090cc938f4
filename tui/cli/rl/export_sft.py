"""`sandbox-tui rl export-sft`: exports good rollouts for supervised fine-tuning."""

from __future__ import annotations

from pathlib import Path

import click

from sandbox_tui.tui.cli.completion.stored import complete_training
from sandbox_tui.tui.cli.settings.output_file import (
    STDOUT,
    file_or_stdout,
    force_option,
    output_option,
)


@click.command("export-sft", short_help="Export good rollouts as data for fine-tuning.")
@click.argument("training", default="last", shell_complete=complete_training)
@click.option(
    "--min-reward",
    type=float,
    default=1.0,
    show_default=True,
    metavar="R",
    help="Minimum reward of a rollout.",
)
@click.option(
    "--each",
    metavar="N",
    type=click.IntRange(1),
    help=("Maximum number of rollouts per task, best first."),
)
@click.option("--held-out", is_flag=True, help="Include rollouts of held-out tasks.")
@click.option("--no-redact", is_flag=True, help="Do not redact what looks like a secret.")
@output_option("The JSON Lines file to write", required=True)
@force_option
def export_sft(
    training: str,
    min_reward: float,
    each: int | None,
    *,
    held_out: bool,
    no_redact: bool,
    output: Path,
    force: bool,
) -> None:
    """Export the good rollouts of a TRAINING (its id, part of it, or "last").

    Each line is a conversation with its tools in OpenAI's chat format, as TRL's SFTTrainer reads
    it.
    """
    from sandbox_tui.sessions.rl.sft_export import Selection, write_sft
    from sandbox_tui.sessions.store.tables import trainings
    from sandbox_tui.tui.cli.open_store import store_to_read
    from sandbox_tui.tui.format import numbers

    file = file_or_stdout(output, force=force)
    selection = Selection(min_reward=min_reward, each=each, held_out=held_out)
    with store_to_read() as store:
        found = trainings.summary(store, training)
        done = write_sft(store, found.id, selection, file or STDOUT, redact=not no_redact)
    tasks = numbers.counted(done.tasks, "task")
    words = f"{file or 'stdout'}: {numbers.counted(done.rollouts, 'rollout')} of {tasks}"
    click.echo(words, err=file is None)
    if done.redacted:
        places = numbers.counted(done.redacted, "place")
        words = f"secrets redacted in {places} of this file; --no-redact keeps them."
        click.echo(words, err=True)
