"""Which program owns an embedded sandbox's private folder: the folder's owner.json."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.sandboxes.bubblewrap.cgroup import remove_left_over

PREFIX = "sandbox-tui-"
"""The names of private folders and of control groups begin with it."""

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

    def remove_from(self, folder: Path) -> bool:
        """Remove this record from a folder, to claim it; False if another program did so first."""
        claimed = folder / f"{OWNER_FILE}.claimed-{os.getpid()}"
        try:
            (folder / OWNER_FILE).rename(claimed)
            if msgspec.json.decode(claimed.read_bytes(), type=OwnerRecord) == self:
                claimed.unlink()
                return True
            claimed.rename(folder / OWNER_FILE)  # another program wrote a new one meanwhile
        except (OSError, msgspec.MsgspecError):
            pass
        return False


def cgroup_name(session: str) -> str:
    """Name of the control group of a session's sandbox."""
    return f"{PREFIX}{session}"
