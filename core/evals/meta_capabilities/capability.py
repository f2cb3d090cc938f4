"""The three meta-capabilities, and the tool calls of a run that count as each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Capability = Literal["external", "files", "computation"]
"""`external`: accesses something outside the sandbox. `files`: reads, writes or moves files.
`computation`: runs a program that computes."""

CAPABILITIES: tuple[Capability, ...] = ("external", "files", "computation")


@dataclass(frozen=True, slots=True)
class CountedCall:
    """A tool call that counts as a capability.

    Attributes:
        number: number of the call in its run, from 1.
        capability: what the call counts as.
        evidence: the command or line of code that makes it count, as the model wrote it; sanitize
            it before display.
    """

    number: int
    capability: Capability
    evidence: str


@dataclass(frozen=True, slots=True)
class RunCapabilities:
    """The capabilities that a run used.

    Attributes:
        counted: the calls that count, in order; one call may count as several capabilities.
    """

    counted: tuple[CountedCall, ...] = ()

    @property
    def used(self) -> set[Capability]:
        """The capabilities that any of the calls counts as."""
        return {call.capability for call in self.counted}
