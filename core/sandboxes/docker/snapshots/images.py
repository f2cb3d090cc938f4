"""Snapshots of containers: images with our labels."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxError, SandboxUnavailable
from sandbox_tui.core.sandboxes.base import SnapshotStore, StoredSnapshot
from sandbox_tui.core.sandboxes.docker.container_owner import LABEL
from sandbox_tui.core.sandboxes.docker.engine import SNAPSHOTS, connect, describe_error

SNAPSHOT = f"{LABEL}.snapshot"
_NAME = re.compile(rf"{SNAPSHOTS}:[\w.-]{{1,128}}")


def commit(client: Any, container: Any, session: str, tag: str) -> tuple[str, int]:
    """Save a container's file system as an image; returns its name and the bytes of its own layer.

    Args:
        client: a docker-py client.
        container: a paused container.
        session: id of the run.
        tag: tag of the image; letters, digits, dots and dashes.
    """
    labels = " ".join(f'{name}="{value}"' for name, value in _labels(session).items())
    below = client.images.get(container.attrs["Image"]).attrs.get("Size", 0)
    image = container.commit(
        repository=SNAPSHOTS, tag=tag, changes=[f"LABEL {labels}"], pause=False
    )
    return f"{SNAPSHOTS}:{tag}", max(0, int(image.attrs.get("Size", 0)) - int(below))


def own_bytes(client: Any, container: Any) -> int:
    """Return the bytes of a container's own layer, which `commit` saves."""
    found = client.api.containers(all=True, size=True, filters={"id": container.id})
    return int(found[0].get("SizeRw") or 0) if found else 0


def is_ours(client: Any, name: str) -> bool:
    """Return whether an image of this name exists and is one of our snapshots."""
    import docker.errors

    if not _NAME.fullmatch(name):
        return False
    try:
        labels = client.images.get(name).labels
    except docker.errors.ImageNotFound:
        return False
    return labels.get(LABEL) == "1" and bool(labels.get(SNAPSHOT))


class ImageSnapshots(SnapshotStore):
    """The snapshots on the Docker engine."""

    @override
    def list(self, session: str | None = None) -> list[StoredSnapshot]:
        client = connect(timeout=10)
        label = SNAPSHOT if session is None else f"{SNAPSHOT}={session}"
        try:
            found = client.images.list(filters={"label": [f"{LABEL}=1", label]})
            return [
                StoredSnapshot(
                    "docker", tag, str(image.labels.get(SNAPSHOT, "")), _own_layer(image)
                )
                for image in found
                for tag in image.tags
                if tag.startswith(f"{SNAPSHOTS}:")
            ]
        except Exception as error:
            raise SandboxError(
                f"The Docker engine cannot list images: {describe_error(error)}"
            ) from error
        finally:
            client.close()

    @override
    def exists(self, name: str) -> bool:
        try:
            client = connect(timeout=5)
        except SandboxUnavailable:
            return False
        try:
            return is_ours(client, name)
        finally:
            client.close()

    @override
    def remove(self, name: str) -> bool:
        # layers are kept as long as another snapshot uses them
        client = connect(timeout=60)
        try:
            if not is_ours(client, name):
                return False
            client.images.remove(name)
            return True
        except Exception as error:
            raise SandboxError(f"{name} was not removed: {describe_error(error)}") from error
        finally:
            client.close()


def _labels(session: str) -> dict[str, str]:
    return {LABEL: "1", SNAPSHOT: session}


def _own_layer(image: Any) -> int:
    """Return the bytes of the top layer, from the image's history."""
    with contextlib.suppress(Exception):
        return int(image.history()[0].get("Size", 0))
    return 0
