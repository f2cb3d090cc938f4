"""Removes the containers that ended programs of this host left behind."""

from __future__ import annotations

import contextlib
from typing import Any

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.docker.container_owner import LABEL, owner_from
from sandbox_tui.core.sandboxes.docker.engine import connect


def sweep() -> list[str]:
    """Sweep the engine, if one answers, with a dedicated client (see `sweep_containers`)."""
    try:
        client = connect(timeout=5)
    except SandboxUnavailable:
        return []
    try:
        return sweep_containers(client)
    finally:
        client.close()


def sweep_containers(client: Any) -> list[str]:
    """Remove our stopped containers whose program on this host has ended; returns their names.

    They cannot end themselves. Paused containers are unpaused so that their grace period continues.
    Containers of live programs and of other owners are kept.
    """
    removed: list[str] = []
    with contextlib.suppress(Exception):  # cleaning up must never prevent a run from starting
        # the low-level list has all that is needed, without a request per container
        for found in client.api.containers(all=True, filters={"label": f"{LABEL}=1"}):
            with contextlib.suppress(Exception):  # continue with the other containers
                if _remove_if_abandoned(client.api, found):
                    removed.append(_name(found))
    return removed


def _remove_if_abandoned(api: Any, found: dict[str, Any]) -> bool:
    """Remove a listed container if its program has ended; returns whether it was removed."""
    if owner_from(_name(found), found.get("Labels") or {}).alive:
        return False
    state = str(found.get("State", ""))
    if state == "paused":
        api.unpause(found["Id"])
    if state in ("paused", "running"):
        return False
    api.remove_container(found["Id"], force=True, v=True)
    return True


def _name(found: dict[str, Any]) -> str:
    return str((found.get("Names") or [""])[0]).lstrip("/")
