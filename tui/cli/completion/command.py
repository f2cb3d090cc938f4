"""`sandbox-tui completion`: prints the script that completes commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from sandbox_tui.tui.cli.completion.shells import add_shells
from sandbox_tui.tui.cli.program import COMPLETE

add_shells()


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

    In zsh, `autoload -U compinit; compinit` must come before that line.
    """
    kind = get_completion_class(shell)
    if kind is not None:
        script = kind(ctx.find_root().command, {}, "sandbox-tui", COMPLETE).source()
        # ctrl+c may come while Python itself starts, and would leave a traceback at the prompt
        click.echo(script.replace("env ", "env 2>/dev/null ", 1))
