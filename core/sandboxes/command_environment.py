"""The environment of commands: independent of the host's, without buffering and pagers."""

from __future__ import annotations

from sandbox_tui.core.sandboxes.base import SandboxSpec


def command_environment(spec: SandboxSpec) -> dict[str, str]:
    """Return the variables every program starts with; `spec.environment` overrides them."""
    return {
        "PATH": "/root/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        # the only category in which C.UTF-8 differs from C: setting it alone lets each program read
        # one file at start instead of twelve
        "LC_CTYPE": "C.UTF-8",
        "TERM": "xterm-256color",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "PYTHONUNBUFFERED": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "DEBIAN_FRONTEND": "noninteractive",
        **spec.environment,
    }
