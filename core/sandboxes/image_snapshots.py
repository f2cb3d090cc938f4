"""Snapshots of containers: images of ours, told from all others by their labels."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from ..errors import SandboxError
from .docker_engine import LABEL, connect, plainly

REPOSITORY = "sandbox-tui-snapshot"
SNAPSHOT = f"{LABEL}.snapshot"
_NAME = re.compile(rf"{REPOSITORY}:[\w.-]{{1,128}}")


def commit(client: Any, container: Any, session: str, tag: str, base: str) -> tuple[str, int]:
    """Keep a container's file system as an image; its name, and the bytes of its own layer.

    Args:
        client: of docker-py.
        container: a paused one.
        session: whose snapshot it is.
        tag: of the image; letters, digits, dots and dashes.
        base: the image the container was made from.
    """
    labels = " ".join(f'{name}="{value}"' for name, value in _labels(session).items())
    image = container.commit(
        repository=REPOSITORY, tag=tag, changes=[f"LABEL {labels}"], pause=False
    )
    below = client.images.get(base).attrs.get("Size", 0)
    return f"{REPOSITORY}:{tag}", max(0, int(image.attrs.get("Size", 0)) - int(below))


def own_bytes(client: Any, container: Any) -> int:
    """Bytes of a container's own layer: what `commit` would keep."""
    found = client.api.containers(all=True, size=True, filters={"id": container.id})
    return int(found[0].get("SizeRw") or 0) if found else 0


def is_ours(client: Any, name: str) -> bool:
    """Whether an image of this name is there and is a snapshot of ours."""
    import docker.errors

    if not _NAME.fullmatch(name):
        return False
    try:
        labels = client.images.get(name).labels
    except docker.errors.ImageNotFound:
        return False
    return labels.get(LABEL) == "1" and bool(labels.get(SNAPSHOT))


def images(session: str | None = None) -> list[tuple[str, str, int]]:
    """Snapshots on the engine: name, session, bytes of the own layer.

    Raises:
        SandboxUnavailable: no engine answers.
        SandboxError: it cannot say.
    """
    client = connect(timeout=10)
    wanted = (
        [f"{LABEL}=1", SNAPSHOT] if session is None else [f"{LABEL}=1", f"{SNAPSHOT}={session}"]
    )
    try:
        found = client.images.list(filters={"label": wanted})
        return [
            (tag, str(image.labels.get(SNAPSHOT, "")), _own_layer(image))
            for image in found
            for tag in image.tags
            if tag.startswith(f"{REPOSITORY}:")
        ]
    except Exception as error:
        raise SandboxError(f"The Docker engine does not list images: {plainly(error)}") from error
    finally:
        client.close()


def remove(name: str) -> bool:
    """Remove a snapshot; False when none of ours has this name.

    Its layers stay as long as another snapshot was made on top of them.

    Raises:
        SandboxUnavailable: no engine answers.
        SandboxError: the engine does not remove it, because a container uses it for example.
    """
    client = connect(timeout=60)
    try:
        if not is_ours(client, name):
            return False
        client.images.remove(name)
        return True
    except Exception as error:
        raise SandboxError(f"{name} is not removed: {plainly(error)}") from error
    finally:
        client.close()


def _labels(session: str) -> dict[str, str]:
    return {LABEL: "1", SNAPSHOT: session}


def _own_layer(image: Any) -> int:
    """Bytes of the top layer, as the image's history has it."""
    with contextlib.suppress(Exception):
        return int(image.history()[0].get("Size", 0))
    return 0
