"""`sandbox-tui eval suites`: lists the named suites."""

from __future__ import annotations

import json
from collections.abc import Mapping

import click

from sandbox_tui.tui.cli.options import json_lines_option


@click.command(short_help="List the named suites.")
@json_lines_option("suites")
def suites(*, as_json: bool) -> None:
    """List the named suites: built-in ones, and those in the config folder's suites/."""
    from sandbox_tui.core.evals.suite_file import known_suites

    print_named(known_suites(), 24, as_json=as_json)


def print_named(described: Mapping[str, str], width: int, *, as_json: bool) -> None:
    """Print one line for each name, or one JSON object.

    Args:
        described: what each name stands for.
        width: columns of a name.
        as_json: whether to print JSON.
    """
    for name, words in described.items():
        if as_json:
            click.echo(json.dumps({"name": name, "description": words}))
        else:
            click.echo(f"{name:{width}}{words}".rstrip())
