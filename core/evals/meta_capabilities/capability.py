"""The three meta-capabilities, and the calls of a run that count as each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Capability = Literal["external", "files", "computation"]
"""`external`: reached for something outside of the sandbox. `files`: looked into files, wrote or
moved them. `computation`: ran a program that computes."""

CAPABILITIES: tuple[Capability, ...] = ("external", "files", "computation")


@dataclass(frozen=True, slots=True)
class CountedCall:
    """A call that counts.

    Attributes:
        number: of the call in its run, from 1.
        capability: what it counts as.
        evidence: the command in it, or the line of code, that makes it count; as the model wrote
            it, to be sanitized.
    """

    number: int
    capability: Capability
    evidence: str


@dataclass(frozen=True, slots=True)
class RunCapabilities:
    """What a run used.

    Attributes:
        counted: the calls that count, in order; a call may count as several.
    """

    counted: tuple[CountedCall, ...] = ()

    @property
    def used(self) -> set[Capability]:
        """What any of its calls counts as."""
        return {call.capability for call in self.counted}
