"""Providers on real engines: one connection and one sweep, limited starts, warm spares."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes import factory
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.sandboxes.bubblewrap import provider as bubblewrap_provider
from sandbox_tui.core.sandboxes.bubblewrap import sandbox as bubblewrap_sandbox
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OwnerRecord
from sandbox_tui.core.sandboxes.bubblewrap.provider import BubblewrapProvider
from sandbox_tui.core.sandboxes.docker import engine as docker_engine
from sandbox_tui.core.sandboxes.docker import provider as docker_provider
from sandbox_tui.core.sandboxes.docker import sandbox as docker_sandbox
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.provider import DockerProvider
from sandbox_tui.core.sandboxes.protocol.file_ops import FileOperations
from sandbox_tui.core.sandboxes.provider import SandboxProvider
from tests.integration.conftest import require, spec
from tests.waiting import HANG_SECONDS

AT_ONCE = 2


@pytest.fixture(params=[DockerProvider, BubblewrapProvider], ids=["docker", "bubblewrap"])
async def provider(request: pytest.FixtureRequest) -> AsyncIterator[SandboxProvider]:
    """A provider of each kind, allowing two operations of each kind at once."""
    require("docker" if request.param is DockerProvider else "bubblewrap")
    made: SandboxProvider = request.param(at_once=AT_ONCE)
    yield made
    await made.close()


class Counted:
    """Wraps a function to count its calls and the maximum number that run concurrently."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.calls = self.most = self._now = 0
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self._call(*args)

    def in_thread(self, *args: Any) -> Any:
        with self._lock:
            self.calls += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._call(*args)
        finally:
            with self._lock:
                self._now -= 1

    async def awaited(self, *args: Any) -> Any:
        self.calls += 1
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            return await self._call(*args)
        finally:
            self._now -= 1


def sessions_here() -> set[str]:
    """Sessions that have a container (by label or name) or private folders."""
    client = connect()
    try:
        found = client.api.containers(all=True, filters={"label": "sandbox-tui=1"})
        labels = {one["Labels"]["sandbox-tui.session"] for one in found}
        names = {one["Names"][0].removeprefix("/sandbox-tui-").rpartition("-")[0] for one in found}
    finally:
        client.close()
    folders = Path(tempfile.gettempdir()).glob("sandbox-tui-*")
    records = [OwnerRecord.of(folder) for folder in folders]
    return labels | names | {record.session for record in records if record}


async def test_many_share_one_connection_and_one_sweep_and_take_turns_to_start(
    provider: SandboxProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_docker = isinstance(provider, DockerProvider)
    connecting = Counted(connect)
    monkeypatch.setattr(docker_engine, "connect", connecting)
    module: Any = docker_provider if is_docker else bubblewrap_provider
    name = "sweep_containers" if is_docker else "sweep"
    sweeping = Counted(getattr(module, name))
    monkeypatch.setattr(module, name, sweeping)
    make: Any = provider._make
    together = Counted(lambda start: start())

    def make_counted(wanted: Any) -> Any:
        sandbox = make(wanted)
        start = sandbox._start
        sandbox._start = lambda: together.awaited(start)
        return sandbox

    monkeypatch.setattr(provider, "_make", make_counted)
    opened = await asyncio.gather(*(provider.open(spec()) for _ in range(6)))
    assert connecting.calls == (1 if is_docker else 0)
    assert sweeping.calls == 1
    assert (together.calls, together.most) == (6, AT_ONCE)
    results = await asyncio.gather(*(one.exec("echo on", timeout=HANG_SECONDS) for one in opened))
    assert [result.stdout for result in results] == [b"on\n"] * 6
    wanted = {one.spec.session_id for one in opened}
    assert wanted <= await asyncio.to_thread(sessions_here)
    await provider.close()
    assert not wanted & await asyncio.to_thread(sessions_here)
    if isinstance(provider, DockerProvider):
        assert provider._connection.client is None
    with pytest.raises(SandboxError, match="closed"):
        await provider.open(spec())


async def test_few_are_listed_and_removed_at_a_time(
    provider: SandboxProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of an evaluation's samples may finish at the same time."""
    opened = await asyncio.gather(*(provider.open(spec()) for _ in range(6)))
    listing, list_files = Counted(lambda listed: listed()), FileOperations.list
    monkeypatch.setattr(
        FileOperations,
        "list",
        lambda *args, **more: listing.awaited(lambda: list_files(*args, **more)),
    )
    await asyncio.gather(*(one.list_files("/testbed") for one in opened))
    assert (listing.calls, listing.most) == (6, AT_ONCE)
    is_docker = isinstance(provider, DockerProvider)
    module: Any = docker_sandbox if is_docker else bubblewrap_sandbox
    name = "_remove" if is_docker else "remove_folder"
    removal = Counted(getattr(module, name))
    monkeypatch.setattr(module, name, removal.in_thread)
    await asyncio.gather(*(one.close() for one in opened))
    assert removal.calls == 6
    assert removal.most <= AT_ONCE  # fewer if their processes end one after the other


async def test_a_warm_spare_is_handed_out_and_another_takes_its_place(
    provider: SandboxProvider,
) -> None:
    await provider.warm(spec(), 1)
    spare = provider._spares[0]
    await spare.run(["touch", "/testbed/warmed"], timeout=HANG_SECONDS)
    wanted = spec()
    given: Sandbox = await provider.create(wanted, because="it is warm")
    assert given is spare
    await given.start()  # as every run does
    assert given.spec == wanted
    assert given.info["chosen"] == "it is warm"
    assert await given.stat("/testbed/warmed") is not None
    assert wanted.session_id in await asyncio.to_thread(sessions_here)
    await asyncio.gather(*provider._refills)
    assert [one is not given for one in provider._spares] == [True]
    other = await provider.create(spec(memory=1 << 30))  # a spec that differs from the spares'
    assert other not in (given, *provider._spares)
    replacement = provider._spares[0].spec.session_id
    await provider.close()
    left = await asyncio.to_thread(sessions_here)
    assert not left & {wanted.session_id, replacement}


async def test_another_program_finds_a_spare_by_its_session(provider: SandboxProvider) -> None:
    await provider.warm(spec(), 1)
    given = await provider.open(spec())
    await given.exec("echo kept >file", timeout=HANG_SECONDS)
    inside: Any = given
    if given.kind == "bubblewrap":  # its processes end with their program
        await inside._supervisor._kill()
    again = type(inside)(given.spec)
    await again.reattach()
    try:
        assert await again.read_file("/testbed/file") == b"kept\n"
    finally:
        await again.close()


async def test_a_spare_that_ended_is_not_handed_out(provider: SandboxProvider) -> None:
    await provider.warm(spec(), 1)
    spare = provider._spares[0]
    await spare.close()
    given = await provider.open(spec())
    assert given is not spare
    assert (await given.exec("echo on", timeout=HANG_SECONDS)).stdout == b"on\n"


async def test_a_program_has_one_provider_of_each_kind() -> None:
    require("docker")
    assert factory.providers() is factory.providers()
    sandboxes: list[Any] = [await factory.open_sandbox("docker", spec()) for _ in range(2)]
    assert sandboxes[0]._connection is sandboxes[1]._connection
    assert sandboxes[0]._client is sandboxes[1]._client is not None
    await asyncio.gather(*(sandbox.close() for sandbox in sandboxes))
    assert factory.providers().docker._connection.client is None
