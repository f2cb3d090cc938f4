"""The group of all commands: its help by topic, its errors as sentences, and near misses."""

from __future__ import annotations

import contextlib
import difflib
import errno
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, TextIO

import click
from click.shell_completion import CompletionItem
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.tui.cli.program import CANCELLED
from sandbox_tui.tui.cli.usage.did_you_mean import did_you_mean
from sandbox_tui.tui.cli.usage.other_words import meant_by_program, meant_in_group
from sandbox_tui.tui.cli.usage.plain_errors import plain_errors

TOPICS = {
    "Run": ("run", "demo", "attach", "stop", "resume"),
    "Sessions": ("sessions", "replay", "fork", "compare", "snapshots"),
    "Many tasks": ("eval", "rl"),
    "Setup": ("doctor", "config", "keys", "policy", "image", "serve", "completion"),
}
"""The commands, in the order in which the help lists them."""


MAX_DESCRIPTION = 120
"""Maximum characters of what a list or a shell says about a command."""
HELP = "help"


NOT_WRITTEN = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Why stdout cannot be written: nobody reads it, or the disk of its file is full or fails."""


class DescribedCommands(click.Group):
    """A group whose commands a shell describes in whole sentences.

    The command `help`, which no list shows, prints the help of the group or of one of its commands.
    """

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name, `help` among them."""
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name == HELP:
            from sandbox_tui.tui.cli.usage.help_command import help_command

            return help_command
        return found

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        for item in found:
            if (command := self.commands.get(item.value)) is not None:
                item.help = command.get_short_help_str(MAX_DESCRIPTION)
        if HELP.startswith(incomplete):
            found.append(CompletionItem(HELP, help="Print the help of a command."))
        return found


class Subcommands(DescribedCommands):
    """A group below a command, which says what an unknown name may mean.

    Old versions of Click suggest nothing.

    Attributes:
        meant: by a word that other programs use, the command with what it does.
    """

    def __init__(
        self, *args: object, meant: Mapping[str, str] | None = None, **kwargs: object
    ) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.meant = meant or {}

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the command that is meant, or those spelled alike."""
        name = args[0]
        if self.get_command(ctx, name) is None:
            if name in self.meant:
                ctx.fail(f"No such command {name!r}: {self.meant[name]}.")
            other = meant_in_group(name, self.commands)
            if near := [other] if other else difflib.get_close_matches(name, self.commands):
                ctx.fail(f"No such command {name!r}. {did_you_mean(near)}")
            listed = ", ".join(self.list_commands(ctx))
            ctx.fail(f"No such command {name!r}. `{ctx.command_path}` has: {listed}.")
        return super().resolve_command(ctx, args)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands; on a narrow terminal, a description goes on below itself."""
        shown = ((name, self.commands[name]) for name in self.list_commands(ctx))
        rows = [
            (name, command.get_short_help_str(MAX_DESCRIPTION))
            for name, command in shown
            if not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(DescribedCommands):
    """A group that prints `SandboxTuiError`s as a sentence on stderr and exits with their code."""

    @override
    def main(self, *args: Any, **options: Any) -> Any:
        """Run the program; say so if its output, help included, cannot be written."""
        try:
            try:
                return super().main(*args, **options)
            finally:
                _flush()
        except OSError as error:
            _exit_without_output(error)

    @override
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the options in front of the command."""
        with plain_errors():
            return super().make_context(*args, **options)

    @override
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with plain_errors():
                return super().invoke(ctx)
        except SandboxTuiError as error:
            from sandbox_tui.tui.cli.settings.mistakes import error_words

            click.echo(f"sandbox-tui: {error_words(error)}", err=True)
            ctx.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort):  # ctrl+c, also at a question
            click.echo("\nCancelled.", err=True)
            ctx.exit(CANCELLED)
        except BrokenPipeError as error:
            _exit_without_output(error)

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest what an unknown command may mean: one below a group, or one spelled alike."""
        is_known = self.get_command(ctx, args[0]) is not None
        if not is_known and (meant := self._meant(args[0])):
            ctx.fail(f"No such command {args[0]!r}. {did_you_mean(meant)}")
        return super().resolve_command(ctx, args)

    def _meant(self, name: str) -> list[str]:
        """Return what an unknown command may mean: what other programs call so, or commands that
        are spelled alike."""
        if other := meant_in_group(name, self.commands):
            return [other]
        order = [one for names in TOPICS.values() for one in names]
        groups = {
            n: g.commands for n in order if isinstance(g := self.commands.get(n), click.Group)
        }
        return meant_by_program(name, groups) or difflib.get_close_matches(name, self.commands, 3)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by topic, all in one column."""
        width = max(map(len, self.commands)) + 2
        for topic, names in TOPICS.items():
            rows = [
                (name.ljust(width - 2), self.commands[name].get_short_help_str(MAX_DESCRIPTION))
                for name in names
            ]
            with formatter.section(topic):
                formatter.write_dl(rows)

    @override
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how to get the help of a command."""
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} {HELP} COMMAND` explains a command.")


def _flush() -> None:
    """Write what is still buffered: an error at the exit could not be reported."""
    stdout: TextIO | None = sys.stdout  # None if the program was started without one
    if stdout is not None and not stdout.closed:
        stdout.flush()


def _exit_without_output(error: OSError) -> NoReturn:
    """End the program if `error` came from writing to stdout.

    Raises:
        OSError: it did not.
    """
    from sandbox_tui.tui.cli.headless import without_output

    if not _is_of_stdout(error):
        raise error
    try:
        code = without_output(error)
    except SandboxTuiError as reason:
        code = reason.exit_code
        with contextlib.suppress(OSError):  # stderr is on the same full disk
            click.echo(f"sandbox-tui: {reason}", err=True)
    sys.exit(code)


def _is_of_stdout(error: OSError) -> bool:
    """Return whether `error` came from writing to stdout: it is of writing and names no file."""
    return error.filename is None and error.errno in NOT_WRITTEN
