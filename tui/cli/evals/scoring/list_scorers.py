"""`sandbox-tui eval scorers`: lists the built-in scorers."""

from __future__ import annotations

import click

from sandbox_tui.tui.cli.evals.list_suites import print_named
from sandbox_tui.tui.cli.options import json_lines_option


@click.command(short_help="List the scorers.")
@json_lines_option("scorers")
def scorers(*, as_json: bool) -> None:
    """List the built-in scorers and what they score; your own is package.module:Class."""
    from sandbox_tui.core.evals.scorers.table import SCORES

    print_named(SCORES, 20, as_json=as_json)
