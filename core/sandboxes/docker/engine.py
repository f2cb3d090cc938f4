"""The Docker engine: connects to it, finds our containers on it, and sweeps them."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from sandbox_tui.core.base.errors import SandboxLost, SandboxUnavailable
from sandbox_tui.core.base.process_identity import ProcessIdentity

DEFAULT_IMAGE = "sandbox-tui:latest"
DEFAULT_HOST = "unix:///var/run/docker.sock"
LABEL = "sandbox-tui"

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL")
"""The capabilities that root keeps: enough for apt, pip and su."""

_TIMEOUT = 60

_REATTACHED = re.compile(r"-by-(?P<pid>\d+)-(?P<started>\d+)-(?P<host>.+)\Z")
"""End of the name of a container that was reattached; names its current owner."""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """Whether an engine can be used.

    Attributes:
        version: the engine's version, or None if none answers.
        has_image: whether it has the requested image.
        problem: why none answers, as a sentence.
    """

    version: str | None
    has_image: bool = False
    problem: str = ""


def connect(timeout: int = _TIMEOUT) -> Any:
    """Return a docker-py client for the engine named by DOCKER_HOST or the docker context.

    Raises:
        SandboxUnavailable: no engine answers there.
    """
    try:
        client = _client(timeout)
    except Exception as error:
        raise SandboxUnavailable(
            f"No Docker engine answers: {describe_error(error)} Start one, set DOCKER_HOST, or use "
            "--sandbox bubblewrap."
        ) from error
    return client


def engine_status(image: str = DEFAULT_IMAGE) -> EngineStatus:
    """Return whether an engine answers within a few seconds, and has the image."""
    try:
        client = connect(timeout=3)
    except SandboxUnavailable as error:
        return EngineStatus(None, problem=str(error))
    try:
        return status_of(client, image)
    finally:
        client.close()


def status_of(client: Any, image: str) -> EngineStatus:
    """Return the status of an engine, using a client that is already connected."""
    try:
        version = str(client.version().get("Version", "?"))
        return EngineStatus(version, has_image=_has_image(client, image))
    except Exception as error:  # noqa: BLE001 - docker-py passes on errors of requests
        return EngineStatus(None, problem=describe_error(error))


def _has_image(client: Any, image: str) -> bool:
    """Return whether a container could be created from it: from a name, a digest or an id."""
    import docker.errors

    try:
        client.images.get(image)
    except docker.errors.APIError:  # no such image, or not a valid image name
        return False
    return True


def command_for_image(image: str) -> str:
    """Return the command that makes a missing image available."""
    if with_tag(image) == DEFAULT_IMAGE:
        return "sandbox-tui image build"
    return f"docker pull {shlex.quote(image)}"


def image_is_missing(image: str) -> str:
    """Say that the engine lacks an image, and how to get it."""
    command = command_for_image(image)
    way = f"Get it with `{command}`."
    if with_tag(image) == DEFAULT_IMAGE:
        way = f"Build it with `{command}` (or `--from-packages` without a registry)."
    return f"The Docker engine has no image named {image!r}. {way}"


def with_tag(image: str) -> str:
    """Return the image's name with its tag, which is `latest` if the name has none."""
    return image if ":" in image.rpartition("/")[2] else f"{image}:latest"


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
    if _owner(_name(found), found.get("Labels") or {}).alive:
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


def exit_cause(client: Any, only: dict[str, str], since: float) -> str:
    """Return why a container ended, as the end of a sentence, from the engine's events.

    Args:
        client: for the engine.
        only: an event filter that matches only the container.
        since: start of the events, in seconds since the epoch.
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
    except Exception as error:  # noqa: BLE001 - docker-py passes on errors of requests
        return f"it ended, and the engine does not report why ({describe_error(error)[:-1]})"
    code = found.get("die", {}).get("exitCode", "?")
    if "oom" in found and code == "137":
        return "it ran out of memory"
    if "kill" in found:
        return f"it was killed or removed from outside (signal {found['kill'].get('signal', '?')})"
    if "stop" in found:
        return "it was stopped from outside"
    if code == "0":
        return "its program ended, and its grace period ran out"
    if "die" not in found:
        return "the engine no longer has its container and keeps no record of what happened"
    return f"it was removed, or its first process ended (exit code {code})"


def owner_of(container: Any) -> ProcessIdentity:
    """Return the program that owns a container: the last one that reattached it, or its creator.

    A container's labels cannot change. Its name can, atomically, so it stores who reattached it.
    """
    return _owner(str(container.name), container.labels)


def _owner(name: str, labels: dict[str, str]) -> ProcessIdentity:
    reattached = _REATTACHED.search(name)
    if reattached is None:
        return _creator(labels)
    return ProcessIdentity(int(reattached["pid"]), reattached["started"], reattached["host"])


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


def _creator(labels: dict[str, str]) -> ProcessIdentity:
    pid = labels.get(f"{LABEL}.pid", "")
    started, host = labels.get(f"{LABEL}.started", ""), labels.get(f"{LABEL}.host", "")
    return ProcessIdentity(int(pid) if pid.isdigit() else 0, started, host)


def describe_error(error: Exception) -> str:
    """Return a docker-py error as one sentence."""
    explanation = getattr(error, "explanation", None)
    words = str(explanation or error).strip().split("\n")[0]
    if "Connection refused" in words or "FileNotFoundError" in words or "Errno 2" in words:
        words = "nothing listens at its address"
    elif "Permission denied" in words or "PermissionError" in words:
        words = "this user may not use it (is it in the docker group?)"
    return words[:300].rstrip(".") + "."


def _client(timeout: int) -> Any:
    """Return a client for DOCKER_HOST, else for the current docker context, else for the default
    host."""
    named = os.environ.get("DOCKER_HOST")
    context = None if named else _current_context()
    host = named or (context.Host if context is not None else None) or DEFAULT_HOST
    if host.startswith("unix://"):
        _require_listener(host.removeprefix("unix://"), timeout)
    import docker

    if named or context is None or not context.Host:
        return docker.from_env(timeout=timeout, version="auto")
    tls = context.TLSConfig or False
    return docker.DockerClient(base_url=context.Host, tls=tls, timeout=timeout, version="auto")


def _require_listener(path: str, timeout: int) -> None:
    """Connect to a Unix socket once: docker-py leaks a socket if nothing listens there.

    Raises:
        OSError: nothing listens there.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout)
        probe.connect(path)


def _current_context() -> Any:
    from docker.context import ContextAPI  # pyright: ignore[reportMissingTypeStubs]

    try:
        return cast(Any, ContextAPI).get_current_context()
    except Exception:  # noqa: BLE001 - a broken context file must not hide the default engine
        return None
