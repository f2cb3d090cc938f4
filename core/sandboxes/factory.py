"""Chooses a kind of sandbox, and keeps one provider of each kind per program."""

from __future__ import annotations

import asyncio
import weakref
from typing import Literal

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import in_thread
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.bubblewrap.provider import BubblewrapProvider
from sandbox_tui.core.sandboxes.concurrency_limits import MAX_AT_ONCE
from sandbox_tui.core.sandboxes.docker.provider import DockerProvider
from sandbox_tui.core.sandboxes.image_name import (
    DEFAULT_IMAGE,
    LACKS_IMAGE,
    command_for_image,
)
from sandbox_tui.core.sandboxes.no_sandbox import KIND as NO_SANDBOX
from sandbox_tui.core.sandboxes.no_sandbox import NoSandbox
from sandbox_tui.core.sandboxes.provider import SandboxProvider

Kind = Literal["auto", "docker", "bubblewrap"]


class Providers:
    """One provider of each kind.

    Args:
        at_once: maximum number of sandboxes of a kind that start, are listed or are removed at
            once.
    """

    def __init__(self, *, at_once: int = MAX_AT_ONCE) -> None:
        self.docker = DockerProvider(at_once=at_once)
        self.bubblewrap = BubblewrapProvider(at_once=at_once)

    async def choose(self, kind: Kind, spec: SandboxSpec) -> Sandbox:
        """Return a sandbox of the requested kind (see `open_sandbox`)."""
        await self.bubblewrap.sweep()
        provider, because = await self._provider(kind, spec)
        return await provider.create(spec, because=because)

    async def warm(self, kind: Kind, spec: SandboxSpec, count: int) -> None:
        """Keep `count` spares of this kind ready (see `SandboxProvider.warm`)."""
        await self.bubblewrap.sweep()
        provider, _ = await self._provider(kind, spec)
        await provider.warm(spec, count)

    async def _provider(self, kind: Kind, spec: SandboxSpec) -> tuple[SandboxProvider, str]:
        """Return the provider of a kind, and the reason for it; empty if the kind was requested."""
        if kind == "bubblewrap":
            return self.bubblewrap, ""
        if kind == "docker":
            return self.docker, ""
        status = await self.docker.status(spec.image)
        if status.version is not None and status.has_image:
            why = "a Docker engine answers and has the image"
            return self.docker, why
        image = spec.image or DEFAULT_IMAGE
        missing = (
            f"{LACKS_IMAGE} {image!r} (get it with `{command_for_image(image)}`)"
            if status.version is not None
            else "no Docker engine answers"
        )
        problem = await in_thread(bubblewrap_problem)
        if problem:
            raise SandboxUnavailable(f"There is no sandbox to run in: {missing}. {problem}")
        return self.bubblewrap, missing

    def recorded(self, kind: str, spec: SandboxSpec) -> Sandbox:
        """Return the sandbox of a recorded run (see `recorded_sandbox`)."""
        match kind:
            case "docker":
                return self.docker.recorded(spec)
            case "bubblewrap":
                return self.bubblewrap.recorded(spec)
            case _ if kind == NO_SANDBOX:
                return NoSandbox(spec)
            case _:
                raise SandboxUnavailable(f"Unknown sandbox kind {kind!r}.")

    async def close(self) -> None:
        """Close both providers."""
        await asyncio.gather(self.docker.close(), self.bubblewrap.close())


_providers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Providers] = (
    weakref.WeakKeyDictionary()
)


def providers() -> Providers:
    """Return the providers of the running event loop; a program has one set."""
    return _providers.setdefault(asyncio.get_running_loop(), Providers())


def recorded_sandbox(kind: str, spec: SandboxSpec) -> Sandbox:
    """Return the sandbox of a recorded run, to be reattached.

    Raises:
        SandboxUnavailable: this version does not know the kind.
    """
    return providers().recorded(kind, spec)


async def open_sandbox(kind: Kind, spec: SandboxSpec) -> Sandbox:
    """Return the sandbox to use, not yet started.

    `auto` selects Docker if an engine answers and has the image, otherwise the embedded sandbox; a
    model's command never runs outside a sandbox.

    Raises:
        SandboxUnavailable: neither can be used here; the message names the remedies.
    """
    return await providers().choose(kind, spec)
