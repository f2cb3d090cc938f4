"""Pulls an image from its registry."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.docker.engine import connect, describe_error
from sandbox_tui.core.sandboxes.image.build import Progress


async def pull(image: str, progress: Progress) -> None:
    """Pull `image`; `progress` is called with a line for every change of a layer.

    Raises:
        SandboxUnavailable: no engine answers, or the registry does not provide it.
    """
    loop = asyncio.get_running_loop()
    cancelled = threading.Event()

    def pass_on(line: str) -> None:
        if cancelled.is_set():
            raise SandboxUnavailable(f"{image} was not pulled: cancelled.")
        loop.call_soon_threadsafe(progress, line)

    try:
        await asyncio.to_thread(_pull, image, pass_on)
    finally:
        cancelled.set()


def _pull(image: str, progress: Progress) -> None:
    from docker.utils import parse_repository_tag

    client = connect(timeout=600)
    name, tag = parse_repository_tag(image)
    try:
        for update in client.api.pull(name, tag=tag or "latest", stream=True, decode=True):
            if "error" in update:
                raise SandboxUnavailable(f"{image} could not be pulled: {update['error']}")
            progress(_line(update))
    except SandboxUnavailable:
        raise
    except Exception as error:
        raise SandboxUnavailable(f"{image} could not be pulled: {describe_error(error)}") from error
    finally:
        client.close()


def _line(update: dict[str, Any]) -> str:
    words = (update.get("id"), update.get("status"), update.get("progress"))
    return " ".join(str(word) for word in words if word)
