"""`sandbox-tui help COMMAND`: prints what `COMMAND --help` prints."""

from __future__ import annotations

import click

from sandbox_tui.tui.cli.completion.commands import complete_command


@click.command(
    "help",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
    short_help="Print the help of a command.",
)
@click.argument("command", nargs=-1, shell_complete=complete_command)
@click.pass_context
def help_command(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Print the help of a COMMAND."""
    assert ctx.parent is not None
    about = ctx.parent
    for word in (one for one in command if one not in about.help_option_names):
        about = _below(about, word)
    click.echo(about.get_help(), color=ctx.color)


def _below(ctx: click.Context, word: str) -> click.Context:
    """Return the context of a command of a group.

    Raises:
        click.UsageError: there is no such command.
    """
    group = ctx.command
    if not isinstance(group, click.Group):
        raise click.UsageError(f"`{ctx.command_path}` has no commands below it.", ctx)
    name, command, _ = group.resolve_command(ctx, [word])
    assert command is not None
    return click.Context(command, parent=ctx, info_name=name, **command.context_settings)
