"""`sandbox-tui rl watch`: shows a training run on the screen, or a line for each step."""

from __future__ import annotations

import sys

import click

from sandbox_tui.tui.cli.completion.stored import complete_training
from sandbox_tui.tui.cli.open_store import open_store, store_to_read
from sandbox_tui.tui.cli.options import headless_option, json_lines_option, load_settings
from sandbox_tui.tui.cli.show_app import is_terminal, show


@click.command("watch", short_help="Watch a training run, or open a finished one.")
@click.argument("training", default="last", shell_complete=complete_training)
@headless_option
@json_lines_option("steps")
@click.pass_obj
def watch_training(theme: str | None, training: str, headless: bool, as_json: bool) -> None:
    """Watch a TRAINING (its id, part of it, or "last"), whichever program trains.

    Without a screen: prints a line as each step ends, until no program trains any more.
    """
    from sandbox_tui.sessions.store.tables import trainings

    if headless or as_json or not is_terminal():
        from sandbox_tui.tui.cli.rl.step_lines import write_steps

        with store_to_read() as store:
            code = write_steps(store, trainings.summary(store, training), as_json=as_json)
    else:
        from sandbox_tui.tui.lifecycle.first_screen import WatchTraining

        settings = load_settings({}, theme)
        with open_store() as store:
            code = show(settings, store, WatchTraining(trainings.summary(store, training))).code
    sys.exit(code)
