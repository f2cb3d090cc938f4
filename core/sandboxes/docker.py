"""The sandbox in a Docker container."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..errors import ImageMissing, SandboxError, SandboxLost, SandboxUnavailable
from . import image_snapshots
from .base import (
    LISTED_FILES,
    ExecResult,
    FileEntry,
    Listing,
    OutputSink,
    SandboxSpec,
    Shell,
    Size,
    TerminalReader,
)
from .beginning import Beginning
from .channel import Channel, Exec
from .container_watch import ContainerWatch, let_go_on
from .copying import fetch, send
from .docker_engine import (
    CAPABILITIES,
    DEFAULT_IMAGE,
    LABEL,
    adopt,
    connect,
    container_of,
    fate_of,
    owner_labels,
    plainly,
)
from .docker_shell import DockerShell
from .docker_transport import DockerTransport
from .environment import command_environment
from .files import Files
from .frozen_time import FrozenTime
from .keep_state import bring_back, clear_away, put_aside
from .lease import Lease, keeper_command
from .scripts import STATE_DIR, dispatcher_command, install, quote, take_up
from .terminal_reader import find_terminal_reader

SETTLE = 0.3
"""Seconds between pausing and unpausing, and until the engine knows what has ended."""


LOOK_EVERY = 3.0
"""Seconds between looks at the container while a command runs."""

ATTEMPTS = 5
"""How often something is asked of an engine that comes and goes."""

KILLED = 137
"""Exit code of a command that was ended by KILL, as by a kernel that needs its memory."""

OOM_KILLS = (
    b"for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do "
    b'[ -r $f ] && while read -r line; do echo "$line"; done <$f; done'
)
"""Prints how often the kernel did, for control groups v2 and v1."""

LOOK_BACK = 7 * 86400
"""Seconds of the engine's memory that are searched for the fate of a container."""
P = ParamSpec("P")
T = TypeVar("T")


