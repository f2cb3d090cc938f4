"""The private folders of an embedded sandbox, in a temporary folder of the host."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from ..processes import Owner

PREFIX = "sandbox-tui-"
_SHARED = ("work", "tmp", "home", "run")
"""What a sandbox sees and may change; the rest of the folder is out of its reach."""


def make_folder() -> Path:
    """A new folder with what a sandbox needs, marked as this program's."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    owner = json.dumps(Owner.this_process())
    (folder / "owner.json").write_text(owner, encoding="ascii")
    for name in (*_SHARED, "etc", "pipes"):
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
    for name in _SHARED:
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


def sweep() -> list[Path]:
    """Remove private folders of programs that are gone from this host; those removed."""
    removed: list[Path] = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            ours = folder.lstat().st_uid == os.geteuid() and not folder.is_symlink()
            owner = Owner(*json.loads((folder / "owner.json").read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError):
            continue
        if ours and owner.here and not owner.alive:
            remove_folder(folder)
            removed.append(folder)
    return removed
