"""`sandbox-tui rl rm`: deletes training runs."""

from __future__ import annotations

import click

from sandbox_tui.tui.cli.completion.stored import complete_training
from sandbox_tui.tui.cli.options import delete_options


@click.command("rm", short_help="Delete training runs.")
@click.argument("training", nargs=-1, required=True, shell_complete=complete_training)
@delete_options("rollouts")
def delete_trainings(training: tuple[str, ...], sessions: bool, yes: bool) -> None:
    """Delete TRAININGS with their curves; the sessions of their rollouts stay by default.

    Checkpoints belong to the trainer and stay.
    """
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.sessions.rl.delete import (
        delete_training,
        delete_with_sessions,
        refuse_running,
    )
    from sandbox_tui.sessions.store.tables import rollouts, trainings
    from sandbox_tui.tui.cli.open_store import open_store, unique_by_id
    from sandbox_tui.tui.cli.sessions.free_space import free_space
    from sandbox_tui.tui.cli.settings.confirm import confirm, kept_words
    from sandbox_tui.tui.format import numbers

    with open_store() as store:
        named = (trainings.summary(store, name, strict=True) for name in training)
        chosen = unique_by_id(named, lambda summary: summary.id)
        for found in chosen:
            refuse_running(found)
        for found in chosen:
            count = len(rollouts.sessions_of(store, found.id))
            kept = numbers.counted(count, "session")
            name = sanitize_line(f"{found.id} ({found.name}, {found.model})")
            if not yes:
                question = f"{name} and its {kept}?" if sessions else f"{name}? Its {kept} stay."
                confirm(f"Delete {question}", kept_words(found is chosen[0]))
            if sessions:
                deleted = delete_with_sessions(store, found.id)
                click.echo(f"deleted {found.id} and {numbers.counted(deleted, 'session')}")
            else:
                delete_training(store, found.id)
                click.echo(f"deleted {found.id}")
        if sessions:
            free_space(store)
