"""Computers for models: containers, and namespaces where no engine answers."""

from __future__ import annotations

import asyncio
from typing import Literal

from ..errors import SandboxUnavailable
from .base import Sandbox, SandboxSpec

Kind = Literal["auto", "docker", "bubblewrap"]


def recorded_sandbox(kind: str, spec: SandboxSpec) -> Sandbox:
    """The sandbox of a run that was recorded, to be adopted.

    Raises:
        SandboxUnavailable: this version knows no such kind.
    """
    from .bubblewrap import BubblewrapSandbox
    from .docker import DockerSandbox

    match kind:
        case "docker":
            return DockerSandbox(spec)
        case "bubblewrap":
            return BubblewrapSandbox(spec)
        case _:
            raise SandboxUnavailable(f"There is no kind of sandbox named {kind!r}.")


async def open_sandbox(kind: Kind, spec: SandboxSpec) -> Sandbox:
    """The sandbox to use, not yet started.

    `auto` takes Docker when an engine answers and has the image, else the embedded sandbox; a
    model's command is never run outside of one.

    Raises:
        SandboxUnavailable: neither can be used here; the message names the remedies.
    """
    from .bubblewrap import BubblewrapSandbox, bubblewrap_problem
    from .docker import DockerSandbox
    from .docker_engine import DEFAULT_IMAGE, engine_status, sweep
    from .private_folder import sweep as sweep_folders

    await asyncio.to_thread(sweep_folders)
    if kind == "bubblewrap":
        return BubblewrapSandbox(spec)
    if kind == "docker":
        await asyncio.to_thread(sweep)
        return DockerSandbox(spec)
    image = spec.image or DEFAULT_IMAGE
    status = await asyncio.to_thread(engine_status, image)
    if status.version is not None and status.has_image:
        await asyncio.to_thread(sweep)
        why = "a Docker engine answers and has the image"
        return DockerSandbox(spec, because=why)
    problem = await asyncio.to_thread(bubblewrap_problem)
    missing = (
        f"the Docker engine has no image {image!r} (`sandbox-tui image build` makes one)"
        if status.version is not None
        else "no Docker engine answers"
    )
    if not problem:
        return BubblewrapSandbox(spec, because=missing)
    raise SandboxUnavailable(f"There is no sandbox to run in: {missing}. {problem}")
