"""The most memory of a process, and of nothing but it.

What the kernel counts for a process that was waited for (`ru_maxrss`) begins with what its parent
had in memory when it forked. So the parent is a small interpreter without anything, and a process
that tells of itself reads what its own address space has held since it was begun (`VmHWM`).

    python -S -I memory.py COMMAND ...

runs a command, and writes `STATUS BYTES` as the last line of its output.
"""

from __future__ import annotations

import os
import sys

LAUNCHER = (sys.executable, "-S", "-I", __file__)
"""To be put before a command."""


def most_resident() -> int:
    """The most bytes this process has had in memory since its program was begun."""
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - pathlib is large
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main(command: list[str]) -> None:
    """Run the command, and say how it ended and what it took."""
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    print(f"\n{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss * 1024}")


if __name__ == "__main__":
    main(sys.argv[1:])
