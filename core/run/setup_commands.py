"""Commands that prepare a sandbox before the model starts."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes.base import ExecResult, Sandbox

SETUP_SECONDS = 1800.0
"""Timeout of one command."""


async def run_setup(commands: Sequence[str], sandbox: Sandbox) -> None:
    """Run the commands outside the model's shell.

    Raises:
        SandboxError: a command failed.
    """
    for command in commands:
        done = await sandbox.run(["bash", "-c", command], timeout=SETUP_SECONDS)
        if done.exit_code != 0:
            raise SandboxError(_setup_failure(command, done))


def _setup_failure(command: str, done: ExecResult) -> str:
    how = "took too long" if done.timed_out else f"ended with exit code {done.exit_code}"
    output_lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    detail = f": {output_lines[-1][:300]}" if output_lines else ""
    return f"The setup command {command[:200]!r} {how}{detail}."
