"""Extracts a command's output from its observation."""

from __future__ import annotations

from typing import NamedTuple

_FRAME = ("Exit code: ", "Execution output of ", "[STDOUT]", "[A person edited")
_STDERR = "[STDERR]"


class Observed(NamedTuple):
    """An observation without its framing lines.

    Attributes:
        out: stdout, or the whole observation of another tool.
        err: stderr.
    """

    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The last line of output; empty if there is none."""
        return (self.err or self.out).rstrip().rpartition("\n")[2].strip()


def observed(observation: str) -> Observed:
    """Parse an observation, which is framed as in `tools.bash`."""
    lines = observation.split("\n")
    command = any(line == "[STDOUT]" for line in lines[:4])
    while lines and (not lines[0].strip() or lines[0].startswith(_FRAME)):
        lines.pop(0)
    if command and _STDERR in lines:
        at = lines.index(_STDERR)
        return Observed("\n".join(lines[:at]).rstrip(), "\n".join(lines[at + 1 :]).rstrip())
    text = "\n".join(lines)
    return Observed(text.rstrip() if command else text, "")
