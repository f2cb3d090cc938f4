"""`sandbox-tui rl train`: trains a model from a recipe, with a line for each step."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from sandbox_tui.tui.cli.completion.stored import complete_training
from sandbox_tui.tui.cli.options import json_lines_option

if TYPE_CHECKING:
    import asyncio

    from sandbox_tui.core.rl.recipe import Recipe
    from sandbox_tui.sessions import Store
    from sandbox_tui.sessions.rl.training import Training
    from sandbox_tui.tui.cli.rl.step_lines import StepWriter


@click.command(short_help="Train a model with a recipe.")
@click.argument("recipe", required=False, type=click.Path(dir_okay=False))
@click.option(
    "--resume",
    metavar="TRAINING",
    shell_complete=complete_training,
    help='Resume a training (its id, part of it, or "last").',
)
@click.option("--seed", metavar="N", type=int, help="Seed to use instead of the recipe's.")
@json_lines_option("steps")
def train(recipe: str | None, resume: str | None, seed: int | None, as_json: bool) -> None:
    """Train a model with the file RECIPE: data, model, engine and limits.

    Each rollout is recorded as a session; `sandbox-tui rl watch` shows them while it trains. Ctrl+C
    ends it; --resume continues from the newest checkpoint, with the recipe as it was recorded.
    """
    if (recipe is None) == (resume is None):
        raise click.UsageError("Give a RECIPE, or --resume TRAINING.")
    if resume is not None and seed is not None:
        raise click.UsageError("A resumed training keeps its seed; leave --seed out.")
    import asyncio

    from sandbox_tui.tui.cli.open_store import open_store
    from sandbox_tui.tui.cli.rl.recipes import given_recipe, recorded_recipe

    with open_store() as store:
        if recipe is not None:
            chosen = given_recipe(recipe, seed)
        else:
            chosen = recorded_recipe(store, resume or "last")
        code = asyncio.run(_train(chosen, store, resume or "", as_json=as_json))
    sys.exit(code)


async def _train(recipe: Recipe, store: Store, resume: str, *, as_json: bool) -> int:
    """Train; return the exit code.

    Raises:
        SandboxTuiError: the training cannot begin, or failed.
    """
    import asyncio

    from sandbox_tui.core.events.kinds.values import STOPPED_EARLY
    from sandbox_tui.sessions.rl.engines import open_engine
    from sandbox_tui.sessions.rl.training import Training
    from sandbox_tui.tui.cli.headless import without_output
    from sandbox_tui.tui.cli.rl.step_lines import StepWriter

    async with open_engine(recipe) as engine:
        training = Training(recipe, store, engine, resume=resume)
        training.begin()
        writer = StepWriter(
            store,
            training.training_id,
            as_json=as_json,
            on_error=lambda: training.stop("Its output could no longer be written."),
        )
        training.on_step = writer.write
        caught = _stop_on_signals(training, asyncio.get_running_loop())
        writer.say(f"training {training.training_id}: {recipe.name}, {recipe.engine}")
        reporting = asyncio.create_task(_report_progress(training, writer))
        try:
            status = await training.run()
        finally:
            reporting.cancel()
    if writer.error is not None:
        return without_output(writer.error)
    if status == "finished":
        where = f" Its checkpoints are in {training.folder}." if training.folder.exists() else ""
        rollouts = f"`sandbox-tui rl watch {training.training_id}` shows its rollouts."
        writer.say(f"finished: {rollouts}{where}")
        return 0
    writer.say(f"stopped: `sandbox-tui rl train --resume {training.training_id}` continues it.")
    return 128 + caught[0] if caught else STOPPED_EARLY


async def _report_progress(training: Training, writer: StepWriter) -> None:
    """Write how far the current rollouts are, now and then, until it is cancelled."""
    import asyncio

    from sandbox_tui.tui.cli.rl.step_lines import POLL_SECONDS

    while True:
        if training.progress is not None:
            writer.progress(training.progress)
        await asyncio.sleep(POLL_SECONDS)


def _stop_on_signals(training: Training, loop: asyncio.AbstractEventLoop) -> list[int]:
    """Stop the training on signals; the returned list receives the numbers of those caught."""
    caught: list[int] = []

    def stop(number: int) -> Callable[[], None]:
        def on_signal() -> None:
            caught.append(number)
            training.stop(f"The program received {signal.Signals(number).name}.")

        return on_signal

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop(number))
    return caught
