"""Which program owns a container: its creator, or the last program that reattached it."""

from __future__ import annotations

import re
from typing import Any

from sandbox_tui.core.base.errors import SandboxLost
from sandbox_tui.core.base.process_identity import ProcessIdentity

LABEL = "sandbox-tui"
"""The label of all our containers; the names of their other labels begin with it."""

_REATTACHED = re.compile(r"-by-(?P<pid>\d+)-(?P<started>\d+)-(?P<host>.+)\Z")
"""End of the name of a container that was reattached; names its current owner."""


def owner_labels(session_id: str, grace: float) -> dict[str, str]:
    """Return the labels that name a container's owner, and the seconds it outlives its program."""
    owner = ProcessIdentity.this_process()
    return {
        LABEL: "1",
        f"{LABEL}.session": session_id,
        f"{LABEL}.lease": f"{grace:g}",
        f"{LABEL}.pid": str(owner.pid),
        f"{LABEL}.started": owner.started,
        f"{LABEL}.host": owner.host,
    }


def owner_of(container: Any) -> ProcessIdentity:
    """Return the program that owns a container: the last one that reattached it, or its creator.

    A container's labels cannot change. Its name can, atomically, so it stores who reattached it.
    """
    return owner_from(str(container.name), container.labels)


def owner_from(name: str, labels: dict[str, str]) -> ProcessIdentity:
    """Return the program that owns the container with this name and these labels."""
    reattached = _REATTACHED.search(name)
    if reattached is None:
        return _creator(labels)
    return ProcessIdentity(int(reattached["pid"]), reattached["started"], reattached["host"])


def _creator(labels: dict[str, str]) -> ProcessIdentity:
    pid = labels.get(f"{LABEL}.pid", "")
    started, host = labels.get(f"{LABEL}.started", ""), labels.get(f"{LABEL}.host", "")
    return ProcessIdentity(int(pid) if pid.isdigit() else 0, started, host)


def claim(container: Any) -> None:
    """Make this program the owner of a container (blocking).

    Raises:
        SandboxLost: it belongs to another program that is still alive.
        Exception: a docker-py error if another program claimed it first or it no longer exists.
    """
    owner, me = owner_of(container), ProcessIdentity.this_process()
    if owner == me:
        return
    if owner.alive:
        raise SandboxLost(
            f"The container belongs to another program (process {owner.pid} on {owner.host_name})."
        )
    _name_owner(container, me)


def release_container(container: Any) -> None:
    """Release a container, so that another program can claim it (blocking)."""
    _name_owner(container, ProcessIdentity.this_process()._replace(pid=0, started="0"))


def _name_owner(container: Any, owner: ProcessIdentity) -> None:
    plain = _REATTACHED.sub("", str(container.name))
    container.rename(f"{plain}-by-{owner.pid}-{owner.started}-{owner.host}")
    container.reload()


def container_of(client: Any, session_id: str) -> Any:
    """Return the container of a session, or None if the engine has none (blocking)."""
    # a warm spare keeps the label of its start; its name contains the session
    for fits in (
        {"label": [f"{LABEL}=1", f"{LABEL}.session={session_id}"]},
        {"label": f"{LABEL}=1", "name": f"^/?sandbox-tui-{re.escape(session_id)}-"},
    ):
        for one in client.containers.list(all=True, ignore_removed=True, filters=fits):
            if one.status in ("running", "paused"):
                return one
    return None
