# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""An OpenEnv server that gives each client its own episodes in sandboxes on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.types import ConcurrencyConfig
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.adapters.openenv_connections import Application, GuardedConnections
from sandbox_tui.core.rl.adapters.openenv_environment import (
    NAME,
    EpisodeAction,
    EpisodeObservation,
    EpisodeState,
    SandboxEnvironment,
)
from sandbox_tui.core.rl.episode import Episode

IDLE_SECONDS = 3600.0
"""A session without a connection is closed after being idle this long."""

SHUTDOWN_SECONDS = 15
"""Timeout for open connections to end when the server stops."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def application(
    tasks: Sequence[Task],
    open_episode: Callable[[], Episode],
    *,
    concurrency: int,
    token: str = "",
) -> Application:
    """Build the server as an ASGI application.

    Args:
        tasks: tasks that clients choose from.
        open_episode: creates an episode, not yet reset.
        concurrency: maximum number of clients; others are refused with `CAPACITY_REACHED`.
        token: see `GuardedConnections`.
    """
    environment = functools.partial(SandboxEnvironment, tasks, itertools.count(), open_episode)
    app: Any = create_fastapi_app(
        environment,
        EpisodeAction,
        EpisodeObservation,
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=concurrency, session_timeout=IDLE_SECONDS
        ),
        env_name=NAME,
        state_cls=EpisodeState,
        mode="simulation",
    )
    return GuardedConnections(app, token)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one.

    Raises:
        ConfigError: the address is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error


class OpenEnvServer(uvicorn.Server):
    """Serves until stopped; leaves signals to its caller, which has episodes to close afterwards.

    Args:
        app: see `application`.
        listening: see `listen`; closed at the end.
    """

    def __init__(self, app: Application, listening: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=SHUTDOWN_SECONDS)
        )
        self._listening = listening

    async def run_until_stopped(self) -> None:
        """Serve until `stop`; then end all connections."""
        await self.serve(sockets=[self._listening])

    def stop(self) -> None:
        """Stop serving."""
        self.should_exit = True

    @override
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_until_signalled(server: OpenEnvServer) -> None:
    """Serve until the program receives SIGINT, SIGTERM or SIGHUP."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, server.stop)
    try:
        await server.run_until_stopped()
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
