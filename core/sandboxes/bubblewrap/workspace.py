"""The private folders of an embedded sandbox, in a temporary folder of the host.

They outlive a killed program for a while, so that another can resume the run: the program touches a
file in them every few seconds, and `sweep` removes folders whose program has ended and which have
not been touched for the session's grace period.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxLost
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.sandboxes.bubblewrap.killing import kill_left_over
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OWNER_FILE, PREFIX, OwnerRecord
from sandbox_tui.core.sandboxes.protocol.deep_tree_removal import remove_tree

SHARED = ("work", "tmp", "home", "run")
"""The parts a sandbox sees and may change; it cannot reach the rest of the folder."""


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
        if record.remove_from(folder):
            kill_left_over(folder)
            if record.cgroup:
                record.remove_cgroup()
            OwnerRecord.of_this_process(session, grace).write(folder)
            _empty(folder / "pipes")
            return folder
    raise SandboxLost(
        "The sandbox's folders are gone: its program removed them when it ended, its grace period "
        "ran out, or the temporary folder was emptied."
    )


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
