"""The options a container is created with, and its description for the user."""

from __future__ import annotations

import secrets
from typing import Any

from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.command_environment import command_environment
from sandbox_tui.core.sandboxes.docker.container_owner import owner_labels
from sandbox_tui.core.sandboxes.docker.lifetime_lease import keeper_command

DEFAULT_MEMORY_BYTES = 2 << 30

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL")
"""The capabilities that root keeps: enough for apt, pip and su."""


def container_name(session_id: str) -> str:
    """Return a new container name for this session."""
    return f"sandbox-tui-{session_id}-{secrets.token_hex(2)}"


def container_options(spec: SandboxSpec) -> dict[str, Any]:
    """Return the arguments for docker-py's `containers.create`, except the image."""
    memory = spec.memory or DEFAULT_MEMORY_BYTES
    return {
        "command": keeper_command(spec.grace),
        "entrypoint": [],
        "name": container_name(spec.session_id),
        "labels": owner_labels(spec.session_id, spec.grace),
        "environment": command_environment(spec),
        "working_dir": "/",
        "user": "root",
        "stdin_open": True,
        "tty": False,
        "detach": True,
        "auto_remove": True,
        "network_mode": "none" if spec.network == "none" else "bridge",
        "cap_drop": ["ALL"],
        "cap_add": list(CAPABILITIES),
        "security_opt": ["no-new-privileges:true"],
        "pids_limit": spec.pids,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(spec.cpus * 1e9) if spec.cpus else None,
        "tmpfs": {"/run": "rw,exec,nosuid,nodev,mode=755,size=128m"},
        "init": False,
    }


IMAGE_SIZE = "image size"
"""Key of the image size in `Sandbox.info`."""


def describe_container(
    spec: SandboxSpec, image: str, name: str, image_bytes: int | None = None
) -> dict[str, str]:
    """Return the user-facing description of a container (see `Sandbox.info`)."""
    size = {} if image_bytes is None else {IMAGE_SIZE: f"{image_bytes / 1e6:.0f} MB"}
    return {
        "image": image,
        **size,
        "container": name,
        "network": "none" if spec.network == "none" else "bridge",
        "memory": f"{(spec.memory or DEFAULT_MEMORY_BYTES) >> 20} MiB",
        "cpus": f"{spec.cpus:g}" if spec.cpus else "all",
        "processes": str(spec.pids),
    }
