"""Checks whether the embedded sandbox works on this machine."""

from __future__ import annotations

import shutil
import subprocess

from sandbox_tui.core.sandboxes.bubblewrap.bwrap_arguments import system_arguments
from sandbox_tui.core.sandboxes.bubblewrap.killing import kill_bwrap

PROBE_TIMEOUT_SECONDS = 10.0
INSTALL_HINT = "Install it (Debian: apt-get install bubblewrap), or start a Docker engine."


def bubblewrap_problem() -> str:
    """Say in a sentence why the embedded sandbox cannot be used here; empty if it can."""
    program = shutil.which("bwrap")
    if program is None:
        return f"bubblewrap is not installed. {INSTALL_HINT}"
    command = [program, "--unshare-all", *system_arguments(), "true"]
    try:
        code, output = _probe(command)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}."
    if code == 0:
        return ""
    words = output.decode("utf-8", "replace").strip().split("\n")[0]
    return (
        f"bubblewrap is not allowed to create namespaces here ({words}). Start a Docker engine "
        "instead."
    )


def _probe(command: list[str]) -> tuple[int, bytes]:
    """Return the exit code and error output of a command that tries out bwrap.

    It runs in its own session: ctrl+c in a terminal would kill only bwrap and leave its child (see
    `killing`).
    """
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            _, output = process.communicate(timeout=PROBE_TIMEOUT_SECONDS)
        except BaseException:
            kill_bwrap(process.pid)
            raise
    return process.returncode, output
