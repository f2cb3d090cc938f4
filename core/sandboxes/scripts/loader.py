"""The shell scripts that run inside a sandbox, and quoting for values inserted into them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from importlib import resources
from typing import Protocol

from sandbox_tui.core.base.path_codec import text_to_path
from sandbox_tui.core.sandboxes.base import ExecResult

STATE_DIR = "/run/sandbox-tui"
"""Where dispatchers keep the carried shell state, inside the sandbox."""


@functools.cache
def script(name: str) -> str:
    """Return the text of a script in this folder, without comment lines.

    Some scripts are sent with each request, and bash reads those byte by byte.
    """
    text = (resources.files(__package__ or __name__) / name).read_text(encoding="utf-8")
    return re.sub(r"(?m)^ *#(?!!).*\n", "", text)


def dispatcher_command(state_dir: str, start_dir: str, *, line_buffered: bool) -> list[str]:
    """Return the command line of a dispatcher; `line_buffered` makes C programs flush every
    line."""
    carry = script("shell_state.sh")
    lines = "lines" if line_buffered else "blocks"
    return ["bash", "-c", script("dispatcher.sh"), "sandbox", state_dir, start_dir, lines, carry]


class Control(Protocol):
    """Runs one of our own commands in a sandbox (see `ControlChannel.run`)."""

    async def __call__(
        self, command: bytes, *, payload: bytes = b"", builtin: bool = False
    ) -> ExecResult: ...


async def install_bashrc(control: Control) -> None:
    """Write the bashrc of the user's shells to the place they read it from."""
    folder = STATE_DIR.encode()
    command = b"mkdir -p %b && cat >%b/bashrc" % (folder, folder)
    await control(command, payload=script("shell.bashrc").encode())


async def reset_process_state(control: Control) -> None:
    """Adapt the carried state of a snapshot to a new sandbox.

    Names of processes and terminals are removed, and commands are counted from 1 again (see
    shell_state.sh for `saved`).
    """
    await control(f"state={STATE_DIR}\n{script('reset_process_state.sh')}".encode())


async def end_foreground(control: Control) -> int:
    """End an earlier program's foreground processes; returns how many commands it ran."""
    result = await control(f"state={STATE_DIR}\n{script('reattach.sh')}".encode())
    words = result.stdout.split()
    return int(words[-1]) if words and words[-1].isdigit() else 0


def clean_command(argv: Sequence[str], *, user: str, cwd: str) -> bytes:
    """Return a script that executes `argv` as `user` in the directory `cwd`.

    An empty `user` is the sandbox's default. Exits with 126 if either cannot be used.
    """
    words = b" ".join(quote(word) for word in argv)
    begin = b"cd -- %b || exit 126\n" % quote(cwd)
    if not user:
        return begin + b"exec -- " + words + b"\n"
    become = b"user=%b\n%b" % (quote(user), script("run_as_user.sh").encode())
    return begin + become + b'exec -- "${become[@]}" ' + words + b"\n"


def shell_command(name: str, cols: int, rows: int) -> list[str]:
    """Return the command line of a user's shell, in the model's directory and environment.

    It writes its process id and its terminal to files named after it.
    """
    begin = f"echo $$ >{STATE_DIR}/{name}.pid; tty >{STATE_DIR}/{name}.tty"
    begin += f"; stty sane cols {cols} rows {rows} 2>/dev/null"
    size = f"export TERM=xterm-256color COLUMNS={cols} LINES={rows}"
    return ["bash", "-c", f"{begin}; {size}; exec bash --rcfile {STATE_DIR}/bashrc -i"]


def end_shell_command(name: str) -> bytes:
    """Return a command that hangs up the shell of this name, then kills the rest of its session."""
    return f"f={STATE_DIR}/{name}.pid\n{script('end_shell.sh')}".encode()


def quote(path: str) -> bytes:
    """Quote a path (text in the encoding of `core.base.path_codec`) as one word of a shell
    command."""
    return quote_bytes(text_to_path(path))


def quote_bytes(word: bytes) -> bytes:
    """Quote bytes as one word of a shell command; removes NUL, which no word can contain."""
    return b"'" + word.replace(b"\0", b"").replace(b"'", b"'\\''") + b"'"
