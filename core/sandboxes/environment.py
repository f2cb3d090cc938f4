"""The environment of commands: nothing of the host's, and what lets a person watch them work."""

from __future__ import annotations

from .base import SandboxSpec


def command_environment(spec: SandboxSpec) -> dict[str, str]:
    """Variables every command starts with; `spec.environment` may replace any of them."""
    return {
        "PATH": "/root/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        # the only part of C.UTF-8 that differs from C: each program that starts has one file to
        # read for it instead of twelve
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
