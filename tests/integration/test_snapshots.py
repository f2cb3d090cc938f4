"""Snapshots of real sandboxes: what they contain, what they leave alone, how they are removed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from docker.errors import APIError

from sandbox_tui.core.base.errors import SandboxError, SandboxUnavailable
from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.snapshots import images as image_snapshots
from sandbox_tui.core.sandboxes.protocol import control_channel
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from tests import scripted_server as s
from tests.integration.conftest import make
from tests.integration.test_runs import KINDS, only, request, require, watch
from tests.waiting import HANG_SECONDS

ROOM = 1 << 30
Start = Callable[..., s.ScriptedServer]


async def run_in(sandbox: Sandbox, command: str) -> str:
    result = await sandbox.exec(command, timeout=HANG_SECONDS)
    assert result.exit_code == 0, result.stderr
    return result.stdout.decode()


MESS = r"""
mkdir -p "a b/deep" && echo one >"a b/deep/file" && ln -s /etc/passwd link && mkfifo pipe
printf '#!/bin/sh\necho ran\n' >tool && chmod 750 tool && ln tool hard && : >$'odd\nname'
export CARRIED=kept; shout() { echo "LOUD $1"; }; cd "a b"; echo tmp >/tmp/t; echo home >~/h
"""


async def test_a_snapshot_holds_files_and_shell_state(sandbox: Sandbox, cleared: list[str]) -> None:
    cleared.append(sandbox.spec.session_id)
    await run_in(sandbox, MESS)
    name, size = await sandbox.snapshot("first.1", max_bytes=ROOM)
    assert size > 0
    await run_in(sandbox, "echo later >/testbed/later; rm deep/file; cd /; CARRIED=lost")
    assert SnapshotStores(snapshot_dir()).exists(name)

    again = make(sandbox.kind, snapshot=name)
    await again.start()
    try:
        output = await run_in(
            again, 'pwd; cat deep/file; echo "$CARRIED"; shout it; ../tool; ../hard'
        )
        assert output == "/testbed/a b\none\nkept\nLOUD it\nran\nran\n"
        assert await run_in(again, "cat /tmp/t ~/h; readlink ../link") == "tmp\nhome\n/etc/passwd\n"
        assert await run_in(again, "test -p ../pipe && test -e $'../odd\\nname' && echo there") == (
            "there\n"
        )
        assert await run_in(again, "test -e /testbed/later || echo none") == "none\n"
        assert await run_in(again, "ls -d /var/lib/sandbox-tui-run 2>&1 || echo none") != ""
        # the snapshot's state for this call number must not be treated as state this call saved
        lost = await again.exec("CARRIED=gone; kill -9 $$", timeout=HANG_SECONDS)
        assert lost.state_lost
        # the snapshot stays unchanged
        await run_in(again, "echo changed >deep/file")
    finally:
        await again.close()
    third = make(sandbox.kind, snapshot=name)
    await third.start()
    try:
        assert await run_in(third, "cat deep/file") == "one\n"
    finally:
        await third.close()


async def test_the_sandbox_continues_during_and_after_a_snapshot(
    sandbox: Sandbox, cleared: list[str]
) -> None:
    cleared.append(sandbox.spec.session_id)
    await run_in(sandbox, "(while :; do date +%s%N >>beat; sleep 0.02; done) >/dev/null 2>&1 & :")
    taking = asyncio.create_task(sandbox.snapshot("beat.1", max_bytes=ROOM))
    files = await asyncio.gather(*(sandbox.list_files("/testbed") for _ in range(5)))
    assert all(listing.entries for listing in files)
    await taking
    before = await run_in(sandbox, "wc -l <beat")
    after = await run_in(
        sandbox, f"while [ $(wc -l <beat) -le {before.strip()} ]; do :; done; wc -l <beat"
    )
    assert int(after) > int(before)
    left = await run_in(sandbox, "ls /var/lib | grep sandbox-tui || echo none")
    assert left == "none\n"


async def test_a_snapshot_is_taken_after_another_program_adopted_the_sandbox(
    sandbox: Sandbox, cleared: list[str]
) -> None:
    cleared.append(sandbox.spec.session_id)
    await run_in(sandbox, "echo kept >file")
    if sandbox.kind == "bubblewrap":  # its processes end with their program
        await cast(Any, sandbox)._supervisor._kill()
    again = type(sandbox)(sandbox.spec)
    await again.reattach()
    try:
        name, size = await again.snapshot("adopted.1", max_bytes=ROOM)
        assert size > 0
        assert [
            one.name for one in SnapshotStores(snapshot_dir()).list(sandbox.spec.session_id)[0]
        ] == [name]
        if sandbox.kind == "docker":
            client = connect()
            label = f"{image_snapshots.SNAPSHOT}={sandbox.spec.session_id}"
            assert [image.tags for image in client.images.list(filters={"label": label})] == [
                [name]
            ]
            client.close()
    finally:
        await again.close()


@pytest.mark.parametrize("refusals", [1, 3])
async def test_a_container_that_is_not_unpaused_at_once(cleared: list[str], refusals: int) -> None:
    require("docker")
    sandbox: Any = make("docker")
    cleared.append(sandbox.spec.session_id)
    await sandbox.start()
    try:
        refused = [APIError("the engine is busy")] * refusals
        unpause = sandbox._container.unpause

        def refuse_at_first() -> None:
            if refused:
                raise refused.pop()
            unpause()

        sandbox._container.unpause = refuse_at_first
        await sandbox.snapshot("busy.1", max_bytes=ROOM)
        assert await run_in(sandbox, "echo on") == "on\n"
    finally:
        await sandbox.close()


async def test_a_container_that_is_never_unpaused_is_reported(
    cleared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    require("docker")
    monkeypatch.setattr(control_channel, "CONTROL_TIMEOUT_SECONDS", 5.0)  # for the paused container
    sandbox: Any = make("docker")
    cleared.append(sandbox.spec.session_id)
    await sandbox.start()
    outages: asyncio.Queue[str] = asyncio.Queue()
    sandbox.on_outage(outages.put_nowait)
    try:
        unpause = sandbox._container.unpause

        def refuse() -> None:
            raise APIError("the engine is broken")

        sandbox._container.unpause = refuse
        with pytest.raises(SandboxError, match="the engine is broken"):
            await sandbox.snapshot("broken.1", max_bytes=ROOM)
        running = asyncio.create_task(run_in(sandbox, "echo on"))
        assert "docker unpause" in await asyncio.wait_for(outages.get(), HANG_SECONDS)
        await asyncio.to_thread(unpause)
        assert await asyncio.wait_for(running, HANG_SECONDS) == "on\n"
    finally:
        await sandbox.close()


async def test_one_that_is_too_large_is_refused_and_leaves_nothing(
    sandbox: Sandbox, cleared: list[str]
) -> None:
    cleared.append(sandbox.spec.session_id)
    await run_in(sandbox, "head -c 3000000 /dev/urandom >big")
    with pytest.raises(SandboxError, match="exceed the limit"):
        await sandbox.snapshot("big.1", max_bytes=1_000_000)
    assert SnapshotStores(snapshot_dir()).list(sandbox.spec.session_id)[0] == []
    assert await run_in(sandbox, "echo alive") == "alive\n"


@KINDS
@pytest.mark.parametrize(
    "name", ["../../etc", "none/none", "", "a/../../b", "sandbox-tui-test:latest"]
)
async def test_only_our_own_snapshots_are_restored(kind: str, name: str) -> None:
    """Names come from recorded events, and an imported session can contain any name."""
    require(kind)
    assert not SnapshotStores(snapshot_dir()).exists(name or "x")
    with pytest.raises(SandboxUnavailable, match="no longer exists"):
        await make(kind, snapshot=name or "x").start()
    if kind == "docker":
        assert not SnapshotStores(snapshot_dir()).remove(name or "x")
        client = connect()
        assert client.images.get("sandbox-tui-test:latest")
        client.close()


@KINDS
async def test_every_step_has_one_and_old_ones_go(
    kind: str, scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    require(kind)
    steps = [s.call("execute_bash", command=f"echo {n} >file{n}") for n in range(1, 6)]
    server = scripted_server(*steps, s.call("submit"))
    wanted = request(server, kind, **{"sandbox.snapshots": "every", "sandbox.snapshots_kept": 3})
    seen, store, run_id = await watch(wanted, tmp_path)
    cleared.append(run_id)
    taken = only(e.SnapshotTaken, seen)
    assert [one.step for one in taken] == [1, 2, 3, 4, 5, 6]
    assert not only(e.Warned, seen)
    ends = {event.call: event.seq for event in only(e.CallFinished, seen)}
    assert [one.at for one in taken] == [ends[n] for n in range(1, 7)]
    standing, problem = SnapshotStores(snapshot_dir()).list(run_id)
    assert problem == ""
    assert len(standing) == 3
    assert taken[-1].image in {one.name for one in standing}
    store.close()


async def test_the_next_call_waits_for_the_snapshot(
    scripted_server: Start, tmp_path: Path, cleared: list[str]
) -> None:
    """Files made by a later step never appear in the snapshot of an earlier one."""
    require("bubblewrap")
    server = scripted_server(
        s.call("execute_bash", command="head -c 30000000 /dev/zero >big; echo 1 >one"),
        s.call("execute_bash", command="echo 2 >two"),
        s.call("submit"),
    )
    wanted = request(server, **{"sandbox.snapshots": "every"})
    seen, store, run_id = await watch(wanted, tmp_path)
    cleared.append(run_id)
    first = only(e.SnapshotTaken, seen)[0]
    again = make("bubblewrap", snapshot=first.image)
    await again.start()
    assert await run_in(again, "ls") == "big\ninput\none\noutput\n"
    await again.close()
    store.close()


async def test_a_failing_snapshot_is_a_warning(
    scripted_server: Start, tmp_path: Path, own_home: Path
) -> None:
    require("bubblewrap")
    own_home.mkdir(exist_ok=True)
    (own_home / "snapshots").write_text("in the way")
    steps = [s.call("execute_bash", command="echo x >>f") for _ in range(4)]
    server = scripted_server(*steps, s.call("submit"))
    wanted = request(server, **{"sandbox.snapshots": "every"})
    seen, store, _ = await watch(wanted, tmp_path)
    warned = [event.text for event in only(e.Warned, seen)]
    warnings = [text for text in warned if text.startswith("No snapshot after this step")]
    assert len(warnings) == 2
    assert "takes no more snapshots" in warnings[-1]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    store.close()
