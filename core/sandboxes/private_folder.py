"""The private folders of an embedded sandbox, in a temporary folder of the host.

They outlive a program that was killed for a while, so that another can take the run up: the
program touches a file in them every few seconds, and `sweep` removes what belongs to none that
lives and has not been touched for the session's grace period.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from ..errors import SandboxLost
from ..processes import Owner
from .cgroup import remove_left_over

PREFIX = "sandbox-tui-"
SHARED = ("work", "tmp", "home", "run")
"""What a sandbox sees and may change; the rest of the folder is out of its reach."""


_TOUCH_EVERY = 5.0
"""Seconds between touches, less where the grace period is short."""


class Deed(msgspec.Struct, frozen=True):
    """Whose a folder is: content of its owner.json.

    Attributes:
        owner: the program.
        session: the run's id.
        grace: seconds the folder outlives the program.
    """

    owner: Owner
    session: str
    grace: float

    @classmethod
    def ours(cls, session: str, grace: float) -> Deed:
        """A deed of this program."""
        return cls(Owner.this_process(), session, grace)

    @classmethod
    def of(cls, folder: Path) -> Deed | None:
        """The deed of a folder; None when it has none, or is not this user's."""
        try:
            if folder.is_symlink() or folder.lstat().st_uid != os.geteuid():
                return None
            return msgspec.json.decode((folder / DEED).read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, folder: Path) -> None:
        """Put it into a folder, in one step."""
        draft = folder / f"{DEED}.{self.owner.pid}"
        draft.write_bytes(msgspec.json.encode(self))
        draft.replace(folder / DEED)


DEED = "owner.json"


class Touch:
    """Says every few seconds that a folder's program lives."""

    def __init__(self, folder: Path, grace: float) -> None:
        self._file = folder / DEED
        self._every = min(_TOUCH_EVERY, grace / 4)
        self._task = asyncio.create_task(self._touch())

    def stop(self) -> None:
        """Say it no more."""
        self._task.cancel()

    async def _touch(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            with contextlib.suppress(OSError):
                os.utime(self._file)


def adopt_folder(session: str, grace: float) -> Path:
    """The folder a program that is gone left of this session, made this program's.

    Raises:
        SandboxLost: there is none, or it belongs to a program that lives.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        deed = Deed.of(folder)
        if deed is None or deed.session != session:
            continue
        if deed.owner != Owner.this_process() and deed.owner.alive:
            raise SandboxLost(
                "The sandbox's folders belong to another program "
                f"(process {deed.owner.pid} on {deed.owner.host})."
            )
        if _seize(folder, deed):
            Deed.ours(session, grace).write(folder)
            _empty(folder / "pipes")
            return folder
    raise SandboxLost(
        "The sandbox's folders are gone: its grace period ran out and they were removed, or the "
        "temporary folder was emptied."
    )


def _seize(folder: Path, deed: Deed) -> bool:
    """Take this deed of a folder away; False when another program was quicker."""
    seized = folder / f"{DEED}.seized-{os.getpid()}"
    try:
        (folder / DEED).rename(seized)
        if msgspec.json.decode(seized.read_bytes(), type=Deed) == deed:
            seized.unlink()
            return True
        seized.rename(folder / DEED)  # written anew between the two looks
    except (OSError, msgspec.MsgspecError):
        pass
    return False


def _empty(pipes: Path) -> None:
    """Remove the pipes of the program before; nothing in the sandbox can write to this folder."""
    for pipe in pipes.iterdir():
        pipe.unlink(missing_ok=True)


def make_folder(session: str, grace: float) -> Path:
    """A new folder with what a sandbox needs, marked as this program's."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    Deed.ours(session, grace).write(folder)
    for name in (*SHARED, "etc", "pipes"):
        (folder / name).mkdir()
    (folder / "tmp").chmod(0o1777)
    local = folder / "home" / ".local" / "bin"
    local.mkdir(parents=True)
    (local / "python").symlink_to("/usr/bin/python3")
    _write_accounts(folder / "etc")
    return folder


def _write_accounts(etc: Path) -> None:
    """Made-up accounts: this user, called root where it is, and nobody."""
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
    """Remove a folder that a model has worked in: it may have taken rights away on the way."""
    for name in SHARED:
        _take_rights_back(folder / name)
    shutil.rmtree(folder, ignore_errors=True)


def _take_rights_back(top: Path) -> None:
    """Make every folder below one we may empty. Links are left alone: they lead to the host."""
    for folder, names, _ in os.walk(top, followlinks=False):
        for name in names:
            path = Path(folder) / name
            with contextlib.suppress(OSError):
                if not path.is_symlink() and path.stat().st_mode & 0o700 != 0o700:
                    path.chmod(0o700)


_sweeping = threading.Lock()


def sweep() -> list[Path]:
    """Remove private folders of programs that are gone from this host, when their grace is over;
    those removed. Nothing is done while another thread does it: many runs begin at once."""
    if not _sweeping.acquire(blocking=False):
        return []
    try:
        return _sweep()
    finally:
        _sweeping.release()


def _sweep() -> list[Path]:
    removed: list[Path] = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        deed = Deed.of(folder)
        if deed is None or not deed.owner.here or deed.owner.alive:
            continue
        if _age(folder / DEED) > deed.grace and _seize(folder, deed):
            remove_folder(folder)
            remove_left_over(f"{PREFIX}{deed.session}")
            removed.append(folder)
    return removed


def _age(file: Path) -> float:
    """Seconds since it was touched; none when it is not there (any more)."""
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
