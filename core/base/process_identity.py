"""Identities of processes that stay valid although process ids are reused; and how many files this
one may have open."""

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
    """What `socket.gethostname` returns, without the 3 ms that importing `socket` takes."""
    return os.uname().nodename


class ProcessIdentity(NamedTuple):
    """A process of some host, for good: its id, its start in clock ticks since boot, the host.

    The host is its name, and what stays true when that changes: `name_boot.pids`, by which boot of
    which machine the ticks are counted, and in which namespace the id is one. Older versions wrote
    the name alone.
    """

    pid: int
    started: str
    host: str

    @classmethod
    def this_process(cls) -> ProcessIdentity:
        """The program itself."""
        return cls(os.getpid(), _start(os.getpid()), _this_host())

    @classmethod
    def no_process(cls) -> ProcessIdentity:
        """The owner of what no program owns any more: a process of this host that is not alive."""
        return cls(0, "gone", _this_host())

    @property
    def here(self) -> bool:
        """Whether it can be seen from here, if it is there at all."""
        name, where = _parts(self.host)
        my_name, here = _parts(_this_host())
        return where == here if where else name == my_name

    @property
    def alive(self) -> bool:
        """Whether it is still there; True for one of another host, where we cannot know."""
        if self.here:
            return _start(self.pid) == self.started
        return _parts(self.host)[0] != machine_name()  # this one has been restarted

    @property
    def host_name(self) -> str:
        """The host's name, for people."""
        return _parts(self.host)[0]


@functools.cache
def _this_host() -> str:
    """Once and for all: the name may change while the program runs."""
    name = machine_name()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink().name
    except (OSError, ValueError):
        return name
    return f"{name}_{boot}.{''.join(filter(str.isdecimal, space))}"


_HOST = re.compile(r"(?P<name>.*)_(?P<where>[0-9a-f-]{36}\.[0-9]+)")


def _parts(host: str) -> tuple[str, str]:
    """A host's name, and what stays true of it; the latter empty where it was not written."""
    found = _HOST.fullmatch(host)
    return (found["name"], found["where"]) if found else (host, "")


def is_stopped(pid: int) -> bool:
    """Whether a process stands still because it was stopped, or is being traced."""
    fields = _stat(pid)
    return bool(fields) and fields[0] in "Tt"


def has_exited(pid: int, within: float = 2.0) -> bool:
    """Whether a process is gone, or is going: its connections are closed a moment before. Blocks.

    True for one that cannot be seen.
    """
    try:
        watched = os.pidfd_open(pid)
    except (OSError, AttributeError):  # none, or a kernel without
        return _start(pid) == ""
    try:
        poll = select.poll()  # select(2) knows no descriptor above 1023
        poll.register(watched, select.POLLIN)
        return bool(poll.poll(within * 1000))
    finally:
        os.close(watched)


def _start(pid: int) -> str:
    """When a process of this host began, empty when it is not there, or is dead and nobody has
    asked for its exit code yet (proc(5), stat fields 22 and 3)."""
    fields = _stat(pid)
    return "" if not fields or fields[0] in "ZX" else fields[19]


def _stat(pid: int) -> list[str]:
    """What /proc/PID/stat says from the state (field 3) on; nothing of a process that is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


MAX_OPEN_FILES = 1 << 16
"""Open files at once that are asked for, where so many may be: a run needs some twelve."""


@functools.cache
def initial_file_limit() -> int:
    """How many files may be open at once in what this program starts: as if it had asked for none
    itself, since there are programs that do something for each file they might have open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_file_limit() -> None:
    """Have as many files open at once as this process may, up to `MAX_OPEN_FILES`."""
    initial_file_limit()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
