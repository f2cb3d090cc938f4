"""`sandbox-tui eval scorers`: lists the built-in scorers."""

from __future__ import annotations

import click


@click.command(short_help="List the scorers.")
def scorers() -> None:
    """List the built-in scorers and what they score; your own is package.module:Class."""
    from sandbox_tui.core.evals.scorers.table import SCORES

    for name, what in SCORES.items():
        click.echo(f"{name:20}{what}")
