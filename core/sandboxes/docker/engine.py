"""The Docker engine: connects to it, and tells whether it can be used."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from dataclasses import dataclass
from typing import Any, cast

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.blocking_calls import in_thread, in_thread_with_undo
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE

DEFAULT_HOST = "unix:///var/run/docker.sock"

SNAPSHOTS = "sandbox-tui-snapshot"
"""Name of the images that are snapshots; each has its own tag."""

_TIMEOUT = 60


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


class EngineConnection:
    """One docker-py client for all sandboxes of a provider.

    Connects for its first user and disconnects after its last.

    Attributes:
        client: a docker-py client; None while nobody uses it.
    """

    def __init__(self) -> None:
        self.client: Any = None
        self._users = 0
        self._lock = asyncio.Lock()

    async def acquire(self) -> Any:
        """Return the client; call `release` once when done.

        Raises:
            SandboxUnavailable: no engine answers.
        """
        async with self._lock:
            if self.client is None:
                self.client = await in_thread_with_undo(connect, lambda client: client.close())
            self._users += 1
            return self.client

    async def release(self) -> None:
        """Stop using the client."""
        async with self._lock:
            self._users -= 1
            if self._users == 0:
                client, self.client = self.client, None
                with contextlib.suppress(Exception):
                    await in_thread(client.close)


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


def image_sizes(timeout: int) -> dict[str, int]:
    """Return the bytes of each image that has a name, newest first, without snapshots.

    Args:
        timeout: seconds that each request may take.

    Raises:
        SandboxUnavailable: no engine answers.
    """
    client = connect(timeout)
    try:
        images = client.api.images()  # images.list() asks about each of them
    except Exception as error:
        raise SandboxUnavailable(describe_error(error)) from error
    finally:
        client.close()
    return {
        name: int(image["Size"])
        for image in images
        for name in image["RepoTags"] or ()
        if not name.startswith((f"{SNAPSHOTS}:", "<none>"))
    }


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
