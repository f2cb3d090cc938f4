"""Pulls an image from the registry its name belongs to."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from ...errors import SandboxUnavailable
from ..docker_engine import connect, plainly
from .build import Progress


async def pull(image: str, progress: Progress) -> None:
    """Pull `image`; `progress` gets a line for every layer that moves on.

    Raises:
        SandboxUnavailable: no engine answers, or the registry does not give it.
    """
    loop = asyncio.get_running_loop()
    given_up = threading.Event()

    def pass_on(line: str) -> None:
        if given_up.is_set():
            raise SandboxUnavailable(f"{image} is not pulled: it was given up.")
        loop.call_soon_threadsafe(progress, line)

    try:
        await asyncio.to_thread(_pull, image, pass_on)
    finally:
        given_up.set()


def _pull(image: str, progress: Progress) -> None:
    from docker.utils import parse_repository_tag

    client = connect(timeout=600)
    name, tag = parse_repository_tag(image)
    try:
        for news in client.api.pull(name, tag=tag or "latest", stream=True, decode=True):
            if "error" in news:
                raise SandboxUnavailable(f"{image} could not be pulled: {news['error']}")
            progress(_line(news))
    except SandboxUnavailable:
        raise
    except Exception as error:
        raise SandboxUnavailable(f"{image} could not be pulled: {plainly(error)}") from error
    finally:
        client.close()


def _line(news: dict[str, Any]) -> str:
    words = (news.get("id"), news.get("status"), news.get("progress"))
    return " ".join(str(word) for word in words if word)
