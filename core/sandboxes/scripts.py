"""The shell scripts that run inside a sandbox, and quoting for what is put into them."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable
from importlib import resources

from ..paths import text_to_path
from .base import ExecResult

STATE_DIR = "/run/sandbox-tui"
"""Where dispatchers keep the carried shell state, inside the sandbox."""


@functools.cache
def script(name: str) -> str:
    """Text of a script beside this file, without the lines that are comment alone: some of them
    are sent with each request, and bash takes those in byte by byte."""
    text = (resources.files(__package__ or __name__) / name).read_text(encoding="utf-8")
    return re.sub(r"(?m)^ *#(?!!).*\n", "", text)


def dispatcher_command(state_dir: str, start_dir: str, *, line_buffered: bool) -> list[str]:
    """The command line of a dispatcher; `line_buffered` makes C programs print whole lines."""
    carry = script("carry.sh")
    lines = "lines" if line_buffered else "blocks"
    return ["bash", "-c", script("dispatcher.sh"), "sandbox", state_dir, start_dir, lines, carry]


Control = Callable[..., Awaitable[ExecResult]]
"""Runs one of our own commands in a sandbox (see `Files.control`)."""


async def install(control: Control) -> None:
    """Put the settings of a person's shell where it looks for them.

    Args:
        control: runs a command in the sandbox, `payload` being its stdin.
    """
    folder = STATE_DIR.encode()
    command = b"mkdir -p %b && cat >%b/bashrc" % (folder, folder)
    await control(command, payload=script("shell.bashrc").encode())


async def take_up(control: Control) -> int:
    """End what a program that is gone left running in the foreground; how many commands it ran.

    Args:
        control: runs a command in the sandbox.
    """
    result = await control(f"state={STATE_DIR}\n{script('take_up.sh')}".encode())
    words = result.stdout.split()
    return int(words[-1]) if words and words[-1].isdigit() else 0


def shell_command(name: str, cols: int, rows: int) -> list[str]:
    """The command line of a person's shell, in the model's directory and environment.

    It leaves its process id and its terminal behind under its name, for whoever has to find them.
    """
    begin = f"echo $$ >{STATE_DIR}/{name}.pid; tty >{STATE_DIR}/{name}.tty"
    begin += f"; stty sane cols {cols} rows {rows} 2>/dev/null"
    size = f"export TERM=xterm-256color COLUMNS={cols} LINES={rows}"
    return ["bash", "-c", f"{begin}; {size}; exec bash --rcfile {STATE_DIR}/bashrc -i"]


def end_shell_command(name: str) -> bytes:
    """Hangs up the shell of this name, then kills what is left of it."""
    return f"f={STATE_DIR}/{name}.pid\n{script('end_shell.sh')}".encode()


def quote(path: str) -> bytes:
    """A path (text as `core.paths` writes it) as one word of a shell command."""
    return quote_bytes(text_to_path(path))


def quote_bytes(word: bytes) -> bytes:
    """Bytes as one word of a shell command; NUL, which no word can hold, is left out."""
    return b"'" + word.replace(b"\0", b"").replace(b"'", b"'\\''") + b"'"
