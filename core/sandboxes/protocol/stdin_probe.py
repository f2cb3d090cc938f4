"""Detects whether a running command, or a user's shell, waits for terminal input."""

from __future__ import annotations

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes.base import TerminalReader
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, Control, script


async def find_terminal_reader(
    control: Control, running: tuple[int, int] | None
) -> TerminalReader | None:
    """Return the program of a command that waits for terminal input.

    Args:
        control: runs a command in the sandbox.
        running: number and process id of the command; None if none is running.
    """
    if running is None:
        return None
    text = f"call={running[0]} after={running[1]}\n{script('stdin_probe.sh')}"
    result = await control(text.encode(), builtin=True)
    name, _, hidden = result.stdout.decode("utf-8", "replace").rstrip("\n").rpartition("\n")
    return TerminalReader(program=name, hidden=hidden == "1") if name else None


async def hides_input(control: Control, shell: str) -> bool:
    """Return whether the terminal of this shell reads a line without echoing it (see `Shell`).

    Editors and prompts with line editing echo keys themselves: they read keys, not lines.
    """
    name = f"{STATE_DIR}/{shell}.tty"  # the shell writes this file when it starts
    wait_for_start = (
        f"for try in {{1..100}}; do [ -s {name} ] && break; sleep 0.02; done 2>/dev/null"
    )
    command = f'{wait_for_start}; read -r t <{name} && stty -a -F "$t"'
    result = await control(command.encode())
    if result.exit_code != 0:
        raise SandboxError("The terminal of the shell does not answer.")
    settings = result.stdout.split()
    return b"-echo" in settings and b"icanon" in settings
