"""`sandbox-tui policy`: the rules about which calls run."""

from __future__ import annotations

from pathlib import Path

import click

from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.completion.stored import complete_session
from sandbox_tui.tui.cli.open_store import session_named, store_to_read


@click.group(cls=Subcommands, short_help="Decide which calls run, wait for you, or never run.")
def policy() -> None:
    """Rules for which calls run, which wait for you, and which never run."""


@policy.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def policy_show(as_json: bool) -> None:
    """Show the rules, in the order in which they apply."""
    from sandbox_tui.core.config.settings import config_dir, load
    from sandbox_tui.tui.cli.policy.report import print_policy

    print_policy(load().policy, config_dir() / "config.toml", as_json=as_json)


@policy.command("check", short_help="Show how the rules would treat a saved session's calls.")
@click.argument("session", default="last", shell_complete=complete_session)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Take the rules from this config.toml.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def policy_check(session: str, config: Path | None, as_json: bool) -> None:
    """Show what the rules would have done to every call of a saved SESSION (default: the last).

    Nothing is run. --config tries the rules of another file.
    """
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.tui.cli.policy.report import check, print_check

    rules = load(file=config).policy
    with store_to_read() as store:
        summary = session_named(store, session)
        print_check(summary.id, check(rules, store.events(summary.id)), as_json=as_json)
