"""The private folders of an embedded sandbox, in a temporary folder of the host.

They outlive a killed program for a while, so that another can resume the run: the program touches a
file in them every few seconds, and `sweep` removes folders whose program has ended and which have
not been touched for the session's grace period.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from sandbox_tui.core.base.errors import SandboxLost
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.sandboxes.bubblewrap.cgroup import remove_left_over
from sandbox_tui.core.sandboxes.bubblewrap.killing import kill_left_over
from sandbox_tui.core.sandboxes.protocol.deep_tree_removal import remove_tree

PREFIX = "sandbox-tui-"
SHARED = ("work", "tmp", "home", "run")
"""The parts a sandbox sees and may change; it cannot reach the rest of the folder."""

OWNER_FILE = "owner.json"


class OwnerRecord(msgspec.Struct, frozen=True):
    """Who owns a folder: the content of its owner.json.

    Attributes:
        owner: the program.
        session: the run's id.
        grace: seconds the folder outlives the program.
        cgroup: its control group; if empty, the one named after the session.
    """

    owner: ProcessIdentity
    session: str
    grace: float
    cgroup: str = ""

    @classmethod
    def of_this_process(cls, session: str, grace: float, *, cgroup: str = "") -> OwnerRecord:
        """Return a record that names this program as the owner."""
        return cls(ProcessIdentity.this_process(), session, grace, cgroup)

    @classmethod
    def without_owner(cls, session: str, grace: float) -> OwnerRecord:
        """Return a record without a live owner, so that another program may claim the folder."""
        return cls(ProcessIdentity.no_process(), session, grace)

    def remove_cgroup(self) -> None:
        """Remove the control group that a killed program left behind."""
        remove_left_over(self.cgroup or cgroup_name(self.session))

    @classmethod
    def of(cls, folder: Path) -> OwnerRecord | None:
        """Return the record of a folder; None if it has none, or belongs to another user."""
        try:
            if folder.is_symlink() or folder.lstat().st_uid != os.geteuid():
                return None
            return msgspec.json.decode((folder / OWNER_FILE).read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, folder: Path) -> None:
        """Write it to a folder, atomically."""
        draft = folder / f"{OWNER_FILE}.{self.owner.pid}"
        draft.write_bytes(msgspec.json.encode(self))
        draft.replace(folder / OWNER_FILE)


def cgroup_name(session: str) -> str:
    """Name of the control group of a session's sandbox."""
    return f"{PREFIX}{session}"


async def renew_folder(folder: Path) -> None:
    """Mark a folder as in use now."""
    os.utime(folder / OWNER_FILE)


def claim_folder(session: str, grace: float) -> Path:
    """Take over the folder of this session that an earlier program left behind.

    Raises:
        SandboxLost: there is none, or it belongs to a program that is still alive.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        record = OwnerRecord.of(folder)
        if record is None or record.session != session:
            continue
        if record.owner != ProcessIdentity.this_process() and record.owner.alive:
            raise SandboxLost(
                "The sandbox's folders belong to another program "
                f"(process {record.owner.pid} on {record.owner.host_name})."
            )
        if _claim(folder, record):
            kill_left_over(folder)
            if record.cgroup:
                record.remove_cgroup()
            OwnerRecord.of_this_process(session, grace).write(folder)
            _empty(folder / "pipes")
            return folder
    raise SandboxLost(
        "The sandbox's folders are gone: its grace period ran out and they were removed, or the "
        "temporary folder was emptied."
    )


def _claim(folder: Path, record: OwnerRecord) -> bool:
    """Remove this record from a folder; False if another program did so first."""
    claimed = folder / f"{OWNER_FILE}.claimed-{os.getpid()}"
    try:
        (folder / OWNER_FILE).rename(claimed)
        if msgspec.json.decode(claimed.read_bytes(), type=OwnerRecord) == record:
            claimed.unlink()
            return True
        claimed.rename(folder / OWNER_FILE)  # another program wrote a new one meanwhile
    except (OSError, msgspec.MsgspecError):
        pass
    return False


def _empty(pipes: Path) -> None:
    """Remove the earlier program's pipes; nothing in the sandbox can write to this folder."""
    for pipe in pipes.iterdir():
        pipe.unlink(missing_ok=True)


def make_folder(session: str, grace: float) -> Path:
    """Return a new private folder with its initial content, owned by this program."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    OwnerRecord.of_this_process(session, grace).write(folder)
    for name in (*SHARED, "etc", "pipes"):
        (folder / name).mkdir()
    (folder / "tmp").chmod(0o1777)
    local = folder / "home" / ".local" / "bin"
    local.mkdir(parents=True)
    (local / "python").symlink_to("/usr/bin/python3")
    _write_accounts(folder / "etc")
    return folder


def _write_accounts(etc: Path) -> None:
    """Write the sandbox's accounts: this user (called root if it is root) and nobody."""
    uid, gid = os.getuid(), os.getgid()
    user, group = "root" if uid == 0 else "user", "root" if gid == 0 else "user"
    users = f"{user}:x:{uid}:{gid}::/root:/bin/bash\n"
    if uid != 65534:
        users += "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
    (etc / "passwd").write_text(users, encoding="ascii")
    groups = f"{group}:x:{gid}:\n"
    if gid != 65534:
        groups += "nogroup:x:65534:\n"
    (etc / "group").write_text(groups, encoding="ascii")


def remove_folder(folder: Path) -> None:
    """Remove a folder that a model has worked in, of any depth and with any permissions."""
    remove_tree(folder)


_sweeping = threading.Lock()


def sweep() -> list[Path]:
    """Remove private folders whose program has ended on this host and whose grace period is over.

    Returns the removed folders. Does nothing while another thread sweeps.
    """
    if not _sweeping.acquire(blocking=False):
        return []
    try:
        return _sweep()
    finally:
        _sweeping.release()


def _sweep() -> list[Path]:
    removed: list[Path] = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(Exception):  # cleaning up must never prevent a run from starting
            if _swept(folder):
                removed.append(folder)
    return removed


def _swept(folder: Path) -> bool:
    """Remove a folder if its grace period is over; returns whether it was removed."""
    record = OwnerRecord.of(folder)
    if record is None or not record.owner.here or record.owner.alive:
        return False
    if _age(folder / OWNER_FILE) <= record.grace or not _claim(folder, record):
        return False
    kill_left_over(folder)
    remove_folder(folder)
    record.remove_cgroup()
    return True


def _age(file: Path) -> float:
    """Return the seconds since the file was touched; 0 if it no longer exists."""
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
