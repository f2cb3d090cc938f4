"""The shell scripts that run inside a sandbox, and quoting for what is put into them."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from importlib import resources

from ..paths import text_to_path
from .base import ExecResult

STATE_DIR = "/run/sandbox-tui"
"""Where dispatchers keep the carried shell state, inside the sandbox."""


@functools.cache
def script(name: str) -> str:
    """Text of a script beside this file."""
    return (resources.files(__package__ or __name__) / name).read_text(encoding="utf-8")


def dispatcher_command(state_dir: str, start_dir: str, *, line_buffered: bool) -> list[str]:
    """The command line of a dispatcher; `line_buffered` makes C programs print whole lines."""
    lines = "lines" if line_buffered else "blocks"
    return ["bash", "-c", script("dispatcher.sh"), "sandbox", state_dir, start_dir, lines]


async def install(control: Callable[..., Awaitable[ExecResult]]) -> None:
    """Put the scripts where dispatchers and shells look for them.

    Args:
        control: runs a command in the sandbox, `payload` being its stdin.
    """
    folder = STATE_DIR.encode()
    for name, file in (("carry.sh", b"pre"), ("shell.bashrc", b"bashrc")):
        command = b"mkdir -p %b && cat >%b/%b" % (folder, folder, file)
        await control(command, payload=script(name).encode())


def shell_command(cols: int, rows: int) -> list[str]:
    """The command line of a person's shell, in the model's directory and environment."""
    size = f"export TERM=xterm-256color COLUMNS={cols} LINES={rows}"
    unset = "unset LD_PRELOAD _STDBUF_O PAGER GIT_PAGER SANDBOX_CALL"
    return ["bash", "-c", f"{size}; {unset}; exec bash --rcfile {STATE_DIR}/bashrc -i"]


def quote(path: str) -> bytes:
    """A path (text as `core.paths` writes it) as one word of a shell command."""
    return quote_bytes(text_to_path(path))


def quote_bytes(word: bytes) -> bytes:
    """Bytes as one word of a shell command; NUL, which no word can hold, is left out."""
    return b"'" + word.replace(b"\0", b"").replace(b"'", b"'\\''") + b"'"
