"""The embedded sandbox: what it shows of the host, what it leaves there, and who can use it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from sandbox_tui.core.errors import SandboxLost
from sandbox_tui.core.sandboxes.private_folder import (
    adopt_folder,
    make_folder,
    remove_folder,
    sweep,
)
from tests.integration.conftest import make, require


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("sandbox-tui-*/owner.json"))


async def test_little_of_the_host_is_seen() -> None:
    require("bubblewrap")
    before = folders()
    sandbox = make("bubblewrap")
    await sandbox.start()
    try:
        ask = "ls /etc/shadow /root/.ssh /home /work /var/run/docker.sock; touch /usr/x /etc/x"
        result = await sandbox.exec(f"{ask}; ls -A /root; cat /etc/passwd", timeout=10)
        assert b"shadow\n" not in result.stdout
        assert len(result.stdout.splitlines()) <= 4
        status = (await sandbox.exec("cat /proc/self/status", timeout=10)).stdout.decode()
        assert "CapEff:\t0000000000000000" in status
        assert "NoNewPrivs:\t1" in status
        routes = await sandbox.exec("tail -n +2 /proc/net/route | wc -l; ls /proc", timeout=10)
        assert routes.stdout.startswith(b"0\n")
        assert sandbox.info["network"] == "none"
        pipes = "rm -rf /run/sandbox-tui-pipes; mv /run/sandbox-tui-pipes /run/x; ls -d /run/*pipes"
        kept = await sandbox.exec(pipes, timeout=10)
        assert kept.stdout == b"/run/sandbox-tui-pipes\n"
        made = folders() - before
        (here,) = (
            f for f in made if json.loads(f.read_bytes())["session"] == sandbox.spec.session_id
        )
    finally:
        await sandbox.close()
    assert not here.parent.exists()


def test_removing_touches_nothing_that_links_lead_to(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    mine.chmod(0o644)
    folder = make_folder("none", 0.0)
    locked = folder / "work" / "locked"
    locked.mkdir()
    (locked / "link").symlink_to(mine)
    (locked / "up").symlink_to(tmp_path)
    locked.chmod(0o500)
    remove_folder(folder)
    assert not folder.exists()
    assert mine.read_text() == "mine"
    assert mine.stat().st_mode & 0o777 == 0o644


def leave(folder: Path, host: str = "", *, seconds_ago: float = 0.0) -> None:
    """As if the folder's program were gone since then."""
    deed = json.loads((folder / "owner.json").read_text())
    deed["owner"] = [999_999_999, "1", host or deed["owner"][2]]
    (folder / "owner.json").write_text(json.dumps(deed))
    then = time.time() - seconds_ago
    os.utime(folder / "owner.json", (then, then))


def test_what_a_killed_program_left_is_swept_after_its_grace_and_nothing_else() -> None:
    gone, alive, elsewhere, fresh = (make_folder("none", 60.0) for _ in range(4))
    leave(gone, seconds_ago=61)
    leave(elsewhere, "another-host", seconds_ago=61)
    leave(fresh, seconds_ago=50)
    try:
        assert gone in sweep()
        assert not gone.exists()
        assert all(folder.exists() for folder in (alive, elsewhere, fresh))
    finally:
        for folder in (alive, elsewhere, fresh):
            remove_folder(folder)


def test_a_folder_that_was_left_is_adopted_once_and_kept_from_the_sweep() -> None:
    folder = make_folder("some-session", 60.0)
    try:
        leave(folder, seconds_ago=3600)
        (folder / "pipes" / "1.in").touch()
        assert adopt_folder("some-session", 60.0) == folder
        assert list((folder / "pipes").iterdir()) == []
        assert folder not in sweep()
        with pytest.raises(SandboxLost, match="gone"):
            adopt_folder("another-session", 60.0)
    finally:
        remove_folder(folder)


PROGRAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.bubblewrap import BubblewrapSandbox, bubblewrap_problem
async def main():
    problem = bubblewrap_problem()
    if problem:
        print("cannot", problem)
        return
    sandbox = BubblewrapSandbox(SandboxSpec(session_id="plain-user"))
    await sandbox.start()
    try:
        result = await sandbox.exec("id -u; whoami; cd /tmp; echo x >y; echo $((6 * 7))", timeout=20)
        await sandbox.write_file("/testbed/f", b"data")
        back = await sandbox.read_file("/testbed/f")
        shell = await sandbox.open_shell(80, 24)
        await shell.close()
        print(result.stdout.decode().split(), back.decode(), sandbox.info)
    finally:
        await sandbox.close()
asyncio.run(main())
"""


def test_a_plain_user_can_use_it(tmp_path: Path) -> None:
    require("bubblewrap")
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to become a plain user")
    python = Path("/usr/bin/python3")
    if not python.exists():
        pytest.skip("needs a Python that every user may run")
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    library = tmp_path / "library"
    (library / "sandbox_tui").mkdir(parents=True)
    for name in ("__init__.py",):
        (library / "sandbox_tui" / name).touch()
    shutil.copytree(Path(__file__).parents[2] / "core", library / "sandbox_tui" / "core")
    for name in (
        "msgspec",
        "platformdirs",
        "tomlkit",
        "wcwidth",
        "pyte",
        "docker",
        "requests",
        "urllib3",
        "yaml",
    ):
        if (Path(packages) / name).exists():
            shutil.copytree(Path(packages) / name, library / name)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and str(folder).startswith(tempfile.gettempdir() + "/"):
            folder.chmod(0o755)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run(
        [*command, str(python), "-c", PROGRAM, str(library)],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": tempfile.gettempdir()},
    )
    if done.stdout.startswith("cannot"):
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("['65534', 'user', '42'] data"), done.stdout
