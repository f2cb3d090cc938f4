"""The sandbox in a Docker container."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from typing_extensions import override

from sandbox_tui.core.base.errors import (
    ImageMissing,
    SandboxError,
    SandboxLost,
    SandboxUnavailable,
)
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.sandboxes.base import ExecResult, OutputSink, SandboxSpec, Shell
from sandbox_tui.core.sandboxes.blocking_calls import in_thread, in_thread_with_undo, run_shielded
from sandbox_tui.core.sandboxes.dispatcher_sandbox import DispatcherSandbox
from sandbox_tui.core.sandboxes.docker.container_options import (
    container_name,
    container_options,
    describe_container,
)
from sandbox_tui.core.sandboxes.docker.container_owner import (
    LABEL,
    claim,
    container_of,
    release_container,
)
from sandbox_tui.core.sandboxes.docker.engine import EngineConnection, describe_error
from sandbox_tui.core.sandboxes.docker.exec_transport import DockerTransport
from sandbox_tui.core.sandboxes.docker.exit_cause import exit_cause
from sandbox_tui.core.sandboxes.docker.lifetime_lease import renew_lease
from sandbox_tui.core.sandboxes.docker.out_of_memory import SIGKILL_EXIT_CODE, OomKills
from sandbox_tui.core.sandboxes.docker.outages import ContainerLiveness
from sandbox_tui.core.sandboxes.docker.pause import SETTLE_SECONDS, ContainerPause
from sandbox_tui.core.sandboxes.docker.snapshots import images as image_snapshots
from sandbox_tui.core.sandboxes.docker.snapshots.shell_state_backup import (
    discard_run_dir,
    restore_run_dir,
    save_run_dir,
)
from sandbox_tui.core.sandboxes.docker.user_shell import DockerShell
from sandbox_tui.core.sandboxes.heartbeat import Heartbeat
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE, image_is_missing
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel
from sandbox_tui.core.sandboxes.scripts.loader import (
    STATE_DIR,
    dispatcher_command,
    end_foreground,
    install_bashrc,
    reset_process_state,
)

MAX_ENGINE_ATTEMPTS = 5
"""Maximum number of attempts at a call to an unreliable engine."""

EVENT_HISTORY_SECONDS = 7 * 86400
"""How far back the engine's events are searched for the end of a container."""

P = ParamSpec("P")
T = TypeVar("T")


