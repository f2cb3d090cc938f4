"""`sandbox-tui rl ls`: lists training runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandbox_tui.tui.cli.options import list_options

if TYPE_CHECKING:
    from sandbox_tui.sessions.store.tables.trainings import TrainingSummary


@click.command("ls", short_help="List training runs.")
@list_options("training runs")
def list_trainings(limit: int, as_json: bool) -> None:
    """List training runs, newest first."""
    from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
    from sandbox_tui.sessions.store.tables import trainings
    from sandbox_tui.tui.cli.open_store import store_to_read

    with store_to_read() as store:
        found = trainings.summaries(store, limit)
    if not found:
        click.echo(trainings.NO_TRAINING, err=True)
    for one in found:
        if as_json:
            click.echo(sanitize_json(_as_json(one)))
            continue
        click.echo(sanitize_line(_line(one)))
        if one.error:
            click.echo(sanitize_line(f"{'':23}{one.error}"))


def _line(found: TrainingSummary) -> str:
    from sandbox_tui.tui.format import numbers

    reward = "" if found.mean_reward is None else f"  reward {found.mean_reward:.3f}"
    return (
        f"{found.id}  {found.status:11}  {numbers.counted(found.steps, 'step'):>9}"
        f"  {numbers.counted(found.rollouts, 'rollout'):>14}  {found.name}  {found.model}"
        f"  {found.engine}{reward}"
    )


def _as_json(found: TrainingSummary) -> str:
    import msgspec

    return msgspec.json.encode(found).decode()
