"""Whether a container can be used, which may have to be waited for.

An engine that is restarted, or at the far end of a connection that broke, answers again after a
while; a container that somebody paused goes on when they let it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from ..errors import SandboxLost
from .docker_engine import plainly

LOOK_AGAIN = 0.5
"""Seconds between two looks at what is waited for."""

LONGEST = 60.0
"""Seconds for which an engine that does not answer is waited for, at most."""


class ContainerWatch:
    """Looks at one container.

    Args:
        grace: seconds the container outlives its program; half of them are waited at most, so
            that it is still there when the engine answers again.

    Attributes:
        tell: gets a sentence about what is waited for; None: nothing is waited for.
    """

    def __init__(self, grace: float) -> None:
        self.tell: Callable[[str], None] | None = None
        self._patience = min(LONGEST, grace / 2)
        self._turn = asyncio.Lock()

    async def state(self, container: Any, *, frozen: bool) -> tuple[dict[str, Any], bool]:
        """The engine's `State` of it, empty when it is gone; and whether that had to be waited for.

        Args:
            container: as docker-py has it.
            frozen: whether we have paused it ourselves; what somebody else paused is waited for.

        Raises:
            SandboxLost: the engine does not answer.
        """
        async with self._turn:
            found, waited = await self._answer(container)
            if not found.get("Paused") or frozen:
                return found, waited
            await asyncio.sleep(LOOK_AGAIN)  # it may have been us, and the engine not yet aware
            found, _ = await self._answer(container)
            if not found.get("Paused"):
                return found, True
            if self.tell is not None:
                self.tell(
                    "The container was paused from outside: the run waits until "
                    f"`docker unpause {container.name}` lets it go on. A command that runs is let "
                    "go on at its time limit."
                )
            while found.get("Paused") and self.tell is not None:
                await asyncio.sleep(LOOK_AGAIN)
                found, _ = await self._answer(container)
            return found, True

    def was_away(self, error: Exception) -> bool:
        """Whether this is what docker-py raises when the engine does not answer, and it is one to
        be waited for."""
        from requests.exceptions import ConnectionError as NoConnection

        return self.tell is not None and isinstance(error, NoConnection)

    async def _answer(self, container: Any) -> tuple[dict[str, Any], bool]:
        import docker.errors

        until: float | None = None
        while True:
            try:
                await asyncio.to_thread(container.reload)
            except docker.errors.NotFound:
                return {}, until is not None
            except Exception as error:
                now = time.monotonic()
                if self.tell is None or (until is not None and now > until):
                    raise SandboxLost(
                        f"The Docker engine does not answer: {plainly(error)}"
                    ) from error
                if until is None:
                    until = now + self._patience
                    self.tell(
                        "The Docker engine does not answer: the run waits for it, up to "
                        f"{self._patience:g} s."
                    )
                await asyncio.sleep(LOOK_AGAIN)
            else:
                if until is not None and self.tell is not None:
                    self.tell("The Docker engine answers again.")
                return container.attrs.get("State", {}), until is not None


async def let_go_on(container: Any) -> None:
    """Unpause a container in which something is about to be ended, should somebody have paused it;
    where that cannot be done it is as it was."""
    with contextlib.suppress(Exception):
        await asyncio.to_thread(container.reload)
        if container.attrs.get("State", {}).get("Paused"):
            await asyncio.to_thread(container.unpause)
