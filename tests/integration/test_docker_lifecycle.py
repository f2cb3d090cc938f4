"""Containers: hardened, labelled, never left behind, and never someone else's."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import docker
import pytest

from sandbox_tui.core.base.errors import ImageMissing, SandboxLost
from sandbox_tui.core.sandboxes.docker.container_owner import owner_of
from sandbox_tui.core.sandboxes.docker.engine import connect, status_of
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from sandbox_tui.core.sandboxes.docker.sweep import sweep
from tests.integration.conftest import TEST_IMAGE, make, require, spec
from tests.waiting import HANG_SECONDS


@pytest.fixture(scope="module")
def engine() -> Any:
    require("docker")
    client = connect()
    yield client
    client.close()


def eventually(done: Callable[[], bool], seconds: float = HANG_SECONDS) -> None:
    """Wait for something that another process does."""
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def ours(engine: Any, session: str) -> list[Any]:
    label = f"sandbox-tui.session={session}"
    return engine.containers.list(all=True, ignore_removed=True, filters={"label": label})


async def test_hardening_as_seen_from_inside(engine: Any) -> None:
    sandbox = make("docker", memory=128 << 20, cpus=1.0)
    await sandbox.start()
    try:
        status = (await sandbox.exec("cat /proc/self/status", timeout=HANG_SECONDS)).stdout.decode()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert int(fields["CapEff"], 16) == 0xFB  # CHOWN to SETUID without DAC_READ_SEARCH
        assert fields["NoNewPrivs"] == "1"
        result = await sandbox.exec(
            "mknod /tmp/d b 8 0; mount -t tmpfs x /mnt", timeout=HANG_SECONDS
        )
        assert result.exit_code != 0
        assert (
            await sandbox.exec("chown nobody /tmp && ls /var/run/docker.sock", timeout=HANG_SECONDS)
        ).exit_code
        (container,) = ours(engine, sandbox.spec.session_id)
        host = container.attrs["HostConfig"]
        assert host["PidsLimit"] == 512
        assert host["Memory"] == 128 << 20
        assert host["NanoCpus"] == 10**9
        assert host["Binds"] in (None, [])
        hungry = await sandbox.exec("python3 -c 'x = b\"x\" * (500 << 20)'", timeout=HANG_SECONDS)
        assert hungry.exit_code in (137, 1)
        assert (await sandbox.exec("echo alive", timeout=HANG_SECONDS)).stdout == b"alive\n"
    finally:
        await sandbox.close()


async def test_no_network_when_it_is_disabled(engine: Any) -> None:
    sandbox = make("docker", network="none")
    await sandbox.start()
    try:
        result = await sandbox.exec("cat /proc/net/route | wc -l", timeout=HANG_SECONDS)
        assert result.stdout.strip() == b"1"
        assert sandbox.info["network"] == "none"
    finally:
        await sandbox.close()


async def test_a_clean_end_leaves_nothing(engine: Any) -> None:
    sandbox = make("docker")
    await sandbox.start()
    assert len(ours(engine, sandbox.spec.session_id)) == 1
    await sandbox.close()
    assert ours(engine, sandbox.spec.session_id) == []


async def test_a_missing_image_is_named(engine: Any) -> None:
    from sandbox_tui.core.sandboxes.base import SandboxSpec
    from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox

    sandbox = DockerSandbox(SandboxSpec(session_id="x", image="no-such-image:1"))
    with pytest.raises(ImageMissing, match="no-such-image:1"):
        await sandbox.start()
    await sandbox.close()


@pytest.mark.parametrize("how", ["remove", "kill"])
async def test_a_container_that_is_removed_from_outside(engine: Any, how: str) -> None:
    sandbox = make("docker")
    await sandbox.start()
    (container,) = ours(engine, sandbox.spec.session_id)
    running = asyncio.create_task(sandbox.exec("sleep 1000", timeout=1000))
    await asyncio.sleep(0)
    await asyncio.to_thread(
        container.remove if how == "remove" else container.kill,
        **({"force": True} if how == "remove" else {}),
    )
    with pytest.raises(
        SandboxLost, match="The container is gone: it was killed or removed from outside"
    ):
        await asyncio.wait_for(running, HANG_SECONDS)
        await sandbox.exec(
            "true", timeout=HANG_SECONDS
        )  # raises here if the command was seen to end first
    await sandbox.close()


async def test_freezing_stops_time_inside(engine: Any) -> None:
    sandbox = make("docker")
    await sandbox.start()
    try:
        await sandbox.freeze()
        (container,) = ours(engine, sandbox.spec.session_id)
        assert container.status == "paused"
        await sandbox.thaw()
        assert (await sandbox.exec("echo on", timeout=HANG_SECONDS)).stdout == b"on\n"
    finally:
        await sandbox.close()


PROGRAM = """
import asyncio, sys
from tests.integration.conftest import make
async def main():
    sandbox = make("docker", grace=2.0)
    await sandbox.start()
    print(sandbox.spec.session_id, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


async def test_kill_9_and_the_container_ends_itself_after_its_grace(engine: Any) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    session = (await asyncio.wait_for(child.stdout.readline(), HANG_SECONDS)).decode().strip()
    (container,) = ours(engine, session)
    assert owner_of(container).alive
    child.send_signal(signal.SIGKILL)
    await child.wait()
    assert not owner_of(container).alive
    await asyncio.to_thread(eventually, lambda: ours(engine, session) == [])


async def test_a_lease_outlasts_its_grace_while_the_program_lives(engine: Any) -> None:
    sandbox = make("docker", grace=2.0)
    await sandbox.start()
    try:
        result = await sandbox.exec("sleep 5; echo still here", timeout=HANG_SECONDS)
        assert result.stdout == b"still here\n"
    finally:
        await sandbox.close()


async def test_a_lease_is_renewed_during_long_operations(engine: Any) -> None:
    """For example, listing a very large number of files on the channel for files."""
    sandbox: Any = make("docker", grace=2.0)
    await sandbox.start()
    try:
        assert (await sandbox._control.run(b"sleep 5")).exit_code == 0
        assert (
            await sandbox.exec("echo still here", timeout=HANG_SECONDS)
        ).stdout == b"still here\n"
    finally:
        await sandbox.close()


def test_a_container_that_cannot_be_removed_does_not_stop_the_sweep(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list suffices, too: no container is inspected individually."""
    gone = {
        "sandbox-tui": "1",
        "sandbox-tui.pid": "999999999",
        "sandbox-tui.started": "1",
        "sandbox-tui.host": socket.gethostname(),
    }
    made = [engine.containers.create(TEST_IMAGE, ["true"], labels=gone) for _ in range(3)]
    stuck, tried, inspected = made[1], list[str](), list[str]()
    remove = docker.APIClient.remove_container

    def refuse_one(self: docker.APIClient, container: str, **how: Any) -> None:
        tried.append(container)
        if container == stuck.id:
            raise docker.errors.APIError("removal of container is already in progress")
        remove(self, container, **how)

    try:
        with monkeypatch.context() as patched:
            patched.setattr(docker.APIClient, "remove_container", refuse_one)
            patched.setattr(
                docker.APIClient, "inspect_container", lambda _, one: inspected.append(one)
            )
            swept = sweep()
        assert {made[0].name, made[2].name} <= set(swept)
        assert stuck.name not in swept
        assert stuck.id in tried
        assert inspected == []
    finally:
        with contextlib.suppress(docker.errors.NotFound):  # another program may have swept it
            stuck.remove(force=True)


def test_the_sweep_removes_only_our_containers(engine: Any) -> None:
    gone = {"sandbox-tui": "1", "sandbox-tui.pid": "999999999", "sandbox-tui.started": "1"}
    gone["sandbox-tui.host"] = socket.gethostname()
    mine = engine.containers.create(TEST_IMAGE, ["true"], labels=gone)
    elsewhere = engine.containers.create(
        TEST_IMAGE, ["true"], labels={**gone, "sandbox-tui.host": "another-host"}
    )
    foreign = engine.containers.create(TEST_IMAGE, ["true"])
    try:
        assert mine.name in sweep()
        with pytest.raises(docker.errors.NotFound):
            mine.reload()
        elsewhere.reload()
        foreign.reload()
    finally:
        elsewhere.remove(force=True)
        foreign.remove(force=True)


async def test_the_memory_check_waits_for_a_freeze_to_end() -> None:
    require("docker")
    sandbox: Any = DockerSandbox(spec())
    await sandbox.start()
    try:
        await sandbox.freeze()
        asking = asyncio.create_task(sandbox._oom_kills.happened())
        await asyncio.wait([asking], timeout=0.2)
        assert not asking.done()
        await sandbox.thaw()
        assert await asyncio.wait_for(asking, HANG_SECONDS) is False
    finally:
        await sandbox.close()


def test_an_image_is_found_by_every_name_that_a_container_can_be_created_from(engine: Any) -> None:
    found = engine.images.get(TEST_IMAGE)
    for name in (TEST_IMAGE, TEST_IMAGE.partition(":")[0], found.id, found.short_id):
        assert status_of(engine, name).has_image, name
    for name in ("no-such-image:1", "No Such: Image"):
        status = status_of(engine, name)
        assert (status.has_image, bool(status.version)) == (False, True), name
