"""The Docker engine: reaching it, what is ours on it, and clearing that away."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from ..errors import SandboxLost, SandboxUnavailable
from ..processes import Owner

DEFAULT_IMAGE = "sandbox-tui:latest"
DEFAULT_HOST = "unix:///var/run/docker.sock"
LABEL = "sandbox-tui"

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL")
"""What is left of root's capabilities: apt, pip and su work with these."""

_TIMEOUT = 60

_ADOPTED = re.compile(r"-by-(?P<pid>\d+)-(?P<started>\d+)-(?P<host>.+)\Z")
"""End of the name of a container that a program took over from the one that made it."""


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
    try:
        client = _client(timeout)
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


def owner_labels(session_id: str, grace: float) -> dict[str, str]:
    """Labels that say whose a container is, and how many seconds it outlives its program."""
    owner = Owner.this_process()
    return {
        LABEL: "1",
        f"{LABEL}.session": session_id,
        f"{LABEL}.lease": f"{grace:g}",
        f"{LABEL}.pid": str(owner.pid),
        f"{LABEL}.started": owner.started,
        f"{LABEL}.host": owner.host,
    }


def sweep() -> list[str]:
    """Remove containers of ours whose program is gone from this host and which do not run, so that
    they cannot end themselves; the names of those removed. A frozen one is let go on, to wait for
    the end of its grace like the running ones. Never touches another's."""
    try:
        client = connect(timeout=5)
    except SandboxUnavailable:
        return []
    removed: list[str] = []
    try:
        for container in client.containers.list(
            all=True, ignore_removed=True, filters={"label": f"{LABEL}=1"}
        ):
            if owner_of(container).alive:
                continue
            if container.status == "paused":
                container.unpause()
            elif container.status != "running":
                container.remove(force=True, v=True)
                removed.append(str(container.name))
    except Exception:  # noqa: BLE001 - tidying up must never keep a run from starting
        return removed
    finally:
        client.close()
    return removed


def fate_of(client: Any, only: dict[str, str], since: float) -> str:
    """What became of a container, as the end of a sentence, from what the engine wrote down.

    Args:
        client: for the engine.
        only: a filter that fits the container alone.
        since: seconds since the epoch.
    """
    found: dict[str, dict[str, str]] = {}
    try:
        events = client.api.events(
            since=int(since),
            until=int(time.time()) + 1,
            filters={"type": "container", **only},
            decode=True,
        )
        for event in cast(Iterable[dict[str, Any]], events):
            found[str(event.get("Action", ""))] = event.get("Actor", {}).get("Attributes", {})
    except Exception as error:  # noqa: BLE001 - docker-py lets requests' errors through
        return f"it ended, and the engine does not say why ({plainly(error)[:-1]})"
    code = found.get("die", {}).get("exitCode", "?")
    if "oom" in found and code == "137":
        return "it ran out of memory"
    if "kill" in found:
        return f"it was killed or removed from outside (signal {found['kill'].get('signal', '?')})"
    if "stop" in found:
        return "it was stopped from outside"
    if code == "0":
        return "its program was gone, and its grace period ran out"
    if "die" not in found:
        return "the engine has no container of it, and does not remember what became of it"
    return f"it was removed, or its first process ended (exit code {code})"


def owner_of(container: Any) -> Owner:
    """The program a container belongs to: the one that adopted it last, else the one that made it.

    The labels of a container are for good. Its name is not, and the engine changes it in one step,
    so the name says who adopted it.
    """
    adopted = _ADOPTED.search(str(container.name))
    if adopted is None:
        return _maker(container.labels)
    return Owner(int(adopted["pid"]), adopted["started"], adopted["host"])


def adopt(container: Any) -> None:
    """Make a container this program's (blocking).

    Raises:
        SandboxLost: it belongs to another program, which lives.
        Exception: what docker-py raises; then another was quicker, or the container is gone.
    """
    owner, me = owner_of(container), Owner.this_process()
    if owner == me:
        return
    if owner.alive:
        raise SandboxLost(
            f"The container belongs to another program (process {owner.pid} on {owner.host})."
        )
    plain = _ADOPTED.sub("", str(container.name))
    container.rename(f"{plain}-by-{me.pid}-{me.started}-{me.host}")
    container.reload()


def container_of(client: Any, session_id: str) -> Any:
    """The container of a session, None when the engine has none (blocking)."""
    labels = [f"{LABEL}=1", f"{LABEL}.session={session_id}"]
    found = client.containers.list(all=True, ignore_removed=True, filters={"label": labels})
    return next((one for one in found if one.status in ("running", "paused")), None)


def _maker(labels: dict[str, str]) -> Owner:
    pid = labels.get(f"{LABEL}.pid", "")
    started, host = labels.get(f"{LABEL}.started", ""), labels.get(f"{LABEL}.host", "")
    return Owner(int(pid) if pid.isdigit() else 0, started, host)


def plainly(error: Exception) -> str:
    """What docker-py raised, as one sentence."""
    explanation = getattr(error, "explanation", None)
    words = str(explanation or error).strip().split("\n")[0]
    if "Connection refused" in words or "FileNotFoundError" in words or "Errno 2" in words:
        words = "nothing listens at its address"
    elif "Permission denied" in words or "PermissionError" in words:
        words = "this user may not use it (is it in the docker group?)"
    return words[:300].rstrip(".") + "."


def _client(timeout: int) -> Any:
    """A client for DOCKER_HOST, else for the current docker context, else for the default."""
    named = os.environ.get("DOCKER_HOST")
    context = None if named else _current_context()
    host = named or (context.Host if context is not None else None) or DEFAULT_HOST
    if host.startswith("unix://"):
        _knock(host.removeprefix("unix://"), timeout)
    import docker

    if named or context is None or not context.Host:
        return docker.from_env(timeout=timeout, version="auto")
    tls = context.TLSConfig or False
    return docker.DockerClient(base_url=context.Host, tls=tls, timeout=timeout, version="auto")


def _knock(path: str, timeout: int) -> None:
    """Whether anybody listens: docker-py leaves a socket behind, unclosed, where nobody does.

    Raises:
        OSError: nobody does.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(timeout)
        door.connect(path)


def _current_context() -> Any:
    from docker.context import ContextAPI  # pyright: ignore[reportMissingTypeStubs]

    try:
        return cast(Any, ContextAPI).get_current_context()
    except Exception:  # noqa: BLE001 - a broken context file must not hide the default engine
        return None
