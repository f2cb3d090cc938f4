"""The help of commands with many options: by topic, with examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from typing_extensions import override

SECTIONS = {
    "Model": ("model", "base_url", "temperature", "tool_calls", "extra_body", "seed"),
    "Sandbox": ("sandbox", "image", "network", "snapshots", "tty"),
    "Files": ("input_", "output"),
    "Limits": ("max_steps", "max_tokens", "token_limit", "time_limit", "command_timeout"),
    "Control": ("mode", "step", "headless", "as_json", "detach"),
}
"""Options by topic; those in none come first."""

_BREAK, _CONTINUED = " \\", "    "
"""The end of a line of a command that goes on, and the beginning of the next."""


class CommandWithSections(click.Command):
    """A command whose help lists its options by topic and ends with examples.

    Attributes:
        examples: command lines, one each.
    """

    def __init__(self, *args: object, examples: Sequence[str] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.examples = examples

    @override
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by topic."""
        known = {name for names in SECTIONS.values() for name in names}
        params = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        _write(ctx, formatter, "Options", [one for one in params if one.name not in known])
        for topic, names in SECTIONS.items():
            _write(ctx, formatter, topic, [one for one in params if one.name in names])

    @override
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on a line of its own; a long one goes on below itself."""
        if self.examples:
            with formatter.section("Examples"):
                indent = formatter.current_indent
                for example in self.examples:
                    for line in _lines_of(example, formatter.width - indent):
                        formatter.write(f"{'':>{indent}}{line}\n")


def _lines_of(example: str, width: int) -> Iterator[str]:
    """Yield a command line, broken before options as a shell takes it if it is too long."""
    while len(example) > width:
        at = example.rfind(" --", len(_CONTINUED), width - len(_BREAK))
        if at <= 0:
            break
        yield f"{example[:at]}{_BREAK}"
        example = f"{_CONTINUED}{example[at + 1 :]}"
    yield example


def _write(
    ctx: click.Context, formatter: click.HelpFormatter, topic: str, params: list[click.Option]
) -> None:
    rows = [row for one in params if (row := one.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(topic):
            formatter.write_dl(rows)
