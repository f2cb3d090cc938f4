"""The maximum memory of one process alone.

The kernel's count for a process that was waited for (`ru_maxrss`) starts at the memory its parent
had when it forked. So the parent is a minimal interpreter, and a process that reports on itself
reads the maximum of its own address space since its exec (`VmHWM`).

    python -S -I memory.py COMMAND ...

runs a command and prints `STATUS BYTES` as the last line of its output.
"""

from __future__ import annotations

import os
import sys

LAUNCHER = (sys.executable, "-S", "-I", __file__)
"""Prefix for a command that is to be measured."""


def most_resident() -> int:
    """Return the maximum resident memory of this process since its exec, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - pathlib is large
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main(command: list[str]) -> None:
    """Run the command; print its exit code and maximum memory."""
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    print(f"\n{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss * 1024}")


if __name__ == "__main__":
    main(sys.argv[1:])
