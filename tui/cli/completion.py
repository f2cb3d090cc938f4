"""`sandbox-tui completion`: completes commands, options and session ids in a shell."""

from __future__ import annotations

import contextlib

import click
from click.shell_completion import CompletionItem, get_completion_class

MAX_COMPLETED = 50
"""Maximum number of sessions that are offered, the newest ones."""


@click.command(short_help="Print a script that completes commands in your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and session ids in SHELL.

    \b
    bash, zsh  eval "$(sandbox-tui completion bash)"    # in ~/.bashrc; for zsh in ~/.zshrc
    fish       sandbox-tui completion fish | source     # in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell)
    if kind is not None:
        root = ctx.find_root()
        click.echo(kind(root.command, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE").source())


def complete_session(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids of the newest sessions that begin with the typed text, with their tasks."""
    del ctx, param
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.core.config.settings import data_dir
    from sandbox_tui.sessions import Store

    path = data_dir() / "sessions.db"
    found = [CompletionItem("last", help="the newest session")]
    if path.exists():
        with contextlib.suppress(SandboxTuiError), Store.open_readonly_if_needed(path) as store:
            runs = store.standalone_runs(limit=MAX_COMPLETED)
            found += [
                CompletionItem(run.id, help=sanitize_line(run.title or run.task)) for run in runs
            ]
    return [item for item in found if item.value.startswith(incomplete)]
