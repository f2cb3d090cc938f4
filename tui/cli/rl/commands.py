"""The command group `sandbox-tui rl`; each command has its own module."""

from __future__ import annotations

import click

from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.rl.data_commands import data
from sandbox_tui.tui.cli.rl.delete_trainings import delete_trainings
from sandbox_tui.tui.cli.rl.export_sft import export_sft
from sandbox_tui.tui.cli.rl.list_trainings import list_trainings
from sandbox_tui.tui.cli.rl.serve_episodes import serve_episodes
from sandbox_tui.tui.cli.rl.serve_model import serve_model
from sandbox_tui.tui.cli.rl.train import train
from sandbox_tui.tui.cli.rl.watch_training import watch_training


@click.group(
    "rl", cls=Subcommands, short_help="Train models in sandboxes, and make the data for it."
)
def rl_group() -> None:
    """Train models in sandboxes, and make the data for it."""


rl_group.add_command(data)
rl_group.add_command(train)
rl_group.add_command(serve_model)
rl_group.add_command(watch_training)
rl_group.add_command(list_trainings)
rl_group.add_command(export_sft)
rl_group.add_command(delete_trainings)
rl_group.add_command(serve_episodes)
