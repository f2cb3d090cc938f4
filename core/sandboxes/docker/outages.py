"""Checks whether a container can be used, and waits for outages to end.

An engine that is restarted, or whose connection broke, answers again after a while; a container
that was paused from outside runs again once it is unpaused there.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Generator
from typing import Any

from sandbox_tui.core.base.errors import SandboxError, SandboxLost
from sandbox_tui.core.sandboxes.blocking_calls import in_thread
from sandbox_tui.core.sandboxes.docker.engine import describe_error
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock

POLL_SECONDS = 0.5
"""Seconds between checks during an outage."""

CHECK_SECONDS = 3.0
"""Seconds between checks while a command runs."""

MAX_OUTAGE_SECONDS = 60.0
"""Maximum seconds to wait for an engine that does not answer."""


class ContainerLiveness:
    """Checks the state of one container.

    Args:
        grace: seconds the container outlives its program. An outage is waited out for at most half
            of them, so that the container still exists when the engine answers again.

    Attributes:
        tell: called with a sentence about each outage; None does not wait for outages.
    """

    def __init__(self, grace: float) -> None:
        self.tell: Callable[[str], None] | None = None
        self._max_outage = min(MAX_OUTAGE_SECONDS, grace / 2)
        self._lock = asyncio.Lock()

    async def state(self, container: Any, *, frozen: bool) -> tuple[dict[str, Any], bool]:
        """Return the engine's `State` of the container, and whether an outage was waited out.

        The state is empty if the container no longer exists.

        Args:
            container: a docker-py container.
            frozen: whether we paused it; a pause from outside is an outage.

        Raises:
            SandboxLost: the engine does not answer.
        """
        async with self._lock:
            found, waited = await self._answer(container)
            if not found.get("Paused") or frozen:
                return found, waited
            await asyncio.sleep(POLL_SECONDS)  # our own pause may have just ended
            found, _ = await self._answer(container)
            if not found.get("Paused"):
                return found, True
            if self.tell is not None:
                self.tell(
                    "The container was paused from outside: the run waits until "
                    f"`docker unpause {container.name}` resumes it. A running command's time limit "
                    "resumes it too."
                )
            while found.get("Paused") and self.tell is not None:
                await asyncio.sleep(POLL_SECONDS)
                found, _ = await self._answer(container)
            return found, True

    @contextlib.contextmanager
    def checks(self, container: Any, clock: PausableClock) -> Generator[None]:
        """Check the state periodically while a command runs, to report a pause from outside."""
        tasks: list[asyncio.Task[None]] = []

        async def check() -> None:
            while True:
                with contextlib.suppress(SandboxError):
                    await self.state(container, frozen=clock.frozen)
                await asyncio.sleep(CHECK_SECONDS)

        def begin() -> None:
            tasks.append(asyncio.create_task(check()))

        later = asyncio.get_running_loop().call_later(CHECK_SECONDS, begin)
        try:
            yield
        finally:
            later.cancel()
            for task in tasks:
                task.cancel()

    def is_outage(self, error: Exception) -> bool:
        """Return whether an error is an outage of the engine that should be waited out."""
        from requests.exceptions import ConnectionError as NoConnection

        return self.tell is not None and isinstance(error, NoConnection)

    async def _answer(self, container: Any) -> tuple[dict[str, Any], bool]:
        import docker.errors

        until: float | None = None
        while True:
            try:
                await in_thread(container.reload)
            except docker.errors.NotFound:
                return {}, until is not None
            except Exception as error:
                now = time.monotonic()
                if self.tell is None or (until is not None and now > until):
                    raise SandboxLost(
                        f"The Docker engine does not answer: {describe_error(error)}"
                    ) from error
                if until is None:
                    until = now + self._max_outage
                    self.tell(
                        "The Docker engine does not answer: the run waits for it, up to "
                        f"{self._max_outage:g} s."
                    )
                await asyncio.sleep(POLL_SECONDS)
            else:
                if until is not None and self.tell is not None:
                    self.tell("The Docker engine answers again.")
                return container.attrs.get("State", {}), until is not None


async def unpause_if_paused(container: Any) -> None:
    """Unpause a container that was paused from outside, so that a process in it can be ended.

    Errors are ignored: it then stays as it is.
    """
    with contextlib.suppress(Exception):
        await in_thread(container.reload)
        if container.attrs.get("State", {}).get("Paused"):
            await in_thread(container.unpause)
