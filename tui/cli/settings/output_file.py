"""The options of commands that write a file which the user names: `--output` and `--force`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.write_file import is_stdout, would_overwrite, write_file

if TYPE_CHECKING:
    from sandbox_tui.tui.cli.options import Decorator

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # not generic before Click 8.2

FILE = click.Path(path_type=Path, dir_okay=False)
"""The type of a file to write; `-` is stdout."""

STDOUT = Path("/dev/stdout")

force_option = click.option("--force", is_flag=True, help="Overwrite existing files.")

ENDINGS = {".htm": "html", ".md": "markdown"}
"""Formats by the endings that are not their names."""


class FormatChoice(_Choice):
    """The formats that a command can write; a name that is spelled like one says which."""

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the format with this name."""
        choices: Sequence[Any] = self.choices
        names = [str(name) for name in choices]
        if value not in names and (near := get_close_matches(str(value), names, 1)):
            self.fail(f"There is no format {value!r}. Did you mean {near[0]!r}?", param, ctx)
        return super().convert(value, param, ctx)


def output_option(words: str, **more: Any) -> Decorator:
    """Return `--output` for a command that writes one file."""
    return click.option(
        *("--output", "-o"), metavar="FILE", type=FILE, help=f"{words}; - is stdout.", **more
    )


TEXT_ENDINGS = ("", ".txt", ".text", ".log")
"""Endings of files of plain text."""


def format_of(output: Path | None, formats: Collection[str], default: str) -> str:
    """Return the format that the ending of a file stands for; the default, which is text, without
    one.

    Raises:
        ConfigError: it is the ending of none.
    """
    ending = "" if output is None else output.suffix.lower()
    found = ENDINGS.get(ending, ending.removeprefix("."))
    if found in formats:
        return found
    if ending in TEXT_ENDINGS:
        return default
    raise ConfigError(choose_format((default, *formats)))


def choose_format(formats: Collection[str]) -> str:
    """Return what to say about a file whose ending does not name one of these formats."""
    *others, last = (f"-f {name}" for name in formats)
    return f"Choose a format: {', '.join(others)}{' or ' if others else ''}{last}."


def file_or_stdout(output: Path | None, *, force: bool) -> Path | None:
    """Return the file to write; None for stdout.

    Raises:
        ConfigError: there is a file that is not to be overwritten.
    """
    if output is None or is_stdout(output):
        return None
    if would_overwrite(output) and not force:
        raise ConfigError(f"{output} already exists; --force overwrites it.")
    return output


def write_output(output: Path | None, data: bytes) -> None:
    """Write a file, or to stdout.

    Raises:
        ConfigError: the file cannot be written.
    """
    if output is not None:
        write_file(output, data)
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
