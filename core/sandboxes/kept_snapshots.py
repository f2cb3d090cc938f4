"""The snapshots that are kept, of both kinds: listed, looked for, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import SandboxError, SandboxUnavailable
from . import folder_snapshots, image_snapshots
from .docker_engine import connect


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot.

    Attributes:
        kind: of sandbox: docker or bubblewrap.
        name: as `SnapshotTaken.image` has it.
        session: whose it is.
        size: bytes it takes by itself.
    """

    kind: str
    name: str
    session: str
    size: int


def kept(session: str | None = None) -> tuple[list[Kept], str]:
    """All snapshots, or a session's; and why some may be missing, as a sentence (or nothing)."""
    found = [Kept("bubblewrap", *entry) for entry in folder_snapshots.folders(session)]
    try:
        found += [Kept("docker", *entry) for entry in image_snapshots.images(session)]
    except SandboxError as error:
        return found, str(error)
    return found, ""


def remove_all(snapshots: Sequence[Kept]) -> list[str]:
    """Remove snapshots; a sentence for each that could not be."""
    problems: list[str] = []
    for snapshot in snapshots:
        try:
            remove(snapshot.name)
        except SandboxError as error:
            problems.append(str(error))
    return problems


def kind_of(name: str) -> str:
    """The kind of sandbox that a snapshot of this name is of."""
    return "docker" if name.startswith(f"{image_snapshots.REPOSITORY}:") else "bubblewrap"


def remove(name: str) -> bool:
    """Remove one; False when there is none of ours of this name.

    Raises:
        SandboxError: it cannot be removed (SandboxUnavailable: no engine answers).
    """
    return (image_snapshots if kind_of(name) == "docker" else folder_snapshots).remove(name)


def stands(name: str) -> bool:
    """Whether a sandbox can begin from this snapshot now."""
    if kind_of(name) != "docker":
        return folder_snapshots.exists(name)
    try:
        client = connect(timeout=5)
    except SandboxUnavailable:
        return False
    try:
        return image_snapshots.is_ours(client, name)
    finally:
        client.close()
