"""Processes that the Docker engine was asked to start in a container and may still be starting.

The engine answers before the process exists. A container that is paused in between can never be
unpaused: the half-started process is frozen, its starter waits for it, and the engine waits for the
starter (seen with Docker 20.10, runc 1.1 and control groups v1).
"""

from __future__ import annotations

import time
from typing import Any

MAX_WAIT_SECONDS = 5.0
"""Seconds after which a process is assumed never to have started."""

POLL_SECONDS = 0.01


class PendingExecs:
    """The pending processes of one container, by exec id."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def add(self, exec_id: str) -> None:
        """Add a process that is about to be started."""
        self._ids.append(exec_id)

    def wait(self, api: Any) -> None:
        """Wait until each of them has started or ended (blocking)."""
        until = time.monotonic() + MAX_WAIT_SECONDS
        while self._ids and time.monotonic() < until:
            if _has_started(api, self._ids[-1]):
                self._ids.pop()
            else:
                time.sleep(POLL_SECONDS)
        self._ids.clear()


def _has_started(api: Any, exec_id: str) -> bool:
    try:
        known = api.exec_inspect(exec_id)
    except Exception:  # noqa: BLE001 - the engine forgets processes that have ended
        return True
    return bool(known.get("Pid")) or known.get("ExitCode") is not None
