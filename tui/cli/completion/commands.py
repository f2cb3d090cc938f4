"""Completes what is itself a command line of the program."""

from __future__ import annotations

from typing import cast

import click
from click.shell_completion import CompletionItem, ShellComplete

from sandbox_tui.tui.cli.program import COMPLETE


def complete_command_line(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return how to go on with a command line of the program, of which the words before the last
    one are given: commands, and what they take."""
    root = ctx.find_root().command
    return ShellComplete(root, {}, "sandbox-tui", COMPLETE).get_completions(
        _before(ctx, param), incomplete
    )


def complete_command(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the commands of the group whose names are given that begin with the typed text."""
    assert ctx.parent is not None
    about = ctx.parent
    for word in _before(ctx, param):
        group = about.command
        below = group.get_command(about, word) if isinstance(group, click.Group) else None
        if below is None:
            return []
        about = click.Context(below, parent=about, info_name=word)
    if not isinstance(about.command, click.Group):
        return []
    found = about.command.shell_complete(about, incomplete)
    return [item for item in found if item.value != ctx.info_name]


def _before(ctx: click.Context, param: click.Parameter) -> list[str]:
    """Return the words that are given for an argument."""
    return list(cast(tuple[str, ...], ctx.params.get(str(param.name)) or ()))
