"""What a sandbox may do by default, tested from inside."""

from __future__ import annotations

import os
import re
from pathlib import Path
from shlex import quote

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.prompts.pack import load_pack
from sandbox_tui.core.run.open_run import sandbox_spec
from sandbox_tui.core.sandboxes.base import Sandbox
from tests.integration.conftest import make, require, sandbox
from tests.waiting import HANG_SECONDS

__all__ = ["sandbox"]

CAPABILITIES = {"docker": 0xFB, "bubblewrap": 0}
"""CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID (capabilities(7)), or none at all."""


MASKED = (
    "/proc/kcore",
    "/proc/keys",
    "/proc/timer_list",
    "/proc/sched_debug",
    "/proc/latency_stats",
    "/proc/mtrr",
)
"""Hidden behind /dev/null; the last requires a capability that no process has."""

BEGINS_600 = """
import os, signal
children = []
try:
    while len(children) < 600:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except BlockingIOError:
    pass
print(len(children))
for child in children:
    os.kill(child, signal.SIGKILL)
"""
"""Starts waiting processes until one is refused; prints how many there were and kills them."""


async def output_of(where: Sandbox, command: str) -> str:
    result = await where.exec(command, timeout=HANG_SECONDS)
    return (result.stdout + result.stderr).decode("utf-8", "replace")


async def status(where: Sandbox, name: str) -> str:
    found = re.search(
        rf"^{name}:\s*(\S+)", await output_of(where, "cat /proc/self/status"), re.MULTILINE
    )
    assert found is not None
    return found[1]


def test_these_are_the_defaults() -> None:
    """The tests below start the same sandbox as a run."""
    made = sandbox_spec(load(), load_pack("general"), "x")
    here = make("docker").spec
    assert (made.network, made.pids, made.memory) == (here.network, here.pids, here.memory)
    assert (made.pids, made.environment) == (512, here.environment)


async def test_no_privileges_beyond_the_listed_ones(sandbox: Sandbox) -> None:
    allowed = CAPABILITIES[sandbox.kind]
    for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb", "CapInh"):
        assert int(await status(sandbox, name), 16) & ~allowed == 0, name
    assert await status(sandbox, "NoNewPrivs") == "1"
    for command in (
        "mknod d b 8 0",
        "mount -t tmpfs x /mnt",
        "mount -o remount,rw /proc/sys",
        "unshare -m true",
        "unshare -Urm umount /proc/sys",
        "chroot / true",
        "dmesg",
        "hostname other",
        "date -s 2001-01-01",
        "ls /dev/sd? /dev/vd? /dev/nvme* /dev/mem /dev/kmsg /dev/kvm | grep .",
    ):
        assert "it did" not in await output_of(
            sandbox, f"{command} >/dev/null && echo it did; :"
        ), command


async def test_the_kernel_of_the_machine_cannot_be_written_to(sandbox: Sandbox) -> None:
    """Root needs no capability for files in /proc, so nobody may have write permission."""
    reach = "for f in sys/kernel/core_pattern sys/kernel/modprobe sysrq-trigger acpi/wakeup; do"
    assert await output_of(sandbox, f"{reach} test -w /proc/$f && echo $f; done; :") == ""
    if sandbox.kind == "docker":  # with CAP_DAC_OVERRIDE, `test -w` reports everything as writable
        return
    found = await output_of(
        sandbox,
        "find /proc /sys -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null; :",
    )
    left = [path for path in found.split() if not path.startswith(("/proc/pressure/", *MASKED))]
    assert left == []


async def test_a_setuid_program_gives_nothing(sandbox: Sandbox) -> None:
    """No new privileges, even for a program that the sandbox itself made setuid."""
    await output_of(sandbox, "cp $(command -v cat) mine; chmod 4755 mine")
    answer = await output_of(sandbox, "./mine /proc/self/status | grep NoNewPrivs")
    assert answer.split() == ["NoNewPrivs:", "1"]


