"""`sandbox-tui completion`: prints the script that completes commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(short_help="Print a script that completes commands in your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and what they take in SHELL: ids, suites,
    formats, settings and their values.

    \b
    bash  eval "$(sandbox-tui completion bash)"        # in ~/.bashrc
    zsh   eval "$(sandbox-tui completion zsh)"         # in ~/.zshrc
    fish  sandbox-tui completion fish | source         # in config.fish
    """
    kind = get_completion_class(shell)
    if kind is not None:
        root = ctx.find_root()
        click.echo(kind(root.command, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE").source())
