"""What the coordinator of an evaluation and its nodes say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.events.types import AnyEvent


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a node has to know before its first sample.

    Attributes:
        version: of the program at the coordinator.
        environment: variables that models and scorers read, keys among them; kept in memory only.
        code: of scorers, by path; see `scorer_code`.
    """

    version: str
    environment: Mapping[str, str]
    code: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class NodeEvents:
    """What a node has recorded of a sample.

    Attributes:
        events: those after the one that was asked from, or the first of them.
        ended: whether nothing follows.
    """

    events: tuple[AnyEvent, ...]
    ended: bool


@dataclass(frozen=True, slots=True)
class NodeOutcome:
    """A sample that is over.

    Attributes:
        bundle: its session (`interchange.bundle_format`); empty: it is too large for one, or there
            is none.
        problem: why its run could not begin, or was not recorded to its end; empty otherwise.
        memory: of its sandbox.
    """

    bundle: bytes
    problem: str
    memory: SandboxMemory | None


class NodeHandle(Protocol):
    """A node, as the coordinator has it.

    Attributes:
        name: for people.
        lost: whether it is gone for good.
    """

    name: str
    lost: bool

    async def call(self, method: str, *args: object) -> Any:
        """What a method of its `SampleNode` returns.

        Raises:
            RunLost: the node is gone.
            SandboxTuiError: the method failed.
        """
        ...

    async def end(self) -> None:
        """End its process."""
        ...