async def test_nothing_of_the_host_is_reachable(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    marker = Path(f"/tmp/sandbox-tui-test-{os.getpid()}")
    marker.write_text("the host's")
    try:
        listed = await output_of(
            sandbox,
            f"ls -d {marker} /var/run/docker.sock /run/docker.sock /run/containerd /run/dbus"
            f" /run/user {home}/.ssh {home}/.bash_history /work /srv/* /home/* /mnt/* 2>/dev/null; :",
        )
    finally:
        marker.unlink()
    assert listed.split() == []
    mounts = (await output_of(sandbox, "cat /proc/self/mounts")).splitlines()
    for mount in mounts:
        _, place, kind, options, *_ = mount.split()
        if kind in (
            "proc",
            "sysfs",
            "tmpfs",
            "devpts",
            "mqueue",
            "devtmpfs",
            "cgroup",
            "cgroup2",
            "overlay",
        ):
            continue
        private = place in (
            "/testbed",
            "/tmp",
            "/root",
            "/run",
            "/etc/hosts",
            "/etc/hostname",
            "/etc/resolv.conf",
        )
        assert private or "ro" in options.split(",") or place.startswith("/dev/"), mount
    writable = await output_of(sandbox, "touch /usr/x /bin/x /lib/x && echo did; :")
    assert sandbox.kind == "docker" or "did" not in writable


async def test_no_environment_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_OF_THE_HOST", "canary-value")
    for kind in ("docker", "bubblewrap"):
        require(kind)
        where = make(kind)
        await where.start()
        try:
            everything = "env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"
            assert "canary" not in (await output_of(where, everything)).lower()
            names = set(re.findall(r"^(\w+)=", await output_of(where, "env"), re.MULTILINE))
            assert "PATH" in names
            assert not names & {"PYTEST_CURRENT_TEST", "SANDBOX_TUI_HOME", "VIRTUAL_ENV", "USER"}
        finally:
            await where.close()


async def test_processes_are_its_own(sandbox: Sandbox) -> None:
    pids = [int(pid) for pid in (await output_of(sandbox, "cd /proc; echo [0-9]*")).split()]
    assert 1 in pids
    assert len(pids) < 20
    assert os.getpid() not in pids or os.getpid() < 100
    lines = await output_of(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert "pytest" not in lines
    assert "dockerd" not in lines
    for name in ("pid", "mnt", "ipc", "uts"):
        inside = (await output_of(sandbox, f"readlink /proc/self/ns/{name}")).strip()
        assert inside
        assert inside != str(Path(f"/proc/self/ns/{name}").readlink())


async def test_limits_hold(sandbox: Sandbox) -> None:
    where = sandbox.info
    if where.get("processes", "").endswith("for this user") or where.get("memory") == "unlimited":
        pytest.skip("no cgroup can be made here; said so on the screen")
    started = int(await output_of(sandbox, f"python3 -c {quote(BEGINS_600)}"))
    assert 400 < started < 513  # plus a few that already exist: the runner, its shell, python
    hungry = await sandbox.exec("python3 -c 'x = bytearray(3 << 30)'", timeout=HANG_SECONDS)
    assert hungry.exit_code not in (0, None)
    assert (await sandbox.exec("echo alive", timeout=HANG_SECONDS)).stdout == b"alive\n"


async def test_the_network_is_as_documented(sandbox: Sandbox) -> None:
    """Containers have a bridge, not the host's network; the embedded sandbox has no network."""
    lines = (await output_of(sandbox, "cat /proc/net/route")).splitlines()[1:]
    if sandbox.kind == "bubblewrap":
        assert lines == []
    inside = (await output_of(sandbox, "readlink /proc/self/ns/net")).strip()
    assert inside not in ("", str(Path("/proc/self/ns/net").readlink()))
    devices = (await output_of(sandbox, "tail -n +3 /proc/net/dev | cut -d: -f1")).split()
    tunnels = ("tunl", "sit", "ip6tnl", "gre", "erspan", "ip_vti", "ip6_vti", "ip6gre")
    assert {name for name in devices if not name.startswith(tunnels)} <= {"lo", "eth0"}