class DockerSandbox:
    """One container: hardened, labelled as ours, gone when the run is over.

    Its first process is a shell that watches a lease the program renews; when the program dies
    without a word, the container ends itself after `spec.grace` seconds (see lease.py).
    """

    kind = "docker"

    def __init__(self, spec: SandboxSpec, *, because: str = "") -> None:
        self.spec = spec
        self._because = because
        self._shells = 0
        self._began = 0.0
        self._image = ""
        self.info: dict[str, str] = {}
        self._client: Any = None
        self._container: Any = None
        self._clock = FrozenTime()
        self._oom_kills = 0
        self._freezing = asyncio.Lock()
        self._turned_over = 0.0
        self._opening: set[asyncio.Task[Channel]] = set()
        self._beginning = Beginning()
        self._files = Files(self._open_channel, default_dir=spec.working_dir, clock=self._clock)
        # short questions that must not wait until a large file has been read
        self._aside = Files(self._open_channel, default_dir=spec.working_dir, clock=self._clock)
        self._exec = Exec(self._open_channel, self._files, self.thaw, pids=spec.pids)
        self._lease = Lease(self._files.control, spec.grace)
        self._watch = ContainerWatch(spec.grace)
        self._closed = False

    def say_what_is_waited_for(self, tell: Callable[[str], None] | None) -> None:
        """See `Sandbox.say_what_is_waited_for`."""
        self._watch.tell = tell

    # --- life

    async def start(self) -> None:
        """See `Sandbox.start`."""
        self._client = await _thread(connect)
        image = self.spec.snapshot or self.spec.image or DEFAULT_IMAGE
        await self._require_image(image)
        self._image = image
        try:
            self._began = time.time()
            self._container = await _thread(self._create, image)
            await _thread(self._container.start)
            await self._prepare()
        except SandboxError:
            await self.close()
            raise
        except Exception as error:
            await self.close()
            raise SandboxUnavailable(f"The container did not start: {plainly(error)}") from error
        self.info = self._describe(image)

    async def adopt(self) -> None:
        """See `Sandbox.adopt`."""
        self._client = await _thread(connect)
        try:
            self._began = time.time() - LOOK_BACK
            container = await _thread(container_of, self._client, self.spec.session_id)
            if container is None:
                raise SandboxLost(await self._why_gone())
            await _thread(adopt, container)
            self._container = container
            if container.status == "paused":
                await _thread(container.unpause)
            await self._lease.renew()
            await install(self._files.control)
            self._exec.take_up(await take_up(self._files.control))
            self._lease.start()
        except BaseException as error:
            await self._let_go()
            if isinstance(error, SandboxError) or not isinstance(error, Exception):
                raise
            raise SandboxLost(f"The container cannot be taken over: {plainly(error)}") from error
        self.info = self._describe(self.spec.image or DEFAULT_IMAGE)

    async def _why_gone(self) -> str:
        """Why a session has no container any more, as far as the engine knows."""
        label = f"{LABEL}.session={self.spec.session_id}"
        fate = await _thread(fate_of, self._client, {"label": label}, self._began)
        return f"The container of this session is gone: {fate}."

    async def _let_go(self) -> None:
        """Leave the container as it is: it ends itself when nobody renews its lease."""
        self._closed = True
        self._lease.stop()
        self._files.close()
        with contextlib.suppress(Exception):
            await _thread(self._client.close)

    async def close(self) -> None:
        """See `Sandbox.close`."""
        if self._closed:
            return
        with contextlib.suppress(SandboxError):
            await self.thaw()
        self._closed = True
        self._lease.stop()
        await self._exec.close()
        self._files.close()
        self._aside.close()
        container, client = self._container, self._client
        if container is not None:
            with contextlib.suppress(Exception):
                await _thread(container.remove, force=True, v=True)
        if client is not None:
            with contextlib.suppress(Exception):
                await _thread(client.close)

    async def _require_image(self, image: str) -> None:
        import docker.errors

        if self.spec.snapshot and not await _thread(image_snapshots.is_ours, self._client, image):
            raise SandboxUnavailable(f"There is no snapshot {image!r} any more.")
        try:
            await _thread(self._client.images.get, image)
        except docker.errors.ImageNotFound as error:
            message = (
                f"The Docker engine has no image named {image!r}. "
                "Make one with `sandbox-tui image build` (or `--from-packages` without a registry)."
            )
            raise ImageMissing(message, image=image) from error

    def _create(self, image: str) -> Any:
        spec = self.spec
        return self._client.containers.create(
            image,
            command=keeper_command(spec.grace),
            entrypoint=[],
            name=f"sandbox-tui-{spec.session_id}-{secrets.token_hex(2)}",
            labels=owner_labels(spec.session_id, spec.grace),
            environment=command_environment(spec),
            working_dir="/",
            user="root",
            stdin_open=True,
            tty=False,
            detach=True,
            auto_remove=True,
            network_mode="none" if spec.network == "none" else "bridge",
            cap_drop=["ALL"],
            cap_add=list(CAPABILITIES),
            security_opt=["no-new-privileges:true"],
            pids_limit=spec.pids,
            mem_limit=spec.memory or 2 << 30,
            memswap_limit=spec.memory or 2 << 30,
            nano_cpus=int(spec.cpus * 1e9) if spec.cpus else None,
            tmpfs={"/run": "rw,exec,nosuid,nodev,mode=755,size=128m"},
            init=False,
        )

    async def _prepare(self) -> None:
        spec = self.spec
        folders = b" ".join(map(quote, (spec.working_dir, spec.input_dir, spec.output_dir)))
        made = await self._files.control(b"mkdir -p %b" % folders)
        if made.exit_code != 0:
            words = made.stderr.decode("utf-8", "replace").strip()
            raise SandboxUnavailable(f"The image cannot be used as a sandbox: {words}")
        await install(self._files.control)
        if spec.snapshot:
            await bring_back(self._files.control)
        self._lease.start()

    def _describe(self, image: str) -> dict[str, str]:
        spec = self.spec
        info = {
            "image": image,
            "container": str(self._container.name),
            "network": "none" if spec.network == "none" else "bridge",
            "memory": f"{(spec.memory or 2 << 30) >> 20} MiB",
            "cpus": f"{spec.cpus:g}" if spec.cpus else "all",
            "processes": str(spec.pids),
        }
        return {**info, "chosen": self._because} if self._because else info

    # --- commands

    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        """See `Sandbox.exec`."""
        with self._looked_after():
            result = await self._until_lost(
                lambda: self._exec.run(command, timeout=timeout, on_output=on_output, tty=tty)
            )
        if result.exit_code is None and not (result.timed_out or result.interrupted):
            await self._alive_after_break()
        if result.exit_code == KILLED and await self._memory_ran_out():
            return replace(result, out_of_memory=True)
        return result

    @contextlib.contextmanager
    def _looked_after(self) -> Generator[None]:
        """Somebody may pause the container while a command runs: then that is said."""
        looking: list[asyncio.Task[None]] = []

        def begin() -> None:
            looking.append(asyncio.create_task(self._look_now_and_then()))

        later = asyncio.get_running_loop().call_later(LOOK_EVERY, begin)
        try:
            yield
        finally:
            later.cancel()
            for task in looking:
                task.cancel()

    async def _look_now_and_then(self) -> None:
        while True:
            with contextlib.suppress(SandboxError):
                await self._watch.state(self._container, frozen=self._clock.frozen)
            await asyncio.sleep(LOOK_EVERY)

    async def _memory_ran_out(self) -> bool:
        """Whether the kernel has killed anything since the last look, to keep to the limit."""
        known = await self._files.control(OOM_KILLS, builtin=True)
        found = re.findall(rb"oom_kill (\d+)", known.stdout)
        before, self._oom_kills = self._oom_kills, sum(map(int, found))
        return self._oom_kills > before

    async def type(self, data: bytes) -> bool:
        """See `Sandbox.type`."""
        return await self._exec.type(data)

    async def terminal_reader(self) -> TerminalReader | None:
        """See `Sandbox.terminal_reader`."""
        return await find_terminal_reader(self._aside.control, self._exec.running)

    async def interrupt(self) -> bool:
        """See `Sandbox.interrupt`."""
        return self._exec.interrupt()

    async def open_shell(self, cols: int, rows: int) -> Shell:
        """See `Sandbox.open_shell`."""
        await self._require_alive()
        self._shells += 1
        return await self._until_lost(
            lambda: DockerShell.open(
                self._client.api,
                self._container.id,
                self._aside.control,
                f"shell-{self._shells}",
                (cols, rows),
                self._beginning,
            )
        )

    async def freeze(self) -> None:
        """See `Sandbox.freeze`. The lease cannot run out meanwhile: its keeper stands still too."""
        await self._stand_still(briefly=False)

    async def _stand_still(self, *, briefly: bool) -> None:
        async with self._freezing:
            if self._clock.frozen:
                return
            self._clock.stop(briefly=briefly)
            try:
                while self._opening:
                    await asyncio.wait(self._opening)
                await _thread(self._beginning.wait, self._client.api)
                await self._turn_over(self._container.pause)
            except BaseException:
                self._clock.go_on()
                raise

    async def thaw(self) -> None:
        """See `Sandbox.thaw`."""
        async with self._freezing:
            if self._clock.frozen:
                await self._turn_over(self._container.unpause)
                self._clock.go_on()
            elif self._container is not None:
                await let_go_on(self._container)

    async def _turn_over(self, call: Callable[[], None]) -> None:
        """Pause or unpause, not too soon after the other: the engine hears from the container a
        moment later what it has done itself, and would take that for the newer state."""
        await asyncio.sleep(self._turned_over + SETTLE - time.monotonic())
        try:
            await self._engine(call)
        finally:
            self._turned_over = time.monotonic()

    async def snapshot(self, tag: str, *, most_bytes: int) -> tuple[str, int]:
        """See `Sandbox.snapshot`: an image of ours, made while the container is paused."""
        await put_aside(self._files.control)
        try:
            size = await self._engine(image_snapshots.own_bytes, self._client, self._container)
            if size > most_bytes:
                raise SandboxError("A snapshot would need more room than it may have.")
            await self._stand_still(briefly=True)
            try:
                return await self._engine(
                    image_snapshots.commit,
                    self._client,
                    self._container,
                    self.spec.session_id,
                    tag,
                    self._image,
                )
            finally:
                await self.thaw()
        finally:
            with contextlib.suppress(SandboxError):
                await clear_away(self._files.control)

    async def _open_channel(self) -> Channel:
        """None is begun while the sandbox is frozen: the engine would refuse it."""
        await self._clock.thawed()
        opening = asyncio.create_task(self._connect())
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        return await opening

    async def _connect(self) -> Channel:
        await self._require_alive()
        command = dispatcher_command(STATE_DIR, self.spec.working_dir, line_buffered=True)
        opening = asyncio.create_task(
            self._engine(
                DockerTransport.open,
                self._client.api,
                self._container.id,
                command,
                self._beginning,
            )
        )
        try:
            return Channel(await asyncio.shield(opening), self._clock)
        except asyncio.CancelledError:
            opening.add_done_callback(_discard)  # a thread cannot be called back
            raise

    # --- files

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """See `Sandbox.read_file`."""
        return await self._until_lost(lambda: self._files.read(path, max_bytes=max_bytes))

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """See `Sandbox.write_file`."""
        await self._until_lost(lambda: self._files.write(path, data, exclusive=exclusive))

    async def stat(self, path: str) -> FileEntry | None:
        """See `Sandbox.stat`."""
        return await self._until_lost(lambda: self._files.stat(path))

    async def list_files(self, path: str, *, limit: int = LISTED_FILES) -> Listing:
        """See `Sandbox.list_files`."""
        return await self._until_lost(lambda: self._files.list(path, limit=limit))

    async def changed_files(self, path: str, before: Listing) -> Listing:
        """See `Sandbox.changed_files`."""
        return await self._until_lost(lambda: self._files.changed(path, before, limit=LISTED_FILES))

    async def copy_in(self, source: Path, path: str) -> None:
        """See `Sandbox.copy_in`."""
        await self._until_lost(lambda: send(self._files, source, path))

    async def copy_out(self, path: str, target: Path) -> list[str]:
        """See `Sandbox.copy_out`."""
        return await self._until_lost(lambda: fetch(self._files, path, target))

    # --- the engine

    async def _engine(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call docker-py in a thread; what it raises becomes a `SandboxError`. It is called again
        when the engine did not answer, and does now."""
        attempt = 1
        while True:
            try:
                return await _thread(call, *args, **kwargs)
            except SandboxError:
                raise
            except Exception as error:
                away = await self._require_alive() or self._watch.was_away(error)
                if not away or attempt == ATTEMPTS:
                    raise SandboxError(f"Docker could not do that: {plainly(error)}") from error
            attempt += 1

    async def _require_alive(self) -> bool:
        """Raise `SandboxLost`, saying what became of the container, when it does not run; else
        whether that had to be waited for."""
        if self._closed or self._container is None:
            raise SandboxLost("The sandbox has been closed.")
        state, waited = await self._watch.state(self._container, frozen=self._clock.frozen)
        if state.get("Running") and not state.get("Dead"):
            return waited
        only = {"container": str(self._container.id)}
        fate = await _thread(fate_of, self._client, only, self._began)
        raise SandboxLost(f"The container is gone: {fate}.")

    async def _until_lost(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do something; when the connection breaks, say what became of the container. Where the
        engine was only away for a while it is done again."""
        try:
            return await work()
        except SandboxLost:
            await self._alive_after_break()
            if self._watch.tell is None:
                raise
        try:
            return await work()
        except SandboxLost:
            await self._alive_after_break()
            raise

    async def _alive_after_break(self) -> None:
        """Say what became of a container to which a connection has ended: the engine hears of the
        end of one a moment later than we do."""
        if not self._closed:
            await asyncio.sleep(SETTLE)
        await self._require_alive()


async def _thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return await asyncio.to_thread(call, *args, **kwargs)


def _discard(opening: asyncio.Task[DockerTransport]) -> None:
    """Close a connection nobody waits for any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
