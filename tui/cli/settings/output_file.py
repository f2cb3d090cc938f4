"""The options of commands that write a file which the user names: `--output` and `--force`."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.write_file import is_stdout, would_overwrite, write_file

if TYPE_CHECKING:
    from sandbox_tui.tui.cli.options import Decorator

FILE = click.Path(path_type=Path, dir_okay=False)
"""The type of a file to write; `-` is stdout."""

STDOUT = Path("/dev/stdout")

force_option = click.option("--force", is_flag=True, help="Overwrite existing files.")

ENDINGS = {".htm": "html", ".md": "markdown"}
"""Formats by the endings that are not their names."""


def output_option(words: str, **more: Any) -> Decorator:
    """Return `--output` for a command that writes one file."""
    return click.option(
        *("--output", "-o"), metavar="FILE", type=FILE, help=f"{words}; - is stdout.", **more
    )


def format_of(output: Path | None, formats: Collection[str], default: str) -> str:
    """Return the format that the ending of a file stands for; the default without one."""
    ending = "" if output is None else output.suffix.lower()
    found = ENDINGS.get(ending, ending.removeprefix("."))
    return found if found in formats else default


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
