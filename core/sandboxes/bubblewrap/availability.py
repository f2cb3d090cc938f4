"""Whether the embedded sandbox works on this machine."""

from __future__ import annotations

import shutil
import subprocess

from sandbox_tui.core.sandboxes.bubblewrap.bwrap_arguments import system_arguments

PROBE_TIMEOUT_SECONDS = 10.0
INSTALL_HINT = "Install it (Debian: apt-get install bubblewrap), or start a Docker engine."


def bubblewrap_problem() -> str:
    """Why the embedded sandbox cannot be used here, as a sentence; empty when it can."""
    program = shutil.which("bwrap")
    if program is None:
        return f"There is no `bwrap` on this machine. {INSTALL_HINT}"
    command = [program, "--unshare-all", *system_arguments(), "true"]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PROBE_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`bwrap` does not work here: {error}."
    if done.returncode == 0:
        return ""
    words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    return f"`bwrap` may not make namespaces here ({words}). Start a Docker engine instead."
