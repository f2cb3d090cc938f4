"""The Docker engine: reaching it, what is ours on it, and clearing that away."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, cast

from ..errors import SandboxUnavailable
from ..processes import Owner

DEFAULT_IMAGE = "sandbox-tui:latest"
LABEL = "sandbox-tui"

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL")
"""What is left of root's capabilities: apt, pip and su work with these."""

_TIMEOUT = 60


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What `doctor` and the choice of a sandbox want to know.

    Attributes:
        version: of the engine, None when none answers.
        has_image: whether it has the image that was asked about.
        problem: why none answers, as a sentence.
    """

    version: str | None
    has_image: bool = False
    problem: str = ""


def connect(timeout: int = _TIMEOUT) -> Any:
    """A docker-py client for the engine that DOCKER_HOST or the docker context names.

    Raises:
        SandboxUnavailable: no engine answers there.
    """
    import docker

    try:
        client = docker.DockerClient(base_url=_address(), timeout=timeout, version="auto")
    except Exception as error:
        raise SandboxUnavailable(
            f"No Docker engine answers: {plainly(error)} Start one, set DOCKER_HOST, or use "
            "--sandbox bubblewrap."
        ) from error
    return client


def engine_status(image: str = DEFAULT_IMAGE) -> EngineStatus:
    """Whether an engine answers within a few seconds, and has the image."""
    try:
        client = connect(timeout=3)
    except SandboxUnavailable as error:
        return EngineStatus(None, problem=str(error))
    try:
        version = str(client.version().get("Version", "?"))
        names = {tag for found in client.images.list() for tag in found.tags}
        wanted = image if ":" in image else f"{image}:latest"
        return EngineStatus(version, has_image=wanted in names)
    except Exception as error:  # noqa: BLE001 - docker-py lets requests' errors through
        return EngineStatus(None, problem=plainly(error))
    finally:
        client.close()


def owner_labels(session_id: str) -> dict[str, str]:
    """Labels that say whose a container is."""
    owner = Owner.this_process()
    return {
        LABEL: "1",
        f"{LABEL}.session": session_id,
        f"{LABEL}.pid": str(owner.pid),
        f"{LABEL}.started": owner.started,
        f"{LABEL}.host": owner.host,
    }


def sweep() -> list[str]:
    """Remove containers of ours whose program is gone from this host and which do not end
    themselves (they run no longer); the names of those removed. Never touches another's."""
    try:
        client = connect(timeout=5)
    except SandboxUnavailable:
        return []
    removed: list[str] = []
    try:
        for container in client.containers.list(all=True, filters={"label": f"{LABEL}=1"}):
            if container.status != "running" and not owner_lives(container.labels):
                container.remove(force=True, v=True)
                removed.append(str(container.name))
    except Exception:  # noqa: BLE001 - tidying up must never keep a run from starting
        return removed
    finally:
        client.close()
    return removed


def owner_lives(labels: dict[str, str]) -> bool:
    """Whether the program that made a container is still there; True when that is not known."""
    pid = labels.get(f"{LABEL}.pid", "")
    started, host = labels.get(f"{LABEL}.started", ""), labels.get(f"{LABEL}.host", "")
    return Owner(int(pid) if pid.isdigit() else 0, started, host).alive


def plainly(error: Exception) -> str:
    """What docker-py raised, as one sentence."""
    explanation = getattr(error, "explanation", None)
    words = str(explanation or error).strip().split("\n")[0]
    if "Connection refused" in words or "FileNotFoundError" in words or "Errno 2" in words:
        words = "nothing listens at its address"
    elif "Permission denied" in words or "PermissionError" in words:
        words = "this user may not use it (is it in the docker group?)"
    return words[:300].rstrip(".") + "."


def _address() -> str | None:
    """Where the engine is: DOCKER_HOST, else the current docker context, else the default."""
    if os.environ.get("DOCKER_HOST"):
        return os.environ["DOCKER_HOST"]
    from docker.context import ContextAPI  # pyright: ignore[reportMissingTypeStubs]

    try:
        context = cast(Any, ContextAPI).get_current_context()
        return str(context.Host) if context is not None and context.Host else None
    except Exception:  # noqa: BLE001 - a broken context file must not hide the default engine
        return None
