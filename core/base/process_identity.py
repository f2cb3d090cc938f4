"""Identities of processes that survive the reuse of process ids, and this one's file limit."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import resource
import select
from pathlib import Path
from typing import NamedTuple


def machine_name() -> str:
    """Like `socket.gethostname`, without the 3 ms that importing `socket` takes."""
    return os.uname().nodename


class ProcessIdentity(NamedTuple):
    """A permanent identity of a process: its id, its start in clock ticks since boot, its host.

    The host is its name plus a part that stays valid if the name changes, `name_boot.pids`: the
    boot of the machine from which the ticks are counted, and the namespace of the process id. Older
    versions wrote only the name.
    """

    pid: int
    started: str
    host: str

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """Return the identity of a process of this host."""
        return cls(pid, _start(pid), _this_host())

    @classmethod
    def this_process(cls) -> ProcessIdentity:
        """Return the identity of this process."""
        return cls.of(os.getpid())

    @classmethod
    def parent(cls) -> ProcessIdentity:
        """Return the identity of the process that started this one, or of its heir if it has
        ended."""
        return cls.of(os.getppid())

    @classmethod
    def no_process(cls) -> ProcessIdentity:
        """Return an owner for things that have none: a process of this host that is not alive."""
        return cls(0, "gone", _this_host())

    @property
    def here(self) -> bool:
        """Whether this process can tell if it is running."""
        name, where = _parts(self.host)
        my_name, here = _parts(_this_host())
        return where == here if where else name == my_name

    @property
    def alive(self) -> bool:
        """Whether it is still running; True for another host, where this is unknown."""
        if self.here:
            return _start(self.pid) == self.started
        return _parts(self.host)[0] != machine_name()  # this machine has been restarted

    @property
    def host_name(self) -> str:
        """The host's name, for display."""
        return _parts(self.host)[0]


@functools.cache
def _this_host() -> str:
    """Return the host of this process; cached, since the name may change while the program runs."""
    name = machine_name()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink().name
    except (OSError, ValueError):
        return name
    return f"{name}_{boot}.{''.join(filter(str.isdecimal, space))}"


_HOST = re.compile(r"(?P<name>.*)_(?P<where>[0-9a-f-]{36}\.[0-9]+)")


def _parts(host: str) -> tuple[str, str]:
    """Return a host's name and its permanent part; the latter is empty if it was not recorded."""
    found = _HOST.fullmatch(host)
    return (found["name"], found["where"]) if found else (host, "")


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped or being traced."""
    fields = _stat(pid)
    return bool(fields) and fields[0] in "Tt"


def has_exited(pid: int, within: float = 2.0) -> bool:
    """Return whether a process has ended, or is ending: its connections are closed just before.
    Blocks.

    True for a process that cannot be seen.
    """
    try:
        watched = os.pidfd_open(pid)
    except (OSError, AttributeError):  # no such process, or a kernel without pidfd
        return _start(pid) == ""
    try:
        poll = select.poll()  # select(2) cannot handle descriptors above 1023
        poll.register(watched, select.POLLIN)
        return bool(poll.poll(within * 1000))
    finally:
        os.close(watched)


def _start(pid: int) -> str:
    """Start time of a process of this host.

    Empty if it does not exist, or is dead but not yet reaped (proc(5), stat fields 22 and 3).
    """
    fields = _stat(pid)
    return "" if not fields or fields[0] in "ZX" else fields[19]


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the state (field 3) on; empty if the process has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


MAX_OPEN_FILES = 1 << 16
"""Requested limit of open files, if that many are allowed; a run needs about twelve."""


@functools.cache
def initial_file_limit() -> int:
    """Return the limit of open files for the programs that this one starts.

    It is the limit before this program raised its own, since some programs do work for every file
    they might open.
    """
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_file_limit() -> None:
    """Raise this process's limit of open files as far as allowed, up to `MAX_OPEN_FILES`."""
    initial_file_limit()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