class DockerSandbox(DispatcherSandbox):
    """One hardened, labelled container, removed when the run is over.

    If the program dies without closing it, the container ends itself after `spec.grace` seconds
    (see lifetime_lease.py).

    Args:
        spec: the requested spec.
        connection: shared with other sandboxes; None for a separate one.
    """

    kind = "docker"
    outlives = True

    def __init__(
        self,
        spec: SandboxSpec,
        *,
        connection: EngineConnection | None = None,
    ) -> None:
        super().__init__(spec)
        self._connection = connection or EngineConnection()
        self._client: Any = None
        self._container: Any = None
        self._image_bytes: int | None = None
        self._shells = 0
        self._oom_kills = OomKills(self._control.run, self._clock)
        self._created_at = 0.0
        self._pause = ContainerPause(self._clock, self._engine)
        self._heartbeat = Heartbeat(self._renew_lease, spec.grace)
        self._liveness = ContainerLiveness(spec.grace)

    @override
    def on_outage(self, tell: Callable[[str], None] | None) -> None:
        self._liveness.tell = tell

    # --- life cycle

    @override
    async def connect(self) -> None:
        if self._client is None:
            self._client = await self._connection.acquire()

    @override
    async def assign(self, session_id: str) -> None:
        await self._engine(self._container.rename, container_name(session_id))
        await self._engine(self._container.reload)
        await super().assign(session_id)
        self.info["container"] = str(self._container.name)

    @override
    async def _start(self) -> None:
        image = self.spec.snapshot or self.spec.image or DEFAULT_IMAGE
        await self.connect()
        try:
            await self._require_image(image)
            self._created_at = time.time()
            created = await in_thread_with_undo(lambda: self._create(image), _discard)
            self._use(created)
            await in_thread(self._container.start)
            await self._prepare()
        except BaseException as error:
            await run_shielded(self.close())
            if isinstance(error, SandboxError) or not isinstance(error, Exception):
                raise
            problem = f"The container did not start: {describe_error(error)}"
            raise SandboxUnavailable(problem) from error
        self.info = self._describe(image)

    @override
    async def reattach(self) -> None:
        await self.connect()
        try:
            self._created_at = time.time() - EVENT_HISTORY_SECONDS
            container = await in_thread(container_of, self._client, self.spec.session_id)
            if container is None:
                raise SandboxLost(await self._why_gone())
            await in_thread(claim, container)
            self._use(container)
            if container.status == "paused":
                await in_thread(container.unpause)
            await self._renew_lease()
            await install_bashrc(self._control.run)
            self._exec.continue_count(await end_foreground(self._control.run))
            self._heartbeat.start()
        except BaseException as error:
            await self._abandon()
            if isinstance(error, SandboxError) or not isinstance(error, Exception):
                raise
            problem = f"The container cannot be reattached: {describe_error(error)}"
            raise SandboxLost(problem) from error
        self.info = self._describe(self.spec.image or DEFAULT_IMAGE)

    def _use(self, container: Any) -> None:
        self._container = self._pause.container = container

    async def _renew_lease(self, seconds: float | None = None) -> None:
        """Renew the lease, for the grace period or for so many seconds, without queueing behind a
        read that could outlast it. The channel for quick queries is opened only if needed: opening
        it takes a sixth of the time of a container start."""
        control = self._quick_control if self._control.is_busy else self._control
        await renew_lease(control.run, self.spec.grace if seconds is None else seconds)

    async def _why_gone(self) -> str:
        """Return why a session no longer has a container, according to the engine."""
        label = f"{LABEL}.session={self.spec.session_id}"
        cause = await in_thread(exit_cause, self._client, {"label": label}, self._created_at)
        return f"The container of this session is gone: {cause}."

    async def _abandon(self) -> None:
        """Abandon the container: it ends itself when its lease is no longer renewed."""
        self._closed = True
        self._heartbeat.stop()
        await self._close_channels()
        await self._connection.release()

    @override
    async def leave(self, seconds: float = 0.0) -> None:
        if not self._closed:
            await self._renew_lease(max(self.spec.grace, seconds))
            await in_thread(release_container, self._container)
            await self._abandon()

    @override
    async def close(self) -> None:
        if self._closed:
            return
        with contextlib.suppress(SandboxError):
            await self.thaw()
        self._closed = True
        self._heartbeat.stop()
        async with self._limits.removal:
            await self._close_channels()
            if self._container is not None:
                with contextlib.suppress(Exception):
                    await in_thread(_remove, self._container)
        if self._client is not None:
            await self._connection.release()

    async def _require_image(self, image: str) -> None:
        import docker.errors

        if self.spec.snapshot and not await in_thread(image_snapshots.is_ours, self._client, image):
            raise SandboxUnavailable(f"The snapshot {image!r} no longer exists.")
        try:
            found = await in_thread(self._client.images.get, image)
        except docker.errors.ImageNotFound as error:
            raise ImageMissing(image_is_missing(image), image=image) from error
        self._image_bytes = found.attrs.get("Size")

    def _create(self, image: str) -> Any:
        return self._client.containers.create(image, **container_options(self.spec))

    @override
    async def _prepare(self) -> None:
        await super()._prepare()
        if self.spec.snapshot:
            await restore_run_dir(self._control.run)
            await reset_process_state(self._control.run)
        self._heartbeat.start()

    def _describe(self, image: str) -> dict[str, str]:
        name = str(self._container.name)
        return self._with_reason(describe_container(self.spec, image, name, self._image_bytes))

    # --- commands

    @override
    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        with self._liveness.checks(self._container, self._clock):
            result = await super().exec(command, timeout=timeout, on_output=on_output, tty=tty)
        if result.exit_code is None and not (result.timed_out or result.interrupted):
            await self._require_alive_after_break()
        if result.exit_code == SIGKILL_EXIT_CODE and await self._oom_kills.happened():
            return replace(result, out_of_memory=True)
        return result

    @override
    async def _open_shell(self, cols: int, rows: int) -> Shell:
        await self._require_alive()
        self._shells += 1
        return await DockerShell.open(
            self._client.api,
            self._container.id,
            self._quick_control.run,
            f"shell-{self._shells}",
            (cols, rows),
            self._pause.pending,
        )

    @override
    async def freeze(self) -> None:
        # the lease cannot expire meanwhile: the process that watches it is paused too
        await self._pause.pause(briefly=False)

    @override
    async def thaw(self) -> None:
        await self._pause.unpause()

    # --- snapshots

    @override
    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        return await run_shielded(
            self._snapshot(tag, max_bytes), lambda made: self.remove_snapshot(made[0])
        )

    async def _snapshot(self, tag: str, max_bytes: int) -> tuple[str, int]:
        client, container, session = self._client, self._container, self.spec.session_id
        await save_run_dir(self._control.run)
        try:
            size = await self._engine(image_snapshots.own_bytes, client, container)
            if size > max_bytes:
                raise SandboxError("A snapshot would exceed the limit on snapshot size.")
            await self._pause.pause(briefly=True)
            try:
                return await self._engine(image_snapshots.commit, client, container, session, tag)
            finally:
                await self.thaw()
        finally:
            with contextlib.suppress(SandboxError):
                await discard_run_dir(self._control.run)

    @override
    async def remove_snapshot(self, name: str) -> bool:
        return await in_thread(image_snapshots.ImageSnapshots().remove, name)

    # --- channels

    @override
    async def _open_channel(self, state_dir: str) -> Channel:
        await self._clock.wait_thawed()  # the engine starts nothing in a paused container
        return await self._pause.opened(asyncio.create_task(self._connect(state_dir)))

    async def _connect(self, state_dir: str) -> Channel:
        await self._require_alive()
        carried = state_dir == STATE_DIR
        command = dispatcher_command(state_dir, self.spec.working_dir, line_buffered=carried)
        opening = self._engine(
            DockerTransport.open,
            self._client.api,
            self._container.id,
            command,
            self._pause.pending,
        )
        return Channel(await run_shielded(opening, _close), self._clock)

    # --- the engine

    async def _engine(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call docker-py in a thread, with retries after outages; its errors become
        `SandboxError`s."""
        attempt = 1
        while True:
            try:
                return await in_thread(call, *args, **kwargs)
            except SandboxError:
                raise
            except Exception as error:
                away = await self._require_alive() or self._liveness.is_outage(error)
                if not away or attempt == MAX_ENGINE_ATTEMPTS:
                    problem = f"Docker reported an error: {describe_error(error)}"
                    raise SandboxError(problem) from error
            attempt += 1

    async def _require_alive(self) -> bool:
        """Check that the container is running; returns whether an outage was waited out.

        Raises:
            SandboxLost: the container is not running; the message says why.
        """
        if self._closed or self._container is None:
            raise SandboxLost("The sandbox has been closed.")
        state, waited = await self._liveness.state(self._container, frozen=self._clock.frozen)
        if state.get("Running") and not state.get("Dead"):
            return waited
        only = {"container": str(self._container.id)}
        cause = await in_thread(exit_cause, self._client, only, self._created_at)
        raise SandboxLost(f"The container is gone: {cause}.")

    @override
    async def _guard(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work`. If the connection breaks, report why the container ended; if only the engine
        was unavailable for a while, repeat the work."""
        try:
            return await work()
        except SandboxLost:
            await self._require_alive_after_break()
            if self._liveness.tell is None:
                raise
        try:
            return await work()
        except SandboxLost:
            await self._require_alive_after_break()
            raise

    async def _require_alive_after_break(self) -> None:
        """Raise `SandboxLost` if a connection broke because the container ended, which the engine
        notices only a little later."""
        if not self._closed:
            await asyncio.sleep(SETTLE_SECONDS)
        await self._require_alive()


def _remove(container: Any) -> None:
    container.remove(force=True, v=True)


def _discard(container: Any) -> None:
    """Remove a container that is no longer needed; the client may already be closed."""
    try:
        _remove(container)
    finally:
        container.client.close()


async def _close(transport: DockerTransport) -> None:
    """Close a connection that is no longer needed."""
    transport.close()
