"""Tells whether the sandbox that a run left behind still exists."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import PREFIX, OwnerRecord
from sandbox_tui.core.sandboxes.docker.container_owner import container_of
from sandbox_tui.core.sandboxes.docker.engine import connect

TIMEOUT = 3
"""Seconds that an engine has to answer."""


def is_gone(kind: str, session: str) -> bool:
    """Return whether the sandbox of a session does not exist any more; False if that cannot be
    told, because no engine answers. Blocks.

    Args:
        kind: the recorded kind of sandbox.
        session: the run's id.
    """
    match kind:
        case "bubblewrap":
            folders = Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
            records = (OwnerRecord.of(folder) for folder in folders)
            return all(record is None or record.session != session for record in records)
        case "docker":
            return _has_no_container(session)
        case _:
            return False


def _has_no_container(session: str) -> bool:
    try:
        client = connect(timeout=TIMEOUT)
    except SandboxUnavailable:
        return False
    try:
        return container_of(client, session) is None
    except Exception:  # noqa: BLE001 - docker-py passes on errors of requests
        return False
    finally:
        client.close()
